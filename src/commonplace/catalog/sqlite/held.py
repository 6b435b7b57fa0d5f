"""What is held in memory between two questions, so that the second need not read it again. Little, whatever the book's size.

A model's `state` changes with every change of its vectors, so what is held under a state is right for every view that has
that state, in any thread, for any book. Where the first question of a state gets the same answer without it, nothing is held for
that: a process that asks once gains nothing from it. Whoever adds vectors knows what they add to: what was held before is held
after, with them (`follow`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from commonplace.catalog.sqlite import codes, vectors
from commonplace.catalog.sqlite.comparing import Probe, doubt, is_quick, rough_dots

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Up to so many vectors are held as they are and compared one and all, from the first question on.
WHOLE = 16_384
# More than those from the second on, as long as they take no more bytes than this: as much as the codes of a larger book. Where
# bytes cannot be compared as bytes, codes are quicker.
MOST = 46_000_000
_BESIDE = 20
_AT_ONCE = 1_024
# And of a larger book's codes so many blocks; the rest is read each time.
_BLOCKS = 72
_TOGETHER = 3
# How many states: one for each model in use, and one that is about to be forgotten.
_STATES = 2


class Whole:
    """All vectors of a model, passage by passage, in the order of their memories."""

    def __init__(
        self,
        numbers: vectors.Ints,
        passages: vectors.Ints,
        scales: vectors.Floats,
        codes: NDArray[np.int8],
    ) -> None:
        self.numbers, self.passages = numbers, passages
        self._scales, self._codes = scales, codes
        self._several = bool(passages.any())
        self._said: tuple[Probe | None, Any] = (None, None)

    def __len__(self) -> int:
        return len(self.numbers)

    def with_(self, other: Whole) -> Whole:
        """Both together; of a memory that both know, the other's."""
        left = (~np.isin(self.numbers, other.numbers)).nonzero()[0]
        numbers = np.concatenate((self.numbers[left], other.numbers))
        passages = np.concatenate((self.passages[left], other.passages))
        scales = np.concatenate((self._scales[left], other._scales))
        codes = np.concatenate((self._codes[left], other._codes))
        if (np.diff(numbers) < 0).any():
            order = np.lexsort((passages, numbers))
            numbers, passages, scales, codes = numbers[order], passages[order], scales[order], codes[order]
        return Whole(numbers, passages, scales, codes)

    def nearest(self, question: Probe, count: int, among: Any = None) -> tuple[Any, vectors.Floats]:
        """The places of the `count` nearest passages, nearest first, and their cosines; if some places are named, among those."""
        rough = self._rough_cosines(question)
        rough = rough if among is None else rough[among]
        likely = best(rough, count)
        if len(likely):
            likely = (rough >= rough[likely[-1]] - 2 * doubt(question)).nonzero()[0]
        places = likely if among is None else among[likely]
        cosines = self._these(places).cosines(question)
        top = best(cosines, count)
        return places[top], cosines[top]

    def _rough_cosines(self, question: Probe) -> vectors.Floats:
        """Of every passage. The last answer is kept: who is asked for more asks again."""
        asked, said = self._said
        if asked is not question:
            said = rough_dots(self._codes, question) * self._scales
            self._said = (question, said)
        return said  # type: ignore[no-any-return]

    def _these(self, places: Any, starts: vectors.Ints | None = None) -> vectors.Passages:
        return vectors.Passages(self._codes.take(places, axis=0), self._scales.take(places), starts)

    def compared(self, which: vectors.Ints, cosines: vectors.Floats) -> vectors.Near:
        """What these passages, nearest first, say of their memories: of each its first."""
        if self._several:
            numbers = self.numbers[which]
            first = np.sort(np.unique(numbers, return_index=True)[1])
            which, cosines = which[first], cosines[first]
        return self._near(which, cosines)

    def _near(self, which: vectors.Ints, cosines: vectors.Floats) -> vectors.Near:
        passages = self.passages[which].tolist() if self._several else None
        return vectors.Near(cosines.tolist(), self.numbers[which].tolist(), passages)

    def some(self, question: Probe, numbers: Sequence[int]) -> vectors.Near:
        """The best passage of those of these memories that have vectors, in the order given."""
        begin, end = self._spans(numbers)
        counts = end - begin
        if not counts.all():
            begin, counts = begin[counts > 0], counts[counts > 0]
        if not self._several or not len(begin):
            return self._near(begin, self._these(begin).cosines(question))
        starts = np.cumsum(counts) - counts
        passages = self._these(np.repeat(begin - starts, counts) + np.arange(counts.sum()), starts)
        cosines = passages.cosines(question)
        best = passages.best(cosines)
        return self._near(begin + passages.which(cosines, best), best)

    def _spans(self, numbers: Sequence[int]) -> tuple[vectors.Ints, vectors.Ints]:
        """Where each of these begins and where it ends; the same twice of one that is not there."""
        wanted = np.asarray(numbers)
        begin = self.numbers.searchsorted(wanted)
        if self._several or not len(self):
            end = self.numbers.searchsorted(wanted, "right")
        else:
            end = begin + (self.numbers.take(begin, mode="clip") == wanted)
        return begin, end


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
_lock = threading.Lock()
_asked: dict[int, tuple[vectors.Model | None, Probe | None]] = {}
"""By state, who asked first, and what."""
_held: dict[int, Any] = {}


