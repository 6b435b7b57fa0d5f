"""The library's way in, `commonplace.open`: the book is opened in this process, with or without a daemon that serves it too.

The answers are the same: both stand on the book's own locks. The one thing to do for the daemon is that it comes back if it was
killed, as with every other way in.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from commonplace import wiring

if TYPE_CHECKING:
    from commonplace.engine.book import Book


@wraps(wiring.open_book)
def open_book(url: str | None = None, **options: Any) -> Book:
    from commonplace.surfaces.http.client import look_after

    look_after(url or wiring.configured_url())
    return wiring.open_book(url, **options)
