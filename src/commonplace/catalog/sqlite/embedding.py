"""Which memories wait for their vectors, and how they get them.

A save writes nothing for this. Each model has a mark, `upto`: memories behind it wait. A memory before the mark whose words
change, or that comes back from being deleted, is noted in the same transaction that changes it, so none is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from commonplace.catalog.sqlite import schema
from commonplace.catalog.sqlite.driver import run
from commonplace.catalog.sqlite.rows import MEMORIES
from commonplace.errors import InvalidError
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.vectors import Floats, Model, Row

Entry = tuple[str, str, "Floats"]

# Without vectors of this model and of these words. Bound: model.
_WAITS = (
    "status <> 'deleted' AND NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.key = (?1 << 40) + memories.n"
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
    renamed = before.title != after.title
    if renamed:  # vectors are made of the title too, and the stamp beside them does not know it
        erase(db, n)
    if back or renamed or before.fingerprint != after.fingerprint:
        db.execute("INSERT OR IGNORE INTO vectors_wanted SELECT model, ? FROM vector_models WHERE upto >= ?", (n, n))


def keep(db: apsw.Connection, name: str, entries: Sequence[Entry]) -> None:
    """Keep these vectors, but not those of memories that changed or vanished since they were read."""
    if not entries:
        return
    from commonplace.catalog.sqlite import vectors

    model = _model(db, name, entries)
    kept = [*_still_true(db, model, entries)]
    stored = [(n, stamp, vectors.pack(rows)) for n, stamp, rows in kept]
    db.executemany(
        "INSERT OR REPLACE INTO memory_vectors VALUES (?, ?, ?)",
        [(vectors.key_of(model.number, n), stamp, blob) for n, stamp, blob in stored],
    )
    db.executemany("DELETE FROM vectors_wanted WHERE model = ? AND n = ?", [(model.number, n) for n, _, _ in kept])
    _code(db, model, [(n, rows) for n, _, rows in kept])
    _move_on(db, model.number, model.upto)
    _carry_over(db, model, name, stored)


def _carry_over(db: apsw.Connection, before: Model, name: str, stored: list[Row]) -> None:
    """What was held in memory of these vectors goes on with the new ones."""
    from commonplace.catalog.sqlite import held, similarity, vectors

    after = vectors.model_of(db, name)
    if after is not None and after.centre == before.centre:
        held.follow(before.state, after.state, after.dimensions, stored)
        similarity.follow(before.state, after.state, [n for n, _, _ in stored])


def drop(db: apsw.Connection, name: str | None) -> None:
    """Forget all vectors of one model, or of all."""
    for (number,) in db.execute("SELECT model FROM vector_models WHERE name = ?1 OR ?1 IS NULL", (name,)).fetchall():
        db.execute("DELETE FROM memory_vectors WHERE key > ?1 << 40 AND key < (?1 + 1) << 40", (number,))
        for table in ("vector_codes", "vectors_wanted", "vector_models"):
            db.execute(f"DELETE FROM {table} WHERE model = ?", (number,))


def cut(db: apsw.Connection) -> str | None:
    """In which way the passages were cut that the vectors were made of."""
    way: Any = db.execute("SELECT value FROM book WHERE key = 'cut'").get
    return way if way is None else str(way)


def recut(db: apsw.Connection, way: str, has_several: Callable[[str], bool]) -> None:
    """If it is another way, memories that had several passages, or have now, lose their vectors and wait for new ones."""
    if cut(db) == way:
        return
    told: Iterator[Any] = db.execute("SELECT n, content FROM memories WHERE typeof(content) = 'text'")
    now = {n for n, content in told if has_several(content)}  # one at a time: a book need not fit into memory
    models: list[Any] = db.execute("SELECT model, dimensions FROM vector_models").fetchall()
    for number, dimensions in models:
        _forget(db, number, now | _several(db, number, dimensions))
        recode(db, number, dimensions)
    db.execute("INSERT OR REPLACE INTO book VALUES ('cut', ?)", (way,))


def _several(db: apsw.Connection, number: int, dimensions: int) -> set[int]:
    """Whose vectors are of more than one passage, as far as anybody can tell."""
    from commonplace.catalog.sqlite import vectors

    rows = vectors.all_of(db, number)
    return {
        n for n, _, one in rows if not (vectors.is_whole(one, dimensions) and vectors.passages_in(one, dimensions) == 1)
    }


def _forget(db: apsw.Connection, number: int, memories: set[int]) -> None:
    """These wait for new vectors of this model."""
    bound = [(number, n) for n in sorted(memories)]
    db.executemany("DELETE FROM memory_vectors WHERE key = (?1 << 40) + ?2", bound)
    db.executemany(
        "INSERT OR IGNORE INTO vectors_wanted SELECT ?1, ?2 FROM vector_models WHERE model = ?1 AND upto >= ?2", bound
    )


def erase(db: apsw.Connection, n: int) -> None:
    """Destroy whatever was made of memory `n`."""
    models: list[Any] = db.execute("SELECT model, dimensions, centre FROM vector_models").fetchall()
    for number, dimensions, centre in models:
        db.execute("DELETE FROM memory_vectors WHERE key = (? << 40) + ?", (number, n))
        db.execute("DELETE FROM vectors_wanted WHERE model = ? AND n = ?", (number, n))
        db.execute("UPDATE vector_models SET state = random() WHERE model = ?", (number,))
        if centre is not None:
            from commonplace.catalog.sqlite import codes

            codes.forget(db, number, dimensions, n)


def _place(db: apsw.Connection, name: str) -> tuple[int, int]:
    """The model's number and mark; a model that the book does not know has everything before it."""
    return db.execute("SELECT model, upto FROM vector_models WHERE name = ?", (name,)).fetchone() or (0, 0)