def _after_fork_in_child() -> None:
    """A thread of the parent may have been inside; in the child there is no such thread to come out again."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_child)


def whole(db: apsw.Connection, model: vectors.Model, question: Probe, *, is_narrow: bool) -> Whole | None:
    """All vectors, where they are not too many. Of a small model from the first question on: codes might propose too few, and
    then the second question would get another answer. Of one that is narrow all can be compared without it; there, and in a
    model that takes a moment to read, the second question is soon enough."""
    if model.state not in _held and _can_be_whole(model.vectors, model.dimensions):
        at_once = model.vectors <= WHOLE and not is_narrow
        if at_once or _is_asked_again(model, question):
            _hold(model.state, _whole_of(vectors.all_of(db, model.number), model.dimensions, model.vectors))
    return known(model)


def _can_be_whole(count: int, dimensions: int) -> bool:
    return count <= WHOLE or (is_quick() and count * (dimensions + _BESIDE) <= MOST)


def known(model: vectors.Model) -> Whole | None:
    """All vectors of a model, if they are held already."""
    found = _held.get(model.state)
    return found if isinstance(found, Whole) else None


def blocks(db: apsw.Connection, model: vectors.Model, question: Probe) -> Iterator[codes.Block]:
    """The model's blocks of codes: the first ones from memory, if another question was asked before in this state. The last
    one is never held: it is the one that new codes go into."""
    if _can_be_whole(model.vectors, model.dimensions) or not _is_asked_again(model, question):
        yield from (block for _, block in codes.blocks(db, model.number, model.dimensions))
        return
    kept, last = _held.get(model.state, (None, 0))
    yield from kept or ()
    fill = _Filling() if kept is None else None
    before: tuple[int, codes.Block] | None = None
    for number, block in codes.blocks(db, model.number, model.dimensions, last):
        if fill and before and fill.takes(before[1]):
            last = before[0]
        before = (number, block)
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


def follow(before: int, after: int, dimensions: int, added: Sequence[vectors.Row]) -> None:
    """The state `after` is `before` with these vectors, and with their codes in the last blocks. If that change is never
    committed, nobody will ever ask for its state."""
    was = _held.get(before)
    if isinstance(was, Whole):
        grown = was.with_(_whole_of(added, dimensions))
        if _can_be_whole(len(grown), dimensions):
            _follow(after, grown)
        if len(grown) > WHOLE:
            _held.pop(before, None)  # twice so many would be too many
    elif was is not None:
        _follow(after, was)
    elif before in _asked:  # whoever adds one and asks one in turns asks again, too
        _note(after)


def _follow(after: int, what: Any) -> None:
    _note(after)
    _hold(after, what)


def _note(after: int) -> None:
    """The next question in this state is not its first."""
    with _lock:
        _asked[after] = (None, None)
        _forget_oldest()


def _forget_oldest() -> None:
    while len(_asked) > 4 * _STATES:
        _asked.pop(next(iter(_asked)))


def _is_asked_again(model: vectors.Model, question: Probe) -> bool:
    """One search asks several times, for what is near and for what is not: the same question through the same view. Only
    another one is one more."""
    with _lock:
        if model.state in _asked:
            return not all(map(is_, _asked[model.state], (model, question)))
        _asked[model.state] = (model, question)
        _forget_oldest()
        return False


def _hold(state: int, what: Any) -> None:
    with _lock:
        _held[state] = what
        while len(_held) > _STATES:
            _held.pop(next(iter(_held)))


def _whole_of(stored: Iterable[vectors.Row], dimensions: int, room: int = 0) -> Whole:
    """Of those that are as they were written. With room for so many passages, what is read need not lie in memory twice."""
    numbers: list[int] = []
    counts: list[int] = []
    codes, scales = np.empty((room, dimensions), dtype=np.int8), np.empty(room, dtype=np.float32)
    filled, coming = 0, iter(stored)
    while some := [*islice(coming, _AT_ONCE)]:
        whole = [(n, blob) for n, _, blob in some if vectors.is_whole(blob, dimensions)]
        numbers += [n for n, _ in whole]
        counts += [vectors.passages_in(blob, dimensions) for _, blob in whole]
        read = vectors.side_by_side([blob for _, blob in whole], dimensions)
        end = filled + len(read.codes)
        if end > len(codes):
            codes, scales = np.concatenate((codes[:filled], read.codes)), np.concatenate((scales[:filled], read.scales))
        else:
            codes[filled:end], scales[filled:end] = read.codes, read.scales
        filled = end
    passages = np.arange(filled) - np.repeat(np.cumsum(counts, dtype=np.int64) - counts, counts)
    return Whole(np.repeat(np.array(numbers, dtype=np.int64), counts), passages, scales[:filled], codes[:filled])
