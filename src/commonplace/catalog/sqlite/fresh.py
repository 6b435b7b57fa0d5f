"""The newest few memories wait beside the indexes and are taken in together.

To put one memory into every index touches as many pages as there are indexes; to put sixty touches hardly more. So a save
writes the memory and its journal entry, and leaves the facets and the full text to the next time that enough of them wait.
Until then lists and searches look through the waiting ones as they are. What was saved is found at once either way.
"""

from __future__ import annotations

import apsw

from commonplace.catalog.sqlite import embedding, facets, fulltext
from commonplace.model.record import MemoryRecord

# How many may wait. More would make saving no cheaper, and lists and searches slower.
MOST = 64
_UPTO = "SELECT CAST(value AS INTEGER) FROM book WHERE key = 'indexed_upto'"


def upto(db: apsw.Connection) -> int:
    """The last memory the indexes know."""
    return int(db.execute(_UPTO).get)


def any_waiting(db: apsw.Connection) -> bool:
    return bool(db.execute(f"SELECT EXISTS (SELECT 1 FROM memories WHERE n > ({_UPTO}))").get)


def added(db: apsw.Connection, first: int, last: int) -> None:
    """After memories `first` to `last` were added: take in whenever enough more are there."""
    if first // MOST != last // MOST or not first % MOST:
        take_in(db, upto(db))


def take_in(db: apsw.Connection, last: int) -> None:
    facets.take_in(db, last)
    fulltext.take_in(db, last)
    _remember(db)


def changed(db: apsw.Connection, n: int, before: MemoryRecord, after: MemoryRecord | None) -> None:
    """Memory `n` became another, or with `after` None is gone."""
    if n <= upto(db):
        facets.changed(db, n, before, after)
        fulltext.changed(db, n, before, after)
    if after is not None:
        embedding.changed(db, n, before, after)


def rebuild(db: apsw.Connection) -> None:
    """All indexes anew, from the memories alone."""
    facets.rebuild(db)
    fulltext.rebuild(db)
    embedding.rebuild(db)
    _remember(db)


def _remember(db: apsw.Connection) -> None:
    db.execute("UPDATE book SET value = (SELECT coalesce(max(n), 0) FROM memories) WHERE key = 'indexed_upto'")
