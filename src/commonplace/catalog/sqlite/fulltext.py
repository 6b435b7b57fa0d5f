"""Full text: which memories hold these words?

To put one memory into the index costs as much as to save it, to put sixty costs little more. So the newest few memories,
the fresh ones, wait beside the index and are taken in together. A search takes them in first; where it cannot, because
somebody is writing or the medium is read-only, it looks through the fresh ones by itself. Either way what was saved is
found at once.
"""

from __future__ import annotations

from typing import Any

import apsw

# How many may wait. More would make saving no cheaper, and a search that must look through them slower.
FRESH = 64

_INSERT = "INSERT INTO memories_fts (rowid, title, summary, content)"
_DELETE = "INSERT INTO memories_fts (memories_fts, rowid, title, summary, content) VALUES ('delete', ?, ?, ?, ?)"
_TAKE_IN = f"{_INSERT} SELECT n, title, summary, content FROM memories WHERE n > ?"
# Title counts four times, summary twice: both are chosen words.
_WEIGHTS = "4.0, 2.0, 1.0"
TOKENIZER = "porter unicode61 remove_diacritics 2"


def indexed_upto(db: apsw.Connection) -> int:
    """The last memory the index knows."""
    return int(db.execute("SELECT value FROM book WHERE key = 'indexed_upto'").get)


def added(db: apsw.Connection, n: int) -> None:
    """After memory `n` was added: take the fresh ones in when enough of them wait."""
    upto = indexed_upto(db)
    if n - upto >= FRESH:
        take_in(db, upto)


def take_in(db: apsw.Connection, upto: int) -> None:
    db.execute(_TAKE_IN, (upto,))
    _remember(db)


def _remember(db: apsw.Connection) -> None:
    db.execute("UPDATE book SET value = (SELECT coalesce(max(n), 0) FROM memories) WHERE key = 'indexed_upto'")


def has_fresh(db: apsw.Connection) -> bool:
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM memories WHERE n > ?)", (indexed_upto(db),)).get)


def changed(db: apsw.Connection, n: int, before: tuple[Any, ...], after: tuple[Any, ...] | None) -> None:
    """The words of memory `n` changed, or with `after` None are gone: (title, summary, content) each."""
    if n > indexed_upto(db):
        return
    db.execute(_DELETE, (n, *before))
    if after is not None:
        db.execute(f"{_INSERT} VALUES (?, ?, ?, ?)", (n, *after))


def rebuild(db: apsw.Connection) -> None:
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
    _remember(db)


def search(
    db: apsw.Connection, words: tuple[str, ...], columns: str, condition: str, values: list[Any], limit: int
) -> list[tuple[Any, ...]]:
    """Rows of `columns` with the cost as the last one, cheapest first; ties by id."""
    # Each word is quoted, so nothing in it is syntax.
    asked = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    found = _match(db, "memories_fts", asked, columns, condition, values, limit)
    if has_fresh(db):
        _gather_fresh(db)
        found += _match(db, "fresh_fts", asked, columns, condition, values, limit)
        found.sort(key=lambda row: (row[-1], row[0]))
    return found[:limit]


def _match(
    db: apsw.Connection, index: str, asked: str, columns: str, condition: str, values: list[Any], limit: int
) -> list[tuple[Any, ...]]:
    rows = db.execute(
        f"SELECT {columns}, bm25({index}, {_WEIGHTS}) AS cost FROM {index} CROSS JOIN memories ON memories.n = {index}.rowid"
        f" WHERE {index} MATCH ? AND {condition} ORDER BY cost, memories.id LIMIT ?",
        (asked, *values, limit),
    )
    return rows.fetchall()


def _gather_fresh(db: apsw.Connection) -> None:
    """An index of the fresh memories alone, in this connection's own memory."""
    db.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.fresh_fts USING fts5 (title, summary, content, tokenize = '{TOKENIZER}')"
    )
    db.execute("DELETE FROM temp.fresh_fts")
    upto = indexed_upto(db)
    db.execute(
        "INSERT INTO temp.fresh_fts (rowid, title, summary, content)"
        " SELECT n, title, summary, content FROM main.memories WHERE n > ?",
        (upto,),
    )
