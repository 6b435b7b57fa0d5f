"""A book that asks the daemon while one serves it, and its own file while none does: the same methods, answers and errors.

It is opened here only when something has to be done here: the daemon is not there, or the request is one that stays with whoever
asks (`surfaces/elsewhere.py`). Until then this process holds no file of the book (docs/adr/0029).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from commonplace.engine.book import Book
from commonplace.errors import CommonplaceError
from commonplace.guard.trust import channel_of
from commonplace.surfaces.elsewhere import BY_VERB
from commonplace.surfaces.http.client import in_full
from commonplace.surfaces.http.line import Line

if TYPE_CHECKING:
    from commonplace.engine.background import Indexer
    from commonplace.engine.scribe import Request, Scribe

T = TypeVar("T")
_OF_THE_FILE = ("missing", "disk_full", "read_only", "io_error")


class ServedBook(Book):
    """See `Book`. `opener` opens the file itself; it is told where, and whether a book that is not there may be begun."""

    def __init__(
        self, url: str, actor: str, surface: str, opener: Callable[[str, bool], Book], *, create: bool
    ) -> None:
        self._address, self._speaker, self._opener = in_full(url), actor, opener
        self._line = Line(self._address, actor, surface)
        self._here: dict[str, Book] = {}
        self._known_id = ""
        # What is not there yet is begun, or missed, by whoever opens it.
        if not os.path.exists(self._address.partition(":")[2]) or not self._line.is_open():
            self._here["book"] = opener(url, create)

    @property
    def _scribe(self) -> Scribe:  # type: ignore[override]  # read only, and late
        return self._opened()._scribe

    @property
    def url(self) -> str:
        return self._address

    @property
    def id(self) -> str:
        if not self._known_id:
            self._known_id = self._here["book"].id if self._here else self.stats().book_id
        return self._known_id

    @property
    def actor(self) -> str:
        return self._speaker

    @property
    def trust(self) -> str:
        return str(channel_of(self._speaker))

    def index_in_background(self) -> Indexer:
        return self._opened().index_in_background()

    def close(self) -> None:
        self._line.close()
        for book in [*self._here.values()]:
            book.close()

    def _answer(self, verb: Callable[..., T], asked: Request, **extra: Any) -> T:
        operation = None if extra else BY_VERB.get((verb.__module__, verb.__name__))
        try:
            said: T | None = None if operation is None else self._line.ask(operation, asked)
        except CommonplaceError as cause:
            if not cause.where and (cause.kind in ("locked", "corrupt") or cause.code in _OF_THE_FILE):
                cause.where = self._address.partition(":")[2]  # over the wire no path is told
            raise
        return self._opened()._answer(verb, asked, **extra) if said is None else said

    def _opened(self) -> Book:
        """The book in this process. What was there and is gone is missed, not begun anew; and it is where it was, wherever the
        process went meanwhile."""
        if not self._here:
            made = self._opener(self._address, False)
            if self._here.setdefault("book", made) is not made:  # another thread was quicker
                made.close()
        return self._here["book"]
