"""Streamable HTTP as a function: what is answered to which request, in every version (A28; rows 96, 101)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Book
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.http import answer
from commonplace.surfaces.mcp.versions import HANDSHAKES, STATELESS, VERSIONS
from unit.mcp.speaking import META

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def body(method: str, /, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 3, "method": method, "params": params}).encode()


def stateless(method: str, named: str | None = None, /, **params: Any) -> tuple[dict[str, str], bytes]:
    headers = {**JSON, "mcp-protocol-version": STATELESS, "mcp-method": method}
    return headers | ({"mcp-name": named} if named else {}), body(method, _meta=META, **params)


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_post_is_answered_whole_as_json(desk: Desk, version: str) -> None:
    status, headers, said = answer("POST", {**JSON, "mcp-protocol-version": version}, body("tools/list"), desk)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert len(json.loads(said)["result"]["tools"]) == 4


def test_the_stateless_version_is_answered_without_a_session(desk: Desk) -> None:
    status, headers, said = answer("POST", *stateless("tools/list"), desk)
    assert status == 200
    assert "mcp-session-id" not in headers
    assert json.loads(said)["result"]["resultType"] == "complete"


def test_a_handshake_gets_a_session_that_nobody_has_to_remember(desk: Desk) -> None:
    """A28: many sessions; each id is new, and a daemon that was started again knows as much about it as before: nothing."""
    first = answer("POST", JSON, body("initialize", **HELLO), desk)[1]["mcp-session-id"]
    second = answer("POST", JSON, body("initialize", **HELLO), desk)[1]["mcp-session-id"]
    assert first != second
    for session in (first, "from-before-the-restart"):
        assert answer("POST", {**JSON, "mcp-session-id": session}, body("ping"), desk)[0] == 200
    assert "mcp-session-id" not in answer("POST", {**JSON, "mcp-session-id": first}, body("ping"), desk)[1]
    assert "mcp-session-id" not in answer("POST", JSON, body("initialize"), desk)[1]  # it failed


@pytest.mark.parametrize("session", ["", "a b", "ü", "x" * 129, "a\n"])
def test_a_session_that_could_not_be_one_is_refused(desk: Desk, session: str) -> None:
    assert answer("POST", {**JSON, "mcp-session-id": session}, body("ping"), desk)[0] == 400


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", ""])
def test_there_is_no_stream_to_open_and_no_session_to_end(desk: Desk, method: str) -> None:
    for version in VERSIONS:
        assert answer(method, {**JSON, "mcp-protocol-version": version}, b"", desk) == (405, {"allow": "POST"}, b"")


def test_without_a_header_it_is_the_oldest_version_which_has_batches(desk: Desk) -> None:
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]'
    status, _, said = answer("POST", JSON, batch, desk)
    assert status == 200
    assert [one["id"] for one in json.loads(said)] == [1, 2]
    for version in VERSIONS[1:]:
        assert answer("POST", {**JSON, "mcp-protocol-version": version}, batch, desk)[0] == 400


@pytest.mark.parametrize("version", ["1999-01-01", "", "2025-11-25, 2025-11-25", "x" * 200, "ü"])
def test_an_unknown_version_is_told_which_there_are(desk: Desk, version: str) -> None:
    status, _, said = answer("POST", {**JSON, "mcp-protocol-version": version}, body("ping"), desk)
    assert status == 400
    assert json.loads(said)["error"]["code"] == -32022
    assert json.loads(said)["error"]["data"]["supported"] == [*VERSIONS]


def test_notifications_and_answers_are_taken_without_a_word(desk: Desk) -> None:
    for version in VERSIONS:
        headers = {**JSON, "mcp-protocol-version": version}
        meta = {"params": {"_meta": META}} if version == STATELESS else {}
        told = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized", **meta}).encode()
        assert answer("POST", headers, told, desk) == (202, {}, b"")


@pytest.mark.parametrize(
    "sort", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json"]
)
def test_what_a_form_could_send_is_not_taken(desk: Desk, sort: str) -> None:
    """A page may post a form to any address; it may not choose this content type unasked (row 96)."""
    assert answer("POST", {**JSON, "content-type": sort}, body("ping"), desk)[0] == 415


def test_the_content_type_may_have_a_charset_and_the_client_any_taste_that_includes_json(desk: Desk) -> None:
    assert answer("POST", {"content-type": "Application/JSON; charset=utf-8"}, body("ping"), desk)[0] == 200
    assert answer("POST", {**JSON, "accept": "*/*"}, body("ping"), desk)[0] == 200
    assert answer("POST", {**JSON, "accept": "text/html"}, body("ping"), desk)[0] == 406


def test_what_stands_in_the_headers_must_be_what_is_called(desk: Desk, person: Book) -> None:
    kept = person.save("Releases leave on Tuesday.", type="project")
    headers, sent = stateless("resources/read", f"memory://{kept.id}", uri=f"memory://{kept.id}")
    assert answer("POST", headers, sent, desk)[0] == 200
    assert answer("POST", {name: f" {said}\t" for name, said in headers.items()}, sent, desk)[0] == 200
    wrong = (
        {"mcp-method": "tools/list"}, {"mcp-method": ""}, {"mcp-name": "memory://other"}, {"mcp-name": ""},
        {"mcp-name": "=?base64?!!?="}, {"mcp-protocol-version": "2025-11-25"},
    )  # fmt: skip
    for change in wrong:
        status, _, said = answer("POST", headers | change, sent, desk)
        assert (status, json.loads(said)["error"]["code"], json.loads(said)["id"]) == (400, -32020, 3)


def test_a_name_that_fits_in_no_header_comes_in_base64(desk: Desk, person: Book) -> None:
    headers, sent = stateless(
        "tools/call", "=?base64?bWVtb3J5X3NlYXJjaA==?=", name="memory_search", arguments={"query": "x"}
    )
    assert answer("POST", headers, sent, desk)[0] == 200


def test_the_stateless_version_tells_by_its_status_and_the_older_ones_by_the_message_alone(
    desk: Desk, person: Book
) -> None:
    for method, name, params, status in (
        ("nonsense", None, {}, 404), ("ping", None, {}, 404), ("resources/list", None, {"cursor": "x"}, 400),
        ("tools/call", "nonsense", {"name": "nonsense"}, 400), ("tools/call", "memory_forget", {"name": "memory_forget"}, 200),
    ):  # fmt: skip
        assert answer("POST", *stateless(method, name, **params), desk)[0] == status
        if method != "ping":
            assert (
                answer("POST", {**JSON, "mcp-protocol-version": "2025-11-25"}, body(method, **params), desk)[0] == 200
            )
    for broken in (b"", b"{", b"7", b"{}", b'{"jsonrpc":"2.0","id":null,"method":"ping"}'):
        for version in VERSIONS:
            assert answer("POST", {**JSON, "mcp-protocol-version": version}, broken, desk)[0] == 400


@given(
    headers=st.dictionaries(
        st.sampled_from(["content-type", "accept", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"]),
        st.sampled_from(["application/json", *VERSIONS, "ping", "tools/call", "=?base64?/w==?="])
        | st.text(max_size=20),
    ),
    sent=st.binary(max_size=60)
    | st.sampled_from([body("ping"), body("tools/call", _meta=META), body("tools/list", _meta=7)]),
)
def test_whatever_is_posted_is_answered_and_never_with_a_fault_of_ours(headers: dict[str, str], sent: bytes) -> None:
    def none(name: str, fields: dict[str, Any]) -> Any:
        raise AssertionError("asked")

    for given_headers in (headers, JSON | headers):
        status, told, said = answer("POST", given_headers, sent, Desk(none))
        assert status in (200, 202, 400, 404, 406, 415)
        assert (said == b"") == ("content-type" not in told)
        assert b"-32603" not in said
