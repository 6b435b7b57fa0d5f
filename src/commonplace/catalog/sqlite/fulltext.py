"""Full text: FTS5 over title, summary, content and extra words, and a small one for the fresh memories.

Here is how the indexes are kept; `lexical.py` is how they are asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw
import msgspec

from commonplace.catalog.sqlite import schema
from commonplace.catalog.sqlite.driver import run
from commonplace.model.record import MemoryRecord
from commonplace.model.terms import index_terms

COLUMNS = "title, summary, content, terms"
TOKENIZER = "porter unicode61 remove_diacritics 2"
# Title counts four times, summary twice: both are chosen words.
WEIGHTS = (4.0, 2.0, 1.0, 1.0)
SQL_WEIGHTS = ", ".join(str(weight) for weight in WEIGHTS)
_INSERT = f"INSERT INTO memories_fts (rowid, {COLUMNS})"
_DELETE = f"INSERT INTO memories_fts (memories_fts, rowid, {COLUMNS}) VALUES ('delete', ?, ?, ?, ?, ?)"
_GROUP = 1_000
_NOTE = "UPDATE memories SET terms = ? WHERE n = ?"


def among(numbers: Sequence[int] | None) -> tuple[str, tuple[Any, ...]]:
    """The end of a question to an index, for these memories alone; nothing for None. They may all lie close together: a new
    project's are the newest. Also for nobody the index is asked, so that it says if it cannot be."""
    if not numbers:
        return ("" if numbers is None else " AND 0"), ()
    given = msgspec.json.encode(numbers).decode()
    bound = (min(numbers), max(numbers), given)
    return " AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?))", bound


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
    """Anew from the memories alone, even if nothing of it is left."""
    try:
        run(db, schema.FULL_TEXT + "INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')")
    except (apsw.SQLError, apsw.CorruptError):
        run(db, "DROP TABLE IF EXISTS memories_fts;" + schema.FULL_TEXT)
    db.execute("UPDATE memories SET terms = NULL WHERE terms IS NOT NULL")
    _note_terms(db, 0)
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")


def is_sound(db: apsw.Connection, upto: int) -> bool:
    """Are these the extra words that the memories inside the index need, and does the index hold what the memories hold?

    Must be called inside a transaction that is undone afterwards: to be compared, the index must know the fresh ones too.
    """
    for group in _groups(db, 0):
        if any(n <= upto and terms != index_terms(*texts) for n, *texts, terms in group):
            return False
    take_in(db, upto)
    try:
        run(db, "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError:
        return False
    return True


def _note_terms(db: apsw.Connection, upto: int) -> None:
    """Those of the memories behind `upto` that need extra words get them."""
    for group in _groups(db, upto):
        needed = ((index_terms(*texts), n) for n, *texts, _ in group)
        db.executemany(_NOTE, [(terms, n) for terms, n in needed if terms is not None])


def _groups(db: apsw.Connection, upto: int) -> Iterator[list[tuple[Any, ...]]]:
    """Number, texts and extra words of the memories behind `upto`, some at a time."""
    while group := _texts(db, upto, _GROUP):
        yield group
        upto = group[-1][0]


def _texts(db: apsw.Connection, upto: int, most: int) -> list[tuple[Any, ...]]:
    behind = f"FROM memories WHERE n > {int(upto)} ORDER BY n LIMIT {int(most)}"
    try:
        return db.execute(f"SELECT n, {COLUMNS} {behind}").fetchall()
    except UnicodeDecodeError:  # a damaged row must not keep the others out of the index
        raw = ", ".join(f"CAST({column} AS BLOB)" for column in COLUMNS.split(", "))
        rows: list[Any] = db.execute(f"SELECT n, {raw} {behind}").fetchall()
        return [(n, *(text and text.decode("utf-8", "replace") for text in texts)) for n, *texts in rows]


def gather_fresh(db: apsw.Connection, upto: int) -> None:
    """An index of the fresh memories alone, in this connection's own memory."""
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.fresh_fts USING fts5 ({COLUMNS}, tokenize = '{TOKENIZER}')")
    db.execute("DELETE FROM temp.fresh_fts")
    for group in _groups(db, upto):
        rows = [(n, *texts, index_terms(*texts)) for n, *texts, _ in group]
        db.executemany(f"INSERT INTO temp.fresh_fts (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?)", rows)
