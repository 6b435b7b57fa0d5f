"""Lines in, lines out: what goes wrong with one line does not reach the next."""

from __future__ import annotations

import io
import json
import os
import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from commonplace.errors import NotFoundError
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


class Slow:
    """A desk whose every answer waits until it is let go; what is asked is noted as it begins."""

    def __init__(self) -> None:
        self.begun: queue.Queue[str] = queue.Queue()
        self.gates: dict[str, threading.Event] = {}

    def ask(self, operation: str, fields: dict[str, Any]) -> Any:
        name = fields.get("query") or fields.get("content") or operation
        self.begun.put(name)
        if name in self.gates:
            assert self.gates[name].wait(20)
        if operation == "search":
            return ()
        raise NotFoundError("not here")


class Talk:
    """A conversation with such a desk, over real pipes."""

    def __init__(self, desk: Slow) -> None:
        read, write = os.pipe()
        back, out = os.pipe()
        self.came, self.said = os.fdopen(write, "wb", 0), os.fdopen(back, "rb")
        self._read, self._out = os.fdopen(read, "rb"), os.fdopen(out, "wb")
        self._thread = threading.Thread(target=self._run, args=(desk,))
        self._thread.start()

    def _run(self, desk: Slow) -> None:
        stdio.converse(self._read, self._out, Desk(desk.ask))
        self._out.close()

    def send(self, id: int | None, method: str, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if id is None else {"id": id})
        self.came.write(json.dumps(message).encode() + b"\n")

    def search(self, id: int, query: str) -> None:
        self.send(id, "tools/call", name="memory_search", arguments={"query": query})

    def append(self, id: int, content: str) -> None:
        self.send(id, "tools/call", name="memory_append", arguments={"content": content, "kind": "fix"})

    def next(self) -> int:
        found: int = json.loads(self.said.readline())["id"]
        return found

    def end(self) -> list[int]:
        self.came.close()
        rest = [json.loads(line)["id"] for line in self.said]
        self._thread.join(20)
        assert not self._thread.is_alive()
        self.said.close()
        self._read.close()
        return rest


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    for gate in made.gates.values():
        gate.set()


def test_a_slow_search_holds_up_neither_a_ping_nor_another_search(slow: Slow) -> None:
    slow.gates["slow"] = threading.Event()
    talk = Talk(slow)
    talk.search(1, "slow")
    assert slow.begun.get(timeout=20) == "slow"
    talk.send(2, "ping")
    assert talk.next() == 2
    talk.send(3, "tools/list")
    assert talk.next() == 3
    talk.search(4, "quick")
    assert talk.next() == 4
    slow.gates["slow"].set()
    assert talk.end() == [1]


def test_a_write_waits_for_what_was_asked_before_and_is_seen_by_what_is_asked_after(slow: Slow) -> None:
    slow.gates |= {"before": threading.Event(), "written": threading.Event()}
    talk = Talk(slow)
    talk.search(1, "before")
    talk.append(2, "written")
    talk.search(3, "after")
    assert slow.begun.get(timeout=20) == "before"
    talk.send(4, "ping")
    assert talk.next() == 4
    assert slow.begun.empty()
    slow.gates["before"].set()
    assert talk.next() == 1
    assert slow.begun.get(timeout=20) == "written"
    talk.send(5, "ping")
    assert talk.next() == 5
    assert slow.begun.empty()
    slow.gates["written"].set()
    assert talk.end() == [2, 3]
    assert slow.begun.get(timeout=20) == "after"


def test_what_is_cancelled_before_it_was_begun_is_neither_done_nor_answered(slow: Slow) -> None:
    slow.gates["first"] = threading.Event()
    talk = Talk(slow)
    talk.search(1, "first")
    talk.append(2, "never")
    talk.append(3, "kept")
    talk.send(None, "notifications/cancelled", requestId=2, reason="changed my mind")
    talk.send(None, "notifications/cancelled", requestId=[3])
    talk.send(None, "notifications/cancelled")
    talk.send(4, "ping")
    assert talk.next() == 4
    slow.gates["first"].set()
    assert talk.end() == [1, 3]
    assert [slow.begun.get(timeout=20), slow.begun.get(timeout=20)] == ["first", "kept"]
    assert slow.begun.empty()


def test_many_questions_at_once_are_each_answered_once_whatever_their_ids(slow: Slow) -> None:
    talk = Talk(slow)
    for n in range(600):
        talk.search(n % 50, f"q{n}") if n % 7 else talk.append(n % 50, f"a{n}")
    assert sorted(talk.end()) == sorted(n % 50 for n in range(600))


def test_when_the_client_is_gone_it_ends(slow: Slow) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb", 0) as out, pytest.raises(BrokenPipeError):
        stdio.converse(io.BytesIO((PING + b"\n") * 3), out, Desk(slow.ask))
