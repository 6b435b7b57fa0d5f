"""Lines in, lines out: what goes wrong with one line does not reach the next."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from commonplace.surfaces.mcp import stdio
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import MOST_BYTES

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def said(desk: Desk, *lines: bytes, end: bytes = b"\n") -> list[Any]:
    out = io.BytesIO()
    stdio.converse(io.BytesIO(b"\n".join(lines) + end), out, desk)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def hello(version: str) -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": version}}
    ).encode()


def test_each_line_is_answered_by_one_line_and_empty_ones_by_none(desk: Desk) -> None:
    assert [one["id"] for one in said(desk, PING, b"", b"  \r", PING)] == [1, 1]


def test_the_last_line_needs_no_end_and_no_input_needs_no_answer(desk: Desk) -> None:
    assert len(said(desk, PING, end=b"")) == 1
    assert said(desk, end=b"") == []


@pytest.mark.parametrize(
    "broken", [b"{", b"\xff", b"\x00", b"null", b'"' + b"x" * (2 * MOST_BYTES) + b'"', b"[" * 200_000]
)
def test_a_broken_line_is_answered_and_the_next_one_is_read(desk: Desk, broken: bytes) -> None:
    first, second = said(desk, broken, PING)
    assert first["id"] is None
    assert first["error"]["code"] in (-32700, -32600)
    assert second == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_batches_are_for_a_conversation_that_agreed_on_the_version_that_has_them(desk: Desk) -> None:
    batch = b"[" + PING + b"]"
    assert said(desk, hello("2025-03-26"), batch)[1] == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    assert said(desk, hello("2025-06-18"), batch)[1]["error"]["code"] == -32600
    assert said(desk, batch)[0]["error"]["code"] == -32600


def test_line_breaks_in_a_memory_do_not_break_the_answer(desk: Desk) -> None:
    call = {"name": "memory_append", "arguments": {"content": "one\ntwo\u2028three\u0085four\r\nfive", "kind": "fix"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    out = io.BytesIO()
    stdio.converse(io.BytesIO(line + b"\n" + PING + b"\n"), out, desk)
    assert out.getvalue().count(b"\n") == 2
