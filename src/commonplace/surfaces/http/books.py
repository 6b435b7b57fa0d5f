"""The books that are served, each by its name, and the threads that work on them.

The library is synchronous, and a book may be used from several threads. So a request is handed to one of a few threads, first
come first served; what takes long has threads of its own, so that nobody's search waits behind an export. A book is opened once;
every actor gets a way to speak to it that shares the opened file and the loaded models.
"""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from commonplace import settings
from commonplace.engine.book import Book
from commonplace.errors import InvalidError
from commonplace.guard.trust import channel_of, check_actor
from commonplace.surfaces.http.answers import RefusedError
from commonplace.wiring import configured, configured_url, open_book

if TYPE_CHECKING:
    from commonplace.engine.scribe import Scribe

T = TypeVar("T")
DEFAULT = "default"

# More threads than cores only take the interpreter from each other; a few more keep going while others wait for the disk.
_THREADS, _LONG_THREADS = 4, 2
# Whoever would have to wait behind more than this is told so at once.
MOST_WAITING = 1_000
_MOST_SPEAKERS = 256


def configured_books() -> dict[str, str]:
    """`[serve.books]` of the config file, each name with its URL; the book that is used without all this is `default`."""
    table = configured().get("serve")
    named = table.get("books", {}) if isinstance(table, dict) else {}
    if not isinstance(named, dict) or not all(isinstance(url, str) and url for url in named.values()):
        raise InvalidError(
            "serve.books: must be names with URLs", hint='For example: [serve.books] work = "sqlite:~/work.sqlite"'
        )
    for name in named:
        if len(name) > 64 or not name.replace("-", "").replace("_", "").isalnum():
            raise InvalidError("serve.books: a name has letters, digits, - and _", where="serve.books")
    return {DEFAULT: configured_url(), **named}


class Books:
    """Every book that is served. Safe to use from several threads."""

    def __init__(self, urls: dict[str, str], timeout: float = settings.BUSY_TIMEOUT_SECONDS) -> None:
        self.urls = urls
        self._timeout = timeout
        self._owned: dict[str, Book] = {}
        self._speakers: dict[tuple[str, str, str], Book] = {}
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def owned(self, name: str) -> Book:
        """The book as the daemon itself holds it: for the worker and the index, and what all speakers share."""
        with self._lock:
            if name not in self._owned:
                # Begun anew at most once: a book that was here and is gone is for a person to look at.
                self._owned[name] = open_book(
                    self.urls[name],
                    actor="operator",
                    surface="http",
                    timeout=self._timeout,
                    create=name not in self._known,
                )
                self._known.add(name)
            return self._owned[name]

    def let_go(self, name: str) -> None:
        """Its file was moved or replaced: the next one who asks opens what is there then."""
        with self._lock:
            gone = self._owned.pop(name, None)
            for key in [key for key in self._speakers if key[0] == name]:
                del self._speakers[key]
        if gone is not None and gone._indexer is not None:
            gone._indexer.stop()

    def spoken_to(self, name: str, actor: str, surface: str = "http") -> Book:
        """The same book, as this actor speaks to it."""
        key = (name, actor, surface)
        found = self._speakers.get(key)
        if found is None:
            found = Book(_as(self.owned(name)._scribe, check_actor(actor), surface))
            with self._lock:
                if len(self._speakers) >= _MOST_SPEAKERS:
                    self._speakers.pop(next(iter(self._speakers)))
                self._speakers[key] = found
        return found

    def close(self) -> None:
        with self._lock:
            for book in self._owned.values():
                book.close()
            self._owned.clear()
            self._speakers.clear()


def _as(owner: Scribe, actor: str, surface: str) -> Scribe:
    """Another voice on the same opened book. What is shared is made first: models are loaded once, receipts wait in one list."""
    assert owner.meaning is not None
    speaker = copy.copy(owner)
    speaker.actor, speaker.trust, speaker.surface = actor, channel_of(actor), surface
    return speaker


class Threads:
    """Where the work is done. First come, first served."""

    def __init__(self, quick: int = _THREADS, long: int = _LONG_THREADS) -> None:
        self._quick = ThreadPoolExecutor(quick, "commonplace-quick")
        self._long = ThreadPoolExecutor(long, "commonplace-long")
        self._lock, self._busy = threading.Lock(), 0
        self.waiting = 0

    async def run(self, work: Callable[[], T], *, is_long: bool = False) -> T:
        if self.waiting >= MOST_WAITING:
            raise RefusedError(
                503, "too many wait already", kind="unavailable", retryable=True, headers=[(b"retry-after", b"1")]
            )
        self.waiting += 1
        try:
            pool = self._long if is_long else self._quick
            return await asyncio.get_running_loop().run_in_executor(pool, self._counted, work)
        finally:
            self.waiting -= 1

    def _counted(self, work: Callable[[], T]) -> T:
        with self._lock:
            self._busy += 1
        try:
            return work()
        finally:
            with self._lock:
                self._busy -= 1

    def close(self, seconds: float = 20.0) -> bool:
        """What was not begun never is; what was is waited for, so long. False if something is still at work."""
        for pool in (self._quick, self._long):
            pool.shutdown(wait=False, cancel_futures=True)
        until = time.monotonic() + seconds
        while self._busy and time.monotonic() < until:
            time.sleep(0.02)
        return not self._busy