def _model(db: apsw.Connection, name: str, entries: Sequence[Entry]) -> Model:
    from commonplace.catalog.sqlite import vectors

    model = vectors.model_of(db, name)
    if model is None:
        dimensions = entries[0][2].shape[1]
        db.execute("INSERT INTO vector_models VALUES (NULL, ?, ?, 0, 0, random(), NULL)", (name, dimensions))
        model = vectors.model_of(db, name)
    assert model is not None
    return model


def _still_true(db: apsw.Connection, model: Model, entries: Sequence[Entry]) -> Iterator[tuple[int, str, Floats]]:
    """Of these, those that are of a memory's present words and not kept yet: number, stamp, vectors."""
    from commonplace.catalog.sqlite import vectors

    for id, fingerprint, rows in entries:
        if rows.ndim != 2 or rows.shape[1] != model.dimensions or not len(rows):
            raise InvalidError(f"vectors of this model must be passages x {model.dimensions}")
        found = db.execute(
            f"SELECT n FROM memories WHERE id = ?2 AND fingerprint = ?3 AND {_WAITS}", (model.number, id, fingerprint)
        ).get
        if found is not None:
            yield found, vectors.stamp_of(fingerprint), rows


def _code(db: apsw.Connection, model: Model, kept: list[tuple[int, Floats]]) -> None:
    """New vectors get codes, as soon as there are enough vectors for codes."""
    import numpy as np

    from commonplace.catalog.sqlite import codes

    count = model.vectors + sum(len(rows) for _, rows in kept)
    db.execute("UPDATE vector_models SET vectors = ?, state = random() WHERE model = ?", (count, model.number))
    if model.centre is None and count >= codes.ENOUGH:
        recode(db, model.number, model.dimensions)
    elif model.centre is not None and kept:
        numbers = np.repeat([n for n, _ in kept], [len(rows) for _, rows in kept])
        centre = np.frombuffer(model.centre, dtype=np.float32)
        new = codes.encode(numbers, np.concatenate([rows for _, rows in kept]), centre)
        codes.add(db, model.number, model.dimensions, new)


