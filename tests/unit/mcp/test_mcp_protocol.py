"""Every method in every version, and every malformed envelope: answered, never raised (row 101)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import commonplace
from commonplace import Book
from commonplace.surfaces.mcp import protocol
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import MOST_BYTES, ProtocolError, encoded, parsed
from commonplace.surfaces.mcp.reach import OwnBook
from commonplace.surfaces.mcp.schemas import INPUTS, described
from commonplace.surfaces.mcp.versions import HANDSHAKES, STATELESS, VERSIONS
from unit.mcp.speaking import META, Client

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def request(method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_handshake_agrees_on_the_version_that_was_asked_for(client, version: str) -> None:
    said = client.result("initialize", **{**HELLO, "protocolVersion": version})
    assert said["protocolVersion"] == version
    assert said["serverInfo"]["name"] == "commonplace"
    assert said["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}}
    assert "memory_search" in said["instructions"]


@pytest.mark.parametrize("version", ["2024-11-05", "2099-01-01", STATELESS, "", "x"])
def test_a_handshake_for_another_version_is_offered_the_newest_that_has_one(client, version: str) -> None:
    assert client.result("initialize", **{**HELLO, "protocolVersion": version})["protocolVersion"] == "2025-11-25"


def test_a_handshake_without_a_version_is_refused(client) -> None:
    assert client.call("initialize")["error"]["code"] == -32602


def test_the_stateless_version_is_discovered_and_has_neither_handshake_nor_ping(desk) -> None:
    modern = Client(desk, STATELESS)
    said = modern.result("server/discover")
    assert said["supportedVersions"] == [*VERSIONS]
    assert modern.call("initialize", **HELLO)["error"]["code"] == -32601
    assert modern.call("ping")["error"]["code"] == -32601
    assert Client(desk, "2025-11-25").call("server/discover")["error"]["code"] == -32601


@pytest.mark.parametrize("version", HANDSHAKES)
def test_ping_is_answered_with_nothing(desk, version: str) -> None:
    assert protocol.answer(request("ping"), desk, version) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_every_list_and_every_call_answers_in_every_version(any_client, person: Book) -> None:
    kept = person.save("Releases leave on Tuesday.", type="project", always_load=True)
    assert len(any_client.result("tools/list")["tools"]) == 4
    assert any_client.tool("memory_search", query="when do releases leave?")["total"] == 1
    assert any_client.result("resources/list")["resources"][0]["uri"] == f"memory://{kept.id}"
    assert any_client.result("resources/templates/list")["resourceTemplates"][0]["uriTemplate"] == "memory://{id}"
    assert "Tuesday" in any_client.result("resources/read", uri=f"memory://{kept.id}")["contents"][0]["text"]
    assert len(any_client.result("prompts/list")["prompts"]) == 2
    assert any_client.result("prompts/get", name="reflect_on_session")["messages"][0]["role"] == "user"


def test_a_stateless_result_is_complete_names_its_server_and_may_not_be_kept(desk, person: Book) -> None:
    kept = person.save("Releases leave on Tuesday.", type="project")
    modern = Client(desk, STATELESS)
    lists = ("server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list")
    for said in (
        *(modern.result(method) for method in lists),
        modern.result("resources/read", uri=f"memory://{kept.id}"),
    ):
        assert said["resultType"] == "complete"
        assert (said["ttlMs"], said["cacheScope"]) == (0, "private")
        assert said["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "commonplace"
    called = modern.result("tools/call", name="memory_search", arguments={"query": "x"})
    assert called["resultType"] == "complete"
    assert "ttlMs" not in called


def test_a_stateless_request_must_say_its_version_and_its_capabilities(desk) -> None:
    key = "io.modelcontextprotocol/protocolVersion"
    assert protocol.answer(request("tools/list"), desk, STATELESS)["error"]["code"] == -32602
    assert protocol.answer(request("tools/list", _meta={key: STATELESS}), desk, STATELESS)["error"]["code"] == -32602
    assert protocol.answer(request("tools/list", _meta={key: 7}), desk, STATELESS)["error"]["code"] == -32602
    unknown = protocol.answer(request("tools/list", _meta={key: "2030-01-01"}), desk, "2025-11-25")["error"]
    assert unknown["code"] == -32022
    assert unknown["data"] == {"supported": [*VERSIONS], "requested": "2030-01-01"}


def test_no_params_and_null_are_the_same(desk) -> None:
    for params in ({}, {"params": None}, {"params": {}}):
        assert (
            protocol.answer({"jsonrpc": "2.0", "id": 1, "method": "ping", **params}, desk, "2025-11-25")["result"] == {}
        )


def test_every_version_that_is_said_to_be_supported_is_taken_where_a_request_names_it(desk) -> None:
    key = "io.modelcontextprotocol/protocolVersion"
    for version in VERSIONS:
        assert "result" in protocol.answer(request("tools/list", _meta={**META, key: version}), desk, "2025-11-25")


def test_one_conversation_may_mix_a_handshake_and_stateless_requests(desk) -> None:
    """Nothing is remembered that could go wrong: what a request says of itself is enough."""
    assert "result" in protocol.answer(request("tools/list", _meta=META), desk, "2025-06-18")


@pytest.mark.parametrize("method", ["nonsense", "tools/nonsense", "completion/complete", "logging/setLevel", ""])
def test_an_unknown_method_is_said_to_be_unknown(any_client, method: str) -> None:
    assert any_client.call(method)["error"]["code"] == -32601


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
def test_a_cursor_that_was_never_given_leads_nowhere(any_client, method: str, person: Book) -> None:
    person.save("There is a book.", type="project")
    assert any_client.call(method, cursor="aGVsbG8")["error"]["code"] == -32602
    assert "result" in any_client.call(method, cursor=None)


@pytest.mark.parametrize(
    "method",
    ["notifications/initialized", "notifications/cancelled", "notifications/nonsense", "tools/call", "initialize"],
)
def test_a_notification_is_never_answered_and_never_does_anything(desk, tmp_path, method: str) -> None:
    message = {
        "jsonrpc": "2.0",
        "method": method,
        "params": {"name": "memory_append", "arguments": {"content": "x", "kind": "y"}},
    }
    for version in VERSIONS:
        assert protocol.answer(message, desk, version) is None
    assert protocol.answer({"jsonrpc": "2.0", "method": method, "params": [1]}, desk, "2025-11-25") is None
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "message", [{"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 1, "error": {}}]
)
def test_an_answer_that_nobody_waits_for_is_passed_over(desk, message: dict[str, Any]) -> None:
    assert protocol.answer(message, desk, "2025-11-25") is None


@pytest.mark.parametrize("id", [None, True, 1.5, {}, [], "x" * 257, 2**63, -(2**63), "\ud800"])
def test_an_id_that_is_no_id_is_answered_without_one(desk, id: Any) -> None:
    said = protocol.answer(request("ping", id), desk, "2025-11-25")
    assert said["id"] is None
    assert said["error"]["code"] == -32600
    json.loads(encoded(said))


@pytest.mark.parametrize("id", [0, -1, 2**63 - 1, "", "a", "ü", "x" * 256])
def test_an_id_comes_back_as_it_went(desk, id: Any) -> None:
    assert protocol.answer(request("ping", id), desk, "2025-11-25")["id"] == id


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (None, -32600), (7, -32600), ("ping", -32600), ({}, -32600), ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600), ({"jsonrpc": 2.0, "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600), ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": None, "params": {}}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"}, -32602),
    ],
)  # fmt: skip
def test_a_malformed_envelope_is_told_so(desk, message: Any, code: int) -> None:
    assert protocol.answer(message, desk, "2025-11-25")["error"]["code"] == code


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"nonsense",
        b"\xff\xfe",
        b'{"a":1,"a":2}',
        b"NaN",
        b"[" * 100_000,
        b"1" * 5_000,
        b'{"a":' * 5_000,
        b"{}{}",
    ],
)
def test_what_is_not_json_that_means_one_thing_is_a_parse_error(raw: bytes) -> None:
    with pytest.raises(ProtocolError) as told:
        parsed(raw)
    assert told.value.code == -32700


def test_a_message_has_a_limit() -> None:
    with pytest.raises(ProtocolError, match="at most"):
        parsed(b'"' + b"x" * MOST_BYTES + b'"')


def test_several_messages_at_once_are_for_the_version_that_has_them(desk) -> None:
    batch = [request("ping", 1), {"jsonrpc": "2.0", "method": "notifications/x"}, request("nonsense", 2), 5]
    said = protocol.answer(batch, desk, "2025-03-26")
    assert [one["id"] for one in said] == [1, 2, None]
    assert [one.get("error", {}).get("code") for one in said] == [None, -32601, -32600]
    for version in ("2025-06-18", "2025-11-25", STATELESS):
        assert protocol.answer(batch, desk, version)["error"]["code"] == -32600


def test_a_batch_is_bounded_holds_no_batch_and_no_handshake(desk) -> None:
    old = "2025-03-26"
    assert protocol.answer([], desk, old)["error"]["code"] == -32600
    assert protocol.answer([request("ping")] * 101, desk, old)["error"]["code"] == -32600
    assert protocol.answer([{"jsonrpc": "2.0", "method": "notifications/x"}], desk, old) is None
    said = protocol.answer([[request("ping")], request("initialize", 4, **HELLO)], desk, old)
    assert [(one["id"], one["error"]["code"]) for one in said] == [(None, -32600), (4, -32600)]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
_METHODS = st.sampled_from([
    "initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "prompts/list", "prompts/get", "notifications/x",
])  # fmt: skip
_PARAMS = _JSON | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["memory_search", "memory_recall", "memory_forget", "review_inbox"]) | _JSON,
        "arguments": st.dictionaries(st.sampled_from(["query", "id", "phase", "limit", "context"]), _JSON) | _JSON,
        "uri": st.text().map("memory://".__add__) | _JSON,
        "_meta": _JSON,
        "cursor": _JSON,
    },
)
_MESSAGES = _JSON | st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | _JSON}, optional={"id": _JSON, "method": _METHODS | _JSON, "params": _PARAMS}
)


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One book for all examples."""
    url = f"sqlite:{tmp_path_factory.mktemp('mcp') / 'book.sqlite'}"
    with commonplace.open(url, actor="alice", embedder="none", reranker="none") as book:
        book.save("Releases leave on Tuesday.", type="project")
    own = OwnBook(url, "agent:mcp")
    yield Desk(own.ask, agent="mcp")
    own.close()


