"""One client over pipes: what it says line by line, and what is answered, as soon as it is known.

What needs no book is answered at once: a ping, a handshake, a list of tools. What asks the book is worked on beside the reading,
several questions at a time, so that a slow search holds up nobody. Order is kept where it can be noticed: a write waits for all
that was asked before it, and what is asked after it finds what was written. A question that is cancelled before it was begun is
never begun, and not answered; one that was begun is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from commonplace.surfaces.mcp import protocol
from commonplace.surfaces.mcp.envelope import ProtocolError, Reply, encoded, failed, id_in, parsed
from commonplace.surfaces.mcp.versions import LATEST_HANDSHAKE

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from commonplace.surfaces.mcp.desk import Desk

_OF_THE_BOOK = ("tools/call", "resources/list", "resources/read", "prompts/get")
_WRITING = ("memory_append", "memory_forget")
_THREADS = 4
# Whoever asks more than this without reading the answers has to wait until some are given.
_MOST_WAITING = 256
# Whoever asks us to stop may have stopped reading too: then an answer cannot be given any more.
_LAST_SECONDS = 3.0


class _Asked:
    """A question to the book, until it is answered."""

    work: Future[None]

    def __init__(self, id: str | int | None, writes: bool) -> None:
        self.id, self.writes, self.is_cancelled = id, writes, False


class Conversation:
    """Heard by one thread; answers come from several, one line at a time."""

    def __init__(self, out: BinaryIO, desk: Desk) -> None:
        self._out, self._desk, self._agreed = out, desk, LATEST_HANDSHAKE
        self._lock, self._room = threading.Lock(), threading.Semaphore(_MOST_WAITING)
        self._pool: ThreadPoolExecutor | None = None
        self._going: list[_Asked] = []
        self._broken: OSError | None = None

    def hear(self, line: bytes) -> None:
        """One line. Raises OSError when nobody is there any more to be answered."""
        if self._broken is not None:
            raise self._broken
        try:
            message = parsed(line)
        except ProtocolError as cause:
            self._say(failed(None, cause))
            return
        if _asks_the_book(message):
            self._begin(message)
            return
        self._note_cancelled(message)
        reply = protocol.answer(message, self._desk, self._agreed)
        if isinstance(reply, dict):
            self._agreed = reply.get("result", {}).get("protocolVersion", self._agreed)
        self._say(reply)

    def end(self, *, finish: bool) -> None:
        """What was begun is answered. What waits is too, if there is time to `finish`; if not, nobody is waited for for long."""
        if self._pool is None:
            return
        if finish:
            self._pool.shutdown(wait=True)
            return
        from concurrent.futures import wait

        for asked in self._going:
            asked.is_cancelled = True
        self._pool.shutdown(wait=False)
        wait([asked.work for asked in self._going], _LAST_SECONDS)

    def _begin(self, message: Any) -> None:
        """In a thread of the pool, after what it must not overtake: that has a thread already, so nothing waits for ever."""
        self._room.acquire()
        self._going = [one for one in self._going if not one.work.done()]
        asked, agreed = _Asked(id_in(message), _may_write(message)), self._agreed
        before = [one.work for one in self._going if asked.writes or one.writes]

        def work() -> None:
            try:
                for earlier in before:
                    earlier.exception()
                if not asked.is_cancelled:
                    self._say(protocol.answer(message, self._desk, agreed))
            finally:
                self._room.release()

        asked.work = self._submitted(work)
        self._going.append(asked)

    def _submitted(self, work: Callable[[], None]) -> Future[None]:
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(_THREADS, "commonplace-mcp")
        return self._pool.submit(work)

    def _note_cancelled(self, message: Any) -> None:
        if isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            params = message.get("params")
            named = id_in({"id": params.get("requestId")}) if isinstance(params, dict) else None
            for asked in self._going:
                asked.is_cancelled |= named is not None and asked.id == named

    def _say(self, reply: Reply | list[Reply] | None) -> None:
        if reply is None:
            return
        line = encoded(reply) + b"\n"
        try:
            with self._lock:
                self._out.write(line)
                self._out.flush()
        except OSError as cause:
            self._broken = cause


def _asks_the_book(message: Any) -> bool:
    if isinstance(message, list):
        return True
    return isinstance(message, dict) and message.get("method") in _OF_THE_BOOK and "id" in message


def _may_write(message: Any) -> bool:
    if isinstance(message, list):
        return True
    params = message.get("params")
    return message["method"] == "tools/call" and isinstance(params, dict) and params.get("name") in _WRITING
