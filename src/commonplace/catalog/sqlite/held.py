"""What is held in memory between two questions, so that the second need not read it again. Little, whatever the book's size.

A model's `state` changes with every change of its vectors, so what is held under a state is right for every view that has
that state, in any thread, for any book. Nothing is held for the first question of a state: a process that asks once, or
saves between any two questions, gains nothing from it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np

from commonplace.catalog.sqlite import codes, vectors

# Up to so many vectors are held as they are and compared one and all.
WHOLE = 16_384
# And of a larger book's codes so many blocks; the rest is read each time.
_BLOCKS = 88
_TOGETHER = 3
# How many states: one for each model in use, and one that is about to be forgotten.
_STATES = 2


class Whole(NamedTuple):
    """All vectors of a model: each passage's memory, its place among the memory's passages, its stamp, scale and bytes."""

    numbers: vectors.Ints
    passages: vectors.Ints
    stamps: list[str]
    scales: vectors.Floats
    codes: Any
    first: dict[int, int]
    """Where each memory's passages begin, by its number."""

    def cosines(self, question: vectors.Floats) -> vectors.Floats:
        """In pieces that a processor's cache holds: four times as fast as all at once."""
        scores = np.empty(len(self.scales), dtype=np.float32)
        size = _PIECE if len(scores) >= codes.ENOUGH else max(len(scores), 1)
        room = np.empty((size, len(question)), dtype=np.float32)
        for start in range(0, len(scores), size):
            piece = self.codes[start : start + size]
            np.copyto(room[: len(piece)], piece)
            np.dot(room[: len(piece)], question, out=scores[start : start + len(piece)])
        scores *= self.scales
        return scores

    def scored(self, which: Any, scores: vectors.Floats) -> list[tuple[float, int, int, str]]:
        """Cosine, number, passage and stamp of these, each memory once, by the first of its passages."""
        columns = (column[which].tolist() for column in (scores, self.numbers, self.passages))
        found: dict[int, tuple[float, int, int, str]] = {}
        for row in zip(*columns, [self.stamps[i] for i in which.tolist()], strict=True):
            found.setdefault(row[1], row)
        return [*found.values()]

    def some(self, places: Sequence[int]) -> tuple[list[int], list[str], vectors.Passages]:
        """Numbers, stamps and passages of those of these memories that have vectors, in the order given."""
        known = [n for n in places if n in self.first]
        first = [self.first[n] for n in known]
        which, starts = first, None
        if len(self.first) < len(self.numbers):
            counts = (np.searchsorted(self.numbers, known, side="right") - first).tolist()
            which = [at + i for at, count in zip(first, counts, strict=True) for i in range(count)]
            starts = vectors.starts_of(counts)
        several = vectors.Passages(self.codes[which], self.scales[which], starts)
        return known, [self.stamps[at] for at in first], several


_PIECE = 1_024
_lock = threading.Lock()
_asked: dict[int, int] = {}
_held: dict[int, Any] = {}


def whole(db: apsw.Connection, model: vectors.Model) -> Whole | None:
    """All vectors of a small model, if they were asked for before in this state."""
    if model.vectors > WHOLE or not _is_asked_again(model.state):
        return None
    if model.state not in _held:
        _hold(model.state, _read(db, model))
    return known(model)


def known(model: vectors.Model) -> Whole | None:
    """All vectors of a small model, if they are held already."""
    found = _held.get(model.state)
    return found if isinstance(found, Whole) else None


def blocks(db: apsw.Connection, model: vectors.Model) -> Iterator[codes.Block]:
    """The model's blocks of codes: the first ones from memory, if they were asked for before in this state."""
    if model.vectors <= WHOLE or not _is_asked_again(model.state):
        yield from (block for _, block in codes.blocks(db, model.number, model.dimensions))
        return
    kept, last = _held.get(model.state, (None, 0))
    yield from kept or ()
    fill = _Filling() if kept is None else None
    for number, block in codes.blocks(db, model.number, model.dimensions, last):
        if fill and fill.takes(block):
            last = number
        yield block
    if fill:
        _hold(model.state, (fill.done(), last))


class _Filling:
    """Blocks on their way into memory. Several become one, which takes fewer calls to go through; the first stays small,
    because from it one learns what is worth a look."""

    def __init__(self) -> None:
        self._done: list[codes.Block] = []
        self._loose: list[codes.Block] = []
        self._room = _BLOCKS

    def takes(self, block: codes.Block) -> bool:
        if not self._room:
            return False
        self._room -= 1
        self._loose.append(block)
        if not self._done or len(self._loose) == _TOGETHER:
            self.done()
        return True

    def done(self) -> list[codes.Block]:
        if self._loose:
            self._done.append(codes.join(self._loose))
            self._loose = []
        return self._done


def _is_asked_again(state: int) -> bool:
    with _lock:
        again = state in _asked
        if not again:
            _asked[state] = 1
            while len(_asked) > 4 * _STATES:
                _asked.pop(next(iter(_asked)))
        return again


def _hold(state: int, what: Any) -> None:
    with _lock:
        _held[state] = what
        while len(_held) > _STATES:
            _held.pop(next(iter(_held)))


def _read(db: apsw.Connection, model: vectors.Model) -> Whole:
    numbers: list[int] = []
    passages: list[int] = []
    stamps: list[str] = []
    raw: list[bytes] = []
    for row in vectors.all_of(db, model.number):
        if vectors.is_whole(row[2], model.dimensions):
            n, stamp, blob = row
            count = vectors.passages_in(blob, model.dimensions)
            numbers += [n] * count
            passages += range(count)
            stamps += [stamp] * count
            raw.append(blob[: count * vectors.layout(model.dimensions).itemsize])
    rows = np.frombuffer(b"".join(raw), dtype=vectors.layout(model.dimensions))
    codes = np.ascontiguousarray(rows["codes"])
    first = {n: at for at, (n, passage) in enumerate(zip(numbers, passages, strict=True)) if not passage}
    return Whole(np.array(numbers), np.array(passages), stamps, rows["scale"].copy(), codes, first)
