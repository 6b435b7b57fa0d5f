"""Full text: which memories hold these words? FTS5 over title, summary and content, and a small one for the fresh ones."""

from __future__ import annotations

from typing import Any

import apsw

from commonplace.model.record import MemoryRecord

_INSERT = "INSERT INTO memories_fts (rowid, title, summary, content)"
_DELETE = "INSERT INTO memories_fts (memories_fts, rowid, title, summary, content) VALUES ('delete', ?, ?, ?, ?)"
# Title counts four times, summary twice: both are chosen words.
_WEIGHTS = "4.0, 2.0, 1.0"
_TOKENIZER = "porter unicode61 remove_diacritics 2"


def take_in(db: apsw.Connection, upto: int) -> None:
    db.execute(f"{_INSERT} SELECT n, title, summary, content FROM memories WHERE n > ?", (upto,))


def changed(db: apsw.Connection, n: int, before: MemoryRecord, after: MemoryRecord | None) -> None:
    old, new = _words(before), _words(after) if after else None
    if old == new:
        return
    db.execute(_DELETE, (n, *old))
    if new is not None:
        db.execute(f"{_INSERT} VALUES (?, ?, ?, ?)", (n, *new))


def _words(record: MemoryRecord) -> tuple[str | None, ...]:
    return (record.title, record.summary, record.content)


def rebuild(db: apsw.Connection) -> None:
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")


def search(
    db: apsw.Connection, words: tuple[str, ...], columns: str, condition: str, values: list[Any], limit: int, upto: int
) -> list[tuple[Any, ...]]:
    """Rows of `columns` with the cost as the last one, cheapest first; ties by id. Also those behind `upto`."""
    # Each word is quoted, so nothing in it is syntax.
    asked = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    found = _match(db, "memories_fts", asked, columns, condition, values, limit)
    if db.execute("SELECT EXISTS (SELECT 1 FROM memories WHERE n > ?)", (upto,)).get:
        _gather_fresh(db, upto)
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


def _gather_fresh(db: apsw.Connection, upto: int) -> None:
    """An index of the fresh memories alone, in this connection's own memory."""
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.fresh_fts"
        f" USING fts5 (title, summary, content, tokenize = '{_TOKENIZER}')"
    )
    db.execute("DELETE FROM temp.fresh_fts")
    db.execute(
        "INSERT INTO temp.fresh_fts (rowid, title, summary, content)"
        " SELECT n, title, summary, content FROM main.memories WHERE n > ?",
        (upto,),
    )