@given(message=_MESSAGES | st.lists(_MESSAGES, max_size=3), version=st.sampled_from(VERSIONS))
def test_whatever_is_sent_is_answered_in_good_form(message: Any, version: str, fuzzed: Desk) -> None:
    said = protocol.answer(message, fuzzed, version)
    for one in said if isinstance(said, list) else [said] if said is not None else []:
        assert one["jsonrpc"] == "2.0"
        assert ("result" in one) != ("error" in one)
        assert one.get("error", {}).get("code") != -32603
    if said is not None:
        assert b"\n" not in encoded(said)


_ARGUMENTS = {
    tool: st.fixed_dictionaries(
        {}, optional={name: _JSON | st.sampled_from(["work", "fix", 5, "x y"]) for name in takes}
    )
    for tool, takes in INPUTS.items()
}


@given(data=st.data())
@pytest.mark.parametrize("tool", INPUTS)
def test_whatever_a_tool_is_told_it_answers_as_it_said_or_says_what_was_wrong(
    tool: str, data: st.DataObject, fuzzed: Desk
) -> None:
    asked = {"name": tool, "arguments": data.draw(_ARGUMENTS[tool])}
    said = protocol.answer(request("tools/call", **asked), fuzzed, "2025-11-25")["result"]
    if said["isError"]:
        told = json.loads(said["content"][0]["text"])["error"]
        assert told["kind"] in ("invalid", "not_found", "secret", "too_large", "denied", "conflict")
        assert told["hint"]
    else:
        schema = next(one for one in described() if one["name"] == tool)["outputSchema"]
        assert {*said["structuredContent"]} == {*schema["required"]}


def test_a_fault_of_ours_is_told_without_a_word_of_what_was_inside(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(name: str, fields: dict[str, Any]) -> Any:
        raise RuntimeError("hunter2 is the password")

    said = protocol.answer(
        request("tools/call", name="memory_search", arguments={"query": "x"}), Desk(broken), "2025-11-25"
    )
    assert said["error"] == {"code": -32603, "message": "something unexpected happened"}
    assert capsys.readouterr().err == "commonplace mcp: RuntimeError in tools/call\n"