def recode(db: apsw.Connection, number: int, dimensions: int) -> None:
    """All codes of a model anew, from its vectors alone. The first of them say where the centre is."""
    import numpy as np

    from commonplace.catalog.sqlite import codes, vectors

    db.execute("DELETE FROM vector_codes WHERE model = ?", (number,))
    centre, count = None, 0
    for numbers, rows in vectors.in_groups(db, number, dimensions, codes.ENOUGH):
        count += len(rows)
        if centre is None and len(rows) >= codes.ENOUGH:
            centre = rows.mean(axis=0)
        if centre is not None:
            codes.add(db, number, dimensions, codes.encode(numbers, rows, centre))
    stored = None if centre is None else centre.astype(np.float32).tobytes()
    db.execute(
        "UPDATE vector_models SET vectors = ?, centre = ?, state = random() WHERE model = ?", (count, stored, number)
    )


def rebuild(db: apsw.Connection) -> None:
    """Codes anew from the vectors; vectors that are damaged or nobody's go, and their memories wait for new ones."""
    run(db, schema.VECTORS)
    models: list[Any] = db.execute("SELECT model, dimensions FROM vector_models").fetchall()
    run(db, "DELETE FROM memory_vectors WHERE key >> 40 NOT IN (SELECT model FROM vector_models)")
    run(db, "DELETE FROM memory_vectors WHERE key & ((1 << 40) - 1) NOT IN (SELECT n FROM memories)")
    run(db, "DELETE FROM vector_codes WHERE model NOT IN (SELECT model FROM vector_models)")
    for number, dimensions in models:
        db.executemany("DELETE FROM memory_vectors WHERE key = ?", [*_damaged(db, number, dimensions)])
        recode(db, number, dimensions)
        _move_on(db, number, 0)


def is_sound(db: apsw.Connection) -> bool:
    """Has every memory that does not wait its vectors, as they were written, and each of those its code?"""
    models: list[Any] = db.execute("SELECT model, dimensions, upto, centre IS NULL FROM vector_models").fetchall()
    for number, dimensions, upto, few in models:
        missing = (
            f"SELECT n FROM memories WHERE n <= ?2 AND {_WAITS} EXCEPT SELECT n FROM vectors_wanted WHERE model = ?1"
        )
        strays = "SELECT key & ((1 << 40) - 1) FROM memory_vectors WHERE key >> 40 = ?1 EXCEPT SELECT n FROM memories"
        if db.execute(missing, (number, upto)).get or db.execute(strays, (number,)).get:
            return False
        if any(_damaged(db, number, dimensions)) or not (few or _all_coded(db, number, dimensions)):
            return False
    return True


def _damaged(db: apsw.Connection, number: int, dimensions: int) -> Iterator[tuple[int]]:
    """The keys of vectors that are not what was written."""
    from commonplace.catalog.sqlite import vectors

    for row in vectors.all_of(db, number):
        if not vectors.is_whole(row[2], dimensions):
            yield (vectors.key_of(number, row[0]),)


def _all_coded(db: apsw.Connection, number: int, dimensions: int) -> bool:
    from commonplace.catalog.sqlite import codes, vectors

    return codes.is_sound(db, number, dimensions, (row[0] for row in vectors.all_of(db, number)))


def _move_on(db: apsw.Connection, number: int, upto: int) -> None:
    """The mark goes to the last memory before the first that still waits; what no longer waits is no longer wanted."""
    db.execute(f"DELETE FROM vectors_wanted WHERE model = ?1 AND n NOT IN (SELECT w.n {_WANTED})", (number,))
    first = db.execute(f"SELECT n {_BEHIND} ORDER BY n LIMIT 1", (number, upto)).get
    last = first - 1 if first else db.execute("SELECT coalesce(max(n), 0) FROM memories").get
    db.execute("UPDATE vector_models SET upto = ? WHERE model = ?", (last, number))
