"""Proposing: go through all codes and name the memories that are worth comparing.

The sum over all dimensions becomes a count of bits. First only the first plane of a code meets the question, in four levels;
that is a rough estimate, but cheap. Where it leaves hope to be among the best so far, both planes meet the question in eight
levels. How much hope is enough is read off the first codes: how far the rough estimate was from the fine one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from commonplace.catalog.sqlite import codes

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.codes import Block, Floats, Ints
    from commonplace.catalog.sqlite.narrow import Named

# A question's eight levels, in standard deviations, are three planes of bits with these weights.
_STEP = 0.6
_PLANES = np.array([1, 2, -4], dtype=np.float32)
_LEVELS = np.array([2, 1], dtype=np.float32)
# What one bit is worth, beside the factor that two bits have: of a bell curve.
_ONE_BIT = np.float32(1.119)
# So many times its usual error may the rough estimate be wrong.
_HOPE = 1.5
# So many codes are looked at closely before hope is judged.
_FIRST = 1_024


class Question:
    """A vector to compare codes with."""

    def __init__(self, vector: Floats, centre: Floats) -> None:
        unit = codes.direction(centre)
        self._along = np.float32(vector @ unit)
        own = vector - self._along * unit
        deviation = max(float(own.std()), 1e-12)
        self._rough_planes(own, deviation)
        self._fine_planes(own, _STEP * deviation)

    def _rough_planes(self, own: Floats, step: float) -> None:
        parts = np.clip(np.floor(own / step), -2, 1).astype(np.int64)
        self._signs = np.stack([_plane(parts >= 0), _plane(parts & 1)])[:, :, None]
        self._all, self._each = np.float32(1.5 * step * len(own)), np.float32(step)

    def _fine_planes(self, own: Floats, step: float) -> None:
        parts = np.clip(np.rint(own / step), -4, 3).astype(np.int64)
        planes = np.stack([_plane((parts >> i) & 1) for i in range(3)])
        self._planes = planes[:, None, :, None]
        self._weights = np.repeat(np.outer(_PLANES, _LEVELS).reshape(-1), planes.shape[1]) * np.float32(step)
        self._middle = np.float32(1.5 * step * parts.sum())

    def rough(self, block: Block) -> Floats:
        """From the first plane alone."""
        differing = np.bitwise_count(block.bits[0] ^ self._signs)
        high, low = (np.add.reduce(each, axis=0, dtype=np.uint16) for each in differing)
        high += high
        high += low
        found: Floats = high.astype(np.float32)
        found *= -self._each * _ONE_BIT
        found += self._all * _ONE_BIT
        found *= block.factors
        found += block.along * self._along
        return found

    def fine(self, block: Block) -> Floats:
        """Of the cosine, without what all have in common."""
        common = np.bitwise_count(block.bits & self._planes).reshape(len(self._weights), -1)
        own = (self._weights @ common.astype(np.float32) - self._middle) * block.factors
        found: Floats = own + block.along * self._along
        return found


def _plane(bits: Ints | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> codes.Words:
    return codes.words_of(bits.astype(bool)[None, :])[:, 0]


def best(
    stored: Iterable[Block], vector: Floats, centre: Floats, count: int, those: Named | None = None, several: int = 1
) -> tuple[Ints, bool]:
    """The numbers of the `count` memories with the best estimates, best first, each once; and whether these are all there are.
    If some are named, of those alone. `several`: how many passages a memory has here, about."""
    question, found = Question(vector, centre), _Best(count, several)
    doubt = None
    for block in stored:
        left = block
        if doubt is None:
            first = codes.part(block, slice(0, _FIRST))
            fine = question.fine(first)
            doubt = _HOPE * float((fine - question.rough(first)).std())
            if those is None:
                found.add(fine, first.numbers)
                left = codes.part(block, slice(_FIRST, None))
        if those is not None:
            left = codes.some(left, those.holds(left.numbers).nonzero()[0])
        rough = question.rough(left)
        hopeful = (rough > found.floor - doubt).nonzero()[0]
        if len(hopeful) > 2 * found.room:  # the best of them raise the floor for the others
            likely = rough[hopeful].argpartition(-found.room)
            _look(question, left, hopeful[likely[-found.room :]], found)
            hopeful = hopeful[likely[: -found.room]]
            hopeful = hopeful[rough[hopeful] > found.floor - doubt]
        _look(question, left, hopeful, found)
    numbers = found.numbers()
    return numbers[:count], found.has_all and len(numbers) <= count


def _look(question: Question, block: Block, which: Ints, found: _Best) -> None:
    """Closely at these."""
    these = codes.some(block, which)
    found.add(question.fine(these), these.numbers)


class _Best:
    """The best so far, and the floor below which nothing is worth looking at."""

    def __init__(self, count: int, several: int) -> None:
        # A quarter more than are asked for: several passages of one memory count once.
        self.room, self.floor, self.has_all = several * (count + count // 4), -np.inf, True
        self._scores, self._numbers = np.empty(0, dtype=np.float32), np.empty(0, dtype=np.int64)

    def add(self, scores: Floats, numbers: Ints) -> None:
        good = scores > self.floor
        self._scores = np.concatenate((self._scores, scores[good]))
        self._numbers = np.concatenate((self._numbers, numbers[good]))
        if len(self._scores) > self.room:
            top = self._scores.argpartition(-self.room)[-self.room :]
            self._scores, self._numbers = self._scores[top], self._numbers[top]
            self.floor, self.has_all = float(self._scores[0]), False

    def numbers(self) -> Ints:
        ordered = self._numbers[np.lexsort((self._numbers, -self._scores))]
        _, first = np.unique(ordered, return_index=True)
        once: Ints = ordered[np.sort(first)]
        return once
