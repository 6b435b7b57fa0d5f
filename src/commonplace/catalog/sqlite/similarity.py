"""How near are these memories to a vector, and how near is a memory that has nothing to do with it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from commonplace.catalog.sqlite import held, vectors
from commonplace.seam.terms import Hit

# How many vectors stand for all of them. The mean of so many is sure to about a twentieth of their spread.
_SAMPLE = 400
_FEWEST = 8
_KEPT_SAMPLES = 8


def of(db: apsw.Connection, name: str, vector: vectors.Floats, places: Sequence[int]) -> list[Hit]:
    """The cosine of the best passage of each of these; those without vectors of their present words are left out."""
    model = vectors.model_of(db, name)
    if model is None or not places:
        return []
    numbers, stamps, several = _read(db, model, places)
    if not numbers:
        return []
    ids = _ids(db, numbers)
    cosines = several.cosines(vectors.asked(model, vector))
    best = several.best(cosines)
    return [
        Hit(ids[n][0], n, score, passage)
        for n, stamp, score, passage in zip(numbers, stamps, best.tolist(), several.which(cosines, best), strict=True)
        if n in ids and ids[n][1] == stamp
    ]


def _read(
    db: apsw.Connection, model: vectors.Model, places: Sequence[int]
) -> tuple[list[int], list[str], vectors.Passages]:
    """Numbers, stamps and passages of those that have vectors: from memory if they are there."""
    known = held.known(model)
    if known is not None:
        return known.some(places)
    rows = _whole(vectors.of(db, model.number, places), model)
    blobs = [row[2] for row in rows]
    return [row[0] for row in rows], [row[1] for row in rows], vectors.side_by_side(blobs, model.dimensions)


def passages(db: apsw.Connection, name: str, asked: Sequence[tuple[int, int]]) -> dict[int, vectors.Floats]:
    """The vector of one passage of each of these memories, by its place."""
    model = vectors.model_of(db, name)
    if model is None:
        return {}
    number = dict(asked)
    rows = _whole(vectors.of(db, model.number, [*number]), model)
    several = {n: vectors.unpack(blob, model.dimensions) for n, _, blob in rows}
    return {n: found[min(number[n], len(found) - 1)] for n, found in several.items()}


def _whole(rows: list[tuple[int, str, bytes]], model: vectors.Model) -> list[tuple[int, str, bytes]]:
    return [row for row in rows if vectors.is_whole(row[2], model.dimensions)]


def _ids(db: apsw.Connection, places: list[int]) -> dict[int, tuple[str, str]]:
    rows: Any = db.execute(
        f"SELECT n, id, substr(fingerprint, -{vectors.STAMP}) FROM memories WHERE n IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(places).decode(),),
    )
    return {n: (id, stamp) for n, id, stamp in rows}


def background(db: apsw.Connection, name: str, vector: vectors.Floats) -> tuple[float, float] | None:
    """Mean and spread of the cosines of a sample of the book; None if there are too few to tell."""
    model = vectors.model_of(db, name)
    sample = _sample(db, model) if model else None
    if model is None or sample is None:
        return None
    scores = sample.best(sample.cosines(vectors.asked(model, vector)))
    return float(scores.mean()), float(max(scores.std(), 1e-3))


def _sample(db: apsw.Connection, model: vectors.Model) -> vectors.Passages | None:
    """Vectors of memories that lie evenly among the first 2^k, for the greatest k the book has reached; None of too few.

    So new ones hardly ever change it, and the same question gets the same answer.
    """
    if model.state not in _samples:
        if len(_samples) >= _KEPT_SAMPLES:
            _samples.clear()
        blobs = _read_sample(db, model)
        _samples[model.state] = None if len(blobs) < _FEWEST else vectors.side_by_side(blobs, model.dimensions)
    return _samples[model.state]


def _read_sample(db: apsw.Connection, model: vectors.Model) -> list[bytes]:
    base, end = vectors.key_of(model.number, 0), vectors.key_of(model.number + 1, 0)
    span: Any = db.execute(
        "SELECT min(key), max(key) FROM memory_vectors WHERE key > ? AND key < ?", (base, end)
    ).fetchone()
    first, last = span
    if first is None:
        return []
    reach = 1 << ((last - first + 1).bit_length() - 1)
    found: dict[int, bytes] = {}
    for target in dict.fromkeys(first + reach * at // _SAMPLE for at in range(_SAMPLE)):
        row: Any = db.execute(
            "SELECT key, CAST(vectors AS BLOB) FROM memory_vectors WHERE key BETWEEN ? AND ? ORDER BY key LIMIT 1",
            (target, first + reach),
        ).fetchone()
        if row and vectors.is_whole(row[1], model.dimensions):
            found[row[0]] = row[1]
    return [*found.values()]


_samples: dict[int, vectors.Passages | None] = {}
"""By the state of a model's vectors: it changes with every change of them."""
