"""The book behind the tools, for whoever is to write in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.engine.book import Book
from commonplace.wiring import file_canon, open_book

if TYPE_CHECKING:
    from commonplace.seam.clock import Clock

_FIRST = 1


def opened(url: str, actor: str, clock: Clock, id_start: int) -> Book:
    """The book at this URL. A file that is still to be begun begins with this id (G-a)."""
    scheme, _, folder = url.partition(":")
    if scheme != "jsonl" or id_start == _FIRST:
        return open_book(url, actor=actor, surface="tools", clock=clock, embedder="none", reranker="none")
    from commonplace.engine.scribe import Scribe
    from commonplace.formats.jsonl.format import JsonlFormat

    canon = file_canon(folder, JsonlFormat(id_start), timeout=settings.BUSY_TIMEOUT_SECONDS)
    return Book(Scribe(canon, actor=actor, surface="tools", clock=clock))
