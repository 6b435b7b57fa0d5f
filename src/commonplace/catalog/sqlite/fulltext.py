"""Full text: FTS5 over title, summary, content and extra words, and a small one for the fresh memories.

Here is how the indexes are kept; `lexical.py` is how they are asked.
"""

from __future__ import annotations

from typing import Any

import apsw

from commonplace.model.record import MemoryRecord
from commonplace.model.terms import index_terms

COLUMNS = "title, summary, content, terms"
TOKENIZER = "porter unicode61 remove_diacritics 2"
# Title counts four times, summary twice: both are chosen words.
WEIGHTS = (4.0, 2.0, 1.0, 1.0)
_INSERT = f"INSERT INTO memories_fts (rowid, {COLUMNS})"
_DELETE = f"INSERT INTO memories_fts (memories_fts, rowid, {COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?)"
_NOTE = "UPDATE memories SET terms = ? WHERE n = ?"


def take_in(db: apsw.Connection, upto: int) -> None:
    _note_terms(db, upto)
    db.execute(f"{_INSERT} SELECT n, {COLUMNS} FROM memories WHERE n > ?", (upto,))


def changed(db: apsw.Connection, n: int, before: MemoryRecord, after: MemoryRecord | None) -> None:
    old, new = _words(before), _words(after) if after else None
    if old == new:
        return
    # As they were stored, not as we would make them today: the index must forget exactly what it was told.
    stored = db.execute("SELECT terms FROM memories WHERE n = ?", (n,)).get
    db.execute(_DELETE, (n, *old, stored))
    if new is not None:
        terms = index_terms(*new)
        if terms != stored:
            db.execute(_NOTE, (terms, n))
        db.execute(f"{_INSERT} VALUES (?, ?, ?, ?, ?)", (n, *new, terms))


def _words(record: MemoryRecord) -> tuple[str | None, ...]:
    return (record.title, record.summary, record.content)


def rebuild(db: apsw.Connection) -> None:
    db.execute("UPDATE memories SET terms = NULL WHERE terms IS NOT NULL")
    _note_terms(db, 0)
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")


def _note_terms(db: apsw.Connection, upto: int) -> None:
    """Those of the memories behind `upto` that need extra words get them."""
    noted = []
    for n, *texts in _texts(db, upto):
        terms = index_terms(*texts)
        if terms is not None:
            noted.append((terms, n))
    db.executemany(_NOTE, noted)


def _texts(db: apsw.Connection, upto: int) -> list[tuple[Any, ...]]:
    asked = "SELECT n, title, summary, content FROM memories WHERE n > ?"
    try:
        return db.execute(asked, (upto,)).fetchall()
    except UnicodeDecodeError:  # a damaged row must not keep the others out of the index
        raw = "SELECT n, CAST(title AS BLOB), CAST(summary AS BLOB), CAST(content AS BLOB) FROM memories WHERE n > ?"
        return [
            (n, *(text and text.decode("utf-8", "replace") for text in texts)) for n, *texts in db.execute(raw, (upto,))
        ]


def gather_fresh(db: apsw.Connection, upto: int) -> None:
    """An index of the fresh memories alone, in this connection's own memory."""
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.fresh_fts USING fts5 ({COLUMNS}, tokenize = '{TOKENIZER}')")
    db.execute("DELETE FROM temp.fresh_fts")
    rows = [(*row, index_terms(*row[1:])) for row in _texts(db, upto)]
    db.executemany(f"INSERT INTO temp.fresh_fts (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?)", rows)
