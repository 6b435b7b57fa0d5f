"""What is held in memory between two questions, so that the second need not read it again. Little, whatever the book's size.

A model's `state` changes with every change of its vectors, so what is held under a state is right for every view that has
that state, in any thread, for any book. Nothing is held for the first question of a state: a process that asks once, or
saves between any two questions, gains nothing from it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from typing import Any

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


class Whole:
    """All vectors of a model, passage by passage."""

    def __init__(self, numbers: list[int], passages: list[int], stamps: list[str], rows: Any) -> None:
        self.numbers, self.passages, self.stamps = np.array(numbers), np.array(passages), stamps
        self._scales, self._codes = rows["scale"].copy(), np.ascontiguousarray(rows["codes"])
        self._first = {n: at for at, (n, passage) in enumerate(zip(numbers, passages, strict=True)) if not passage}
        self._several = len(self._first) < len(numbers)
        self._said: tuple[vectors.Floats | None, Any] = (None, None)
        self._sample: tuple[Any, Any, Any] = (None, None, None)

    def cosines(self, question: vectors.Floats) -> vectors.Floats:
        """Of every passage. The last answer is kept: one search asks several times."""
        asked, said = self._said
        if asked is not question:
            said = self._compared(question)
            self._said = (question, said)
        return said  # type: ignore[no-any-return]

    def _compared(self, question: vectors.Floats) -> vectors.Floats:
        """In pieces that a processor's cache holds: four times as fast as all at once."""
        scores = np.empty(len(self._scales), dtype=np.float32)
        room = np.empty((_PIECE, len(question)), dtype=np.float32)
        for start in range(0, len(scores), _PIECE):
            piece = self._codes[start : start + _PIECE]
            scores[start : start + len(piece)] = vectors.dots(piece, question, room)
        scores *= self._scales
        return scores

    def scored(self, which: Any, scores: vectors.Floats) -> list[tuple[float, int, int, str]]:
        """Cosine, number, passage and stamp of these, each memory once, by the first of its passages."""
        columns = (column[which].tolist() for column in (scores, self.numbers, self.passages))
        rows = zip(*columns, [self.stamps[i] for i in which.tolist()], strict=True)
        if not self._several:
            return [*rows]
        found: dict[int, tuple[float, int, int, str]] = {}
        for row in rows:
            found.setdefault(row[1], row)
        return [*found.values()]

    def best_of(self, question: vectors.Floats, numbers: Sequence[int]) -> vectors.Floats:
        """The best cosine of each of these memories."""
        if self._sample[0] is not numbers:
            rows = [range(self._first[n], self._end_of(n)) for n in numbers]
            self._sample = (numbers, np.concatenate(rows), vectors.starts_of([*map(len, rows)]))
        _, which, starts = self._sample
        scores = self.cosines(question)[which]
        return scores if starts is None else np.maximum.reduceat(scores, starts)

    def _end_of(self, n: int) -> int:
        return int(np.searchsorted(self.numbers, n, side="right"))

    def some(self, question: vectors.Floats, places: Sequence[int]) -> list[tuple[int, str, float, int]]:
        """Number, stamp, best cosine and its passage of those of these memories that have vectors, in the order given."""
        scores, first = self.cosines(question), self._first
        known = [n for n in places if n in first]
        starts = [first[n] for n in known]
        stamps = [self.stamps[at] for at in starts]
        if not self._several:
            return [*zip(known, stamps, scores[starts].tolist(), [0] * len(known), strict=True)]
        ends = np.searchsorted(self.numbers, known, side="right").tolist()
        passages = [int(scores[at:end].argmax()) for at, end in zip(starts, ends, strict=True)]
        best = [float(scores[at + passage]) for at, passage in zip(starts, passages, strict=True)]
        return [*zip(known, stamps, best, passages, strict=True)]


def best(scores: vectors.Numbers, count: int) -> Any:
    """The places of the `count` greatest scores, greatest first; all places if there are not so many."""
    if count >= len(scores):
        return (-scores).argsort(kind="stable")
    likely = _likely(scores, count)
    found = scores[likely]
    if len(likely) > count:
        top = found.argpartition(-count)[-count:]
        likely, found = likely[top], found[top]
    return likely[(-found).argsort(kind="stable")]


def _likely(scores: vectors.Numbers, count: int) -> Any:
    """Places that hold at least the `count` greatest scores. To look for those takes ten times as long in all of them as in
    the few that a sample says are great."""
    sample = np.sort(scores[:: max(len(scores) // _SAMPLE, 1)])
    floor = sample[-min(1 + 2 * count * len(sample) // len(scores), len(sample))]
    likely = (scores >= floor).nonzero()[0]
    return likely if len(likely) >= count else np.arange(len(scores))


_SAMPLE = 600
_PIECE = 512
_lock = threading.Lock()
_asked: dict[int, int] = {}
_held: dict[int, Any] = {}


def _after_fork_in_child() -> None:
    """A thread of the parent may have been inside; in the child there is no such thread to come out again."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_child)


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
    return Whole(numbers, passages, stamps, rows)
