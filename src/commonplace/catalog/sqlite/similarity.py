"""How near are these memories to a vector, and how near is a memory that has nothing to do with it?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from commonplace.catalog.sqlite import at_hand, held, vectors
from commonplace.catalog.sqlite.comparing import Probe
from commonplace.seam.terms import Hits

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.at_hand import AtHand

# How many vectors stand for all of them. The mean of so many is sure to about a twentieth of their spread.
_SAMPLE = 400
_FEWEST = 8
_KEPT_SAMPLES = 8
_CURRENT = (
    "SELECT j.value FROM json_each(?) AS j CROSS JOIN memories AS m ON m.n = j.value"
    f" CROSS JOIN memory_vectors AS v ON v.key = ? + j.value WHERE v.fingerprint = substr(m.fingerprint, -{at_hand.STAMP})"
)


class Sample(NamedTuple):
    """Vectors of some memories, and the span of numbers that they stand for."""

    passages: vectors.Passages
    first: int
    reach: int


def of(
    db: apsw.Connection, hand: AtHand, model: vectors.Model | None, vector: vectors.Floats, places: Sequence[int]
) -> Hits:
    """The cosine of the best passage of each of these; those without vectors of their present words are left out."""
    names = partial(hand.names_of, db)
    if model is None or not places:
        return Hits([], [], names)
    known, question = held.known(model), vectors.asked(model, vector)
    near = known.some(question, places) if known else compared(vectors.of(db, model.number, places), question)
    still = [*compress(range(len(near.numbers)), current(db, hand, model, near.numbers))]
    return Hits([near.numbers[at] for at in still], [near.scores[at] for at in still], names, near.passages_of(still))


def compared(rows: Sequence[vectors.Row], question: Probe) -> vectors.Near:
    """In the order given. A row that is damaged cannot be compared, and is left out; `doctor` names it."""
    whole = _whole(rows, len(question.unit))
    if not whole:
        return vectors.Near([], [], None)
    passages = vectors.side_by_side([row[2] for row in whole], len(question.unit))
    cosines = passages.cosines(question)
    best = passages.best(cosines)
    which = None if passages.starts is None else passages.which(cosines, best)
    return vectors.Near(best.tolist(), [row[0] for row in whole], which)


def current(db: apsw.Connection, hand: AtHand, model: vectors.Model, numbers: Sequence[int]) -> Sequence[int]:
    """Of each of these: were its vectors made of its present words? No others count (A45)."""

    def find(missing: list[int]) -> list[int]:
        rows: Any = db.execute(_CURRENT, (msgspec.json.encode(missing).decode(), vectors.key_of(model.number, 0)))
        return [n for (n,) in rows]

    return at_hand.told(hand.current_in(model.state), numbers, find)


def vectors_of(
    db: apsw.Connection, hand: AtHand, model: vectors.Model | None, places: Sequence[int]
) -> dict[int, vectors.Floats]:
    """The vectors of every passage, memory by memory."""
    if model is None or not places:
        return {}
    rows = _whole(vectors.of(db, model.number, places), model.dimensions)
    still = current(db, hand, model, [n for n, _, _ in rows])
    return {n: vectors.unpack(blob, model.dimensions) for n, _, blob in compress(rows, still)}


def _whole(rows: Sequence[vectors.Row], dimensions: int) -> list[vectors.Row]:
    return [row for row in rows if vectors.is_whole(row[2], dimensions)]


def background(db: apsw.Connection, model: vectors.Model | None, vector: vectors.Floats) -> tuple[float, float] | None:
    """Mean and spread of the cosines of a sample of the book; None if there are too few to tell."""
    sample = _sample(db, model) if model else None
    if model is None or sample is None:
        return None
    passages = sample.passages
    scores = passages.best(passages.cosines(vectors.asked(model, vector)))
    return float(scores.mean()), float(max(scores.std(), 1e-3))


def _sample(db: apsw.Connection, model: vectors.Model) -> Sample | None:
    """Memories that lie evenly among the first 2^k, for the greatest k the book has reached; None of too few.

    So new ones hardly ever change it, and the same question gets the same answer.
    """
    try:
        return _samples[model.state]
    except KeyError:
        found = _read_sample(db, model)
    return _keep(model.state, found)


def _keep(state: int, sample: Sample | None) -> Sample | None:
    if len(_samples) >= _KEPT_SAMPLES:
        _samples.clear()
    _samples[state] = sample
    return sample


def follow(before: int, after: int, added: Sequence[int]) -> None:
    """The state `after` is `before` with vectors of these memories: whoever lies behind the sample's span is not in it."""
    was = _samples.get(before)
    if was and added and was.first + was.reach < min(added) and max(added) - was.first + 1 < 2 * was.reach:
        _keep(after, was)


def _read_sample(db: apsw.Connection, model: vectors.Model) -> Sample | None:
    base, end = vectors.key_of(model.number, 0), vectors.key_of(model.number + 1, 0)
    span: Any = db.execute(
        "SELECT min(key), max(key) FROM memory_vectors WHERE key > ? AND key < ?", (base, end)
    ).fetchone()
    first, last = span
    if first is None:
        return None
    reach = 1 << ((last - first + 1).bit_length() - 1)
    found: dict[int, bytes] = {}
    for target in dict.fromkeys(first + reach * at // _SAMPLE for at in range(_SAMPLE)):
        row: Any = db.execute(
            "SELECT key, CAST(vectors AS BLOB) FROM memory_vectors WHERE key BETWEEN ? AND ? ORDER BY key LIMIT 1",
            (target, first + reach),
        ).fetchone()
        if row and vectors.is_whole(row[1], model.dimensions):
            found[row[0] - base] = row[1]
    if len(found) < _FEWEST:
        return None
    several = vectors.side_by_side([*found.values()], model.dimensions)
    return Sample(several, first - base, reach)


_samples: dict[int, Sample | None] = {}
"""By the state of a model's vectors: it changes with every change of them."""
