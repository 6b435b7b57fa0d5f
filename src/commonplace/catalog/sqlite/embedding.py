"""Which memories wait for their vectors, and how they get them.

A save writes nothing for this. Each model has a mark, `upto`: memories behind it wait. A memory before the mark whose words
change, or that comes back from being deleted, is noted in the same transaction that changes it, so none is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import apsw

from commonplace.catalog.sqlite.rows import MEMORIES
from commonplace.errors import InvalidError
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.vectors import Floats, Model

Entry = tuple[str, str, "Floats"]

# Without vectors of this model and of these words. Bound: model.
_WAITS = (
    "status <> 'deleted' AND NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.model = ?1 AND v.n = memories.n"
    " AND v.fingerprint = substr(memories.fingerprint, -16))"
)
_WANTED = f"FROM vectors_wanted AS w CROSS JOIN memories USING (n) WHERE w.model = ?1 AND {_WAITS}"
_BEHIND = f"FROM memories WHERE n > ?2 AND {_WAITS}"


def waiting(db: apsw.Connection, name: str, limit: int) -> list[MemoryRecord]:
    """At most `limit` of those that wait: first those whose words changed, then in the order the book learnt them."""
    number, upto = _place(db, name)
    rows = db.execute(f"SELECT {MEMORIES.select} {_WANTED} LIMIT ?2", (number, limit)).fetchall()
    if len(rows) < limit:
        rows += db.execute(f"SELECT {MEMORIES.select} {_BEHIND} ORDER BY n LIMIT ?3", (number, upto, limit - len(rows)))
    return [*MEMORIES.readable(rows)]


def count_waiting(db: apsw.Connection, name: str) -> int:
    number, upto = _place(db, name)
    wanted = db.execute(f"SELECT count(*) {_WANTED}", (number,)).get
    behind = db.execute(f"SELECT count(*) {_BEHIND}", (number, upto)).get
    return int(wanted) + int(behind)


def changed(db: apsw.Connection, n: int, before: MemoryRecord, after: MemoryRecord) -> None:
    """Memory `n` has other words, or is no longer deleted: models that were past it must come back to it."""
    back = before.status is Status.DELETED and after.status is not Status.DELETED
    if back or before.fingerprint != after.fingerprint:
        db.execute("INSERT OR IGNORE INTO vectors_wanted SELECT model, ? FROM vector_models WHERE upto >= ?", (n, n))


def keep(db: apsw.Connection, name: str, entries: Sequence[Entry]) -> None:
    """Keep these vectors, but not those of memories that changed or vanished since they were read."""
    if not entries:
        return
    from commonplace.catalog.sqlite import vectors

    model = _model(db, name, entries)
    for n, stamp, rows in _still_true(db, entries):
        if rows.shape[1:] != (model.dimensions,):
            raise InvalidError(f"a vector of {name} must have {model.dimensions} dimensions")
        db.execute(
            "INSERT OR REPLACE INTO memory_vectors VALUES (?, ?, ?, ?)", (model.number, n, stamp, vectors.pack(rows))
        )
        db.execute("DELETE FROM vectors_wanted WHERE model = ? AND n = ?", (model.number, n))
    _move_on(db, model)


def drop(db: apsw.Connection, name: str | None) -> None:
    """Forget all vectors of one model, or of all."""
    for (number,) in db.execute("SELECT model FROM vector_models WHERE name = ?1 OR ?1 IS NULL", (name,)).fetchall():
        for table in ("vector_codes", "vectors_wanted", "memory_vectors", "vector_models"):
            db.execute(f"DELETE FROM {table} WHERE model = ?", (number,))


def erase(db: apsw.Connection, n: int) -> None:
    """Destroy whatever was made of memory `n`."""
    for (number,) in db.execute("SELECT model FROM vector_models").fetchall():
        db.execute("DELETE FROM memory_vectors WHERE model = ? AND n = ?", (number, n))
        db.execute("DELETE FROM vectors_wanted WHERE model = ? AND n = ?", (number, n))


def _place(db: apsw.Connection, name: str) -> tuple[int, int]:
    """The model's number and mark; a model that the book does not know has everything before it."""
    return db.execute("SELECT model, upto FROM vector_models WHERE name = ?", (name,)).fetchone() or (0, 0)


def _model(db: apsw.Connection, name: str, entries: Sequence[Entry]) -> Model:
    from commonplace.catalog.sqlite import vectors

    model = vectors.model_of(db, name)
    if model is None:
        dimensions = entries[0][2].shape[1]
        db.execute("INSERT INTO vector_models VALUES (NULL, ?, ?, 0, 0, NULL)", (name, dimensions))
        model = vectors.model_of(db, name)
    assert model is not None
    return model


def _still_true(db: apsw.Connection, entries: Sequence[Entry]) -> Iterator[tuple[int, str, Floats]]:
    from commonplace.catalog.sqlite import vectors

    for id, fingerprint, rows in entries:
        found = db.execute("SELECT n, fingerprint FROM memories WHERE id = ?", (id,)).fetchone()
        if found and found[1] == fingerprint:
            yield found[0], vectors.stamp_of(fingerprint), rows


def _move_on(db: apsw.Connection, model: Model) -> None:
    """The mark goes to the last memory before the first that still waits."""
    first = db.execute(f"SELECT n {_BEHIND} ORDER BY n LIMIT 1", (model.number, model.upto)).get
    last = first - 1 if first else db.execute("SELECT coalesce(max(n), 0) FROM memories").get
    db.execute("UPDATE vector_models SET upto = ? WHERE model = ?", (last, model.number))
