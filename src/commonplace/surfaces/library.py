"""The library's way in, `commonplace.open`: through the daemon while one serves the book, at its file while none does.

What only this process has, a clock, a model or a time limit of its own, keeps it to the file; so does `direct`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from commonplace import settings
from commonplace.guard.trust import channel_of, check_actor
from commonplace.places import configured_url

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.seam.clock import Clock
    from commonplace.seam.embedder import Embedder, Reranker
    from commonplace.seam.extractor import Extractor


def open_book(
    url: str | None = None,
    *,
    actor: str = "operator",
    trust: str | None = None,
    surface: str = "library",
    timeout: float = settings.BUSY_TIMEOUT_SECONDS,
    create: bool = True,
    clock: Clock | None = None,
    embedder: str | Embedder | None = None,
    reranker: str | Reranker | None = None,
    extractor: str | Extractor | None = None,
    briefly: bool = False,
    direct: bool = False,
) -> Book:
    """Open the book at `url`, or the one that is configured. A wrong URL fails; nothing else is opened in its place.

    While the daemon serves this book, it is asked; `direct` keeps to the file. The answers are the same.
    `embedder` and `reranker` name other models than the settings do: `none`, `auto`, a model's name, an address, or
    one of your own that keeps the promise of `seam.embedder`. So may the `extractor`, by that of `seam.extractor`.
    `briefly` is for a process that lives for one question: a book in files is looked at once at most (`formats.brief`).
    """
    where = url or configured_url()
    own = {"clock": clock, "embedder": embedder, "reranker": reranker, "extractor": extractor, "briefly": briefly}

    def opened(url: str, may_begin: bool) -> Book:
        from commonplace.wiring import open_book as at_the_file

        given: dict[str, Any] = {"actor": actor, "trust": trust, "surface": surface, "timeout": timeout, **own}
        return at_the_file(url, create=may_begin, **given)

    if direct:
        return opened(where, create)
    check_actor(actor)
    has_its_own = any(own.values()) or timeout != settings.BUSY_TIMEOUT_SECONDS
    if has_its_own or not _is_granted(actor, trust, surface) or not where.isprintable():
        from commonplace.surfaces.http.client import look_after

        look_after(where)
        return opened(where, create)
    from commonplace.surfaces.served import ServedBook

    return ServedBook(where, actor, surface, opened, create=create)


def _is_granted(actor: str, trust: str | None, surface: str) -> bool:
    """Would the daemon write down the same of whoever asks? A token of this process's own says itself who that is."""
    alike = surface == "library" and trust in (None, str(channel_of(actor)))
    return alike and actor == actor.strip() and not os.environ.get("COMMONPLACE_TOKEN")
