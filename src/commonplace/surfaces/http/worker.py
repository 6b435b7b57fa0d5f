"""The worker inside the daemon: a thread for each book that works through what was captured and what comes round."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.errors import CommonplaceError

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.surfaces.http.books import Books

# After a failure it rests longer: a disk that is full is not asked all the time.
_REST_SECONDS = 30.0


class Worker:
    """Works until it is stopped; what it has begun, it ends first."""

    def __init__(self, books: Books, log: Callable[..., None]) -> None:
        self._books, self._log = books, log
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(name,), name=f"commonplace-work-{name}", daemon=True)
            for name in books.urls
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, seconds: float = 10.0) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(seconds)

    def _run(self, name: str) -> None:
        while not self._stop.is_set():
            self._stop.wait(self._some(name))

    def _some(self, name: str) -> float:
        """Work through one event; returns how long to wait before the next."""
        try:
            book = self._books.owned(name)
            book.index_in_background()
            return 0.0 if self._worked(name, book) else settings.WORK_TICK_SECONDS
        except CommonplaceError as cause:
            self._log("work", book=name, kind=cause.kind, code=cause.code)
        except Exception as cause:  # noqa: BLE001 - whatever it is, it is told, and the other books go on
            self._log("work", book=name, fault=type(cause).__name__)
        return _REST_SECONDS

    def _worked(self, name: str, book: Book) -> bool:
        report = book.process_pending(limit=1)
        worked = report.done + report.failed + report.dead
        if worked:
            self._log("work", book=name, done=report.done, failed=report.failed, dead=report.dead, made=report.made)
        return bool(worked)
