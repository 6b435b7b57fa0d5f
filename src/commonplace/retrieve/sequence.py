"""Neighbours: what was said just before and after. A short remark is often about what the one before it names.

Episodes, and whatever is written as somebody's words (`Alice: ...`), that the book learnt one after the other, of one owner and
one sitting, are taken as a conversation. Each lends its neighbours a share of its score, the less the further away; a long text
stands by itself and borrows little. Facts and decisions stand alone. This is worth more than any model: see
docs/guide/how-well.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

from commonplace.retrieve.speech import is_spoken
from commonplace.seam.terms import Strand

ADOPTED = 2
"""Neighbours so near to what was found contend too."""
REACH = 4
"""How far a share travels."""
_SITTING = 30 * 60 * 1_000_000  # microseconds
"""So far apart two may be and still belong together. With twelve hours, one day's sessions lent to each other (ADR 37)."""
_STANDS_ALONE = 200
"""A text of so many characters borrows in full; one twice as long, half."""

_SEMANTIC = {-1: 0.2, 1: 0.2, -2: 0.1, 2: 0.1}
_STEPS = [
    (d, (0.7 if d < 0 else 0.5) * 0.6 ** (abs(d) - 1), _SEMANTIC.get(d, 0.0)) for d in (-4, -3, -2, -1, 1, 2, 3, 4)
]
"""How far away, and what share such a neighbour lends by words and by meaning; from afar, only words."""
_BEFORE, _BESIDE, _AFTER = _STEPS[:2], _STEPS[2:6], _STEPS[6:]
_NEAREST = 2.0
"""No cosine exceeds another by more. Of whom nothing is known by meaning, nothing is borrowed or lent."""
Scores = dict[int, float]
"""By place."""


def is_talk(strand: Strand) -> bool:
    """Is it a piece of a conversation, or of what happened one after the other?"""
    return strand.owner[0] == "episode" or is_spoken(strand.opening)


def around(places: Iterable[int], reach: int) -> set[int]:
    """These places and those beside them."""
    return {near for place in places for near in range(max(place - reach, 1), place + reach + 1)}


def before(places: Iterable[int], strands: Mapping[int, Strand]) -> list[int]:
    """The places just before these that belong to the same sitting."""
    pairs = ((place, place - 1) for place in places)
    return [at for place, at in pairs if place in strands and _together(strands[place], strands.get(at))]


class Neighbours:
    """Who may borrow, and all that there is to know of those who may lend."""

    def __init__(self, places: Iterable[int], strands: Mapping[int, Strand]) -> None:
        owners: dict[object, object] = {}  # each once, so that two are the same owner if they are the same thing
        self._talk = {
            place: (owners.setdefault(strand.owner, strand.owner), strand.at, strand.length)
            for place, strand in strands.items()
            if is_talk(strand)
        }
        self._places = [place for place in places if place in self._talk]

    def lent(self, words: Scores, excess: Scores) -> tuple[Scores, Scores]:
        """Lexical scores, and semantic ones as their excess over what anything in the book has, with what was borrowed.

        A neighbour lends what one lacks. Who holds the words oneself is hardly better off for a neighbour who does, and many weak
        ones do not add up: so fourth powers are added. Who is nearer than the neighbour borrows no nearness at all. Otherwise a
        whole sitting about one thing lifts itself above what was said once and elsewhere (ADR 37).
        """
        with_words, with_excess = dict(words), dict(excess)
        talk, lending = self._talk, self._lending(words, excess)
        holding = {place: other for place, other in lending.items() if other[2]}
        steps = ((_BEFORE, holding.get), (_BESIDE, lending.get), (_AFTER, holding.get))
        for place in self._places:
            owner, at, length = talk[place]
            near = excess.get(place, _NEAREST)
            by_words = by_meaning = 0.0
            for some, lender in steps:  # what a search spends most on: a thousand pairs
                for step, lexical, semantic in some:
                    other = lender(place + step)
                    if other is None or other[0] is not owner or not -_SITTING <= other[1] - at <= _SITTING:
                        continue
                    lent = lexical * other[2]
                    by_words += lent * lent * (lent * lent)
                    if other[3] > near:
                        by_meaning += semantic * (other[3] - near)
            lean = _STANDS_ALONE / length if length > _STANDS_ALONE else 1.0
            if by_words:
                own, lean_on = words.get(place, 0.0) ** 2, lean * lean
                with_words[place] = sqrt(sqrt(own * own + lean_on * lean_on * by_words))
            if by_meaning:
                with_excess[place] += lean * by_meaning
        return with_words, with_excess

    def _lending(self, words: Scores, excess: Scores) -> dict[int, tuple[object, int, float, float]]:
        """Who has something to lend: its owner, when it was, and what words and meaning say of it."""
        return {
            place: (owner, at, words.get(place, 0.0), excess.get(place, -_NEAREST))
            for place, (owner, at, _) in self._talk.items()
            if place in words or place in excess
        }


def _together(one: Strand, other: Strand | None) -> bool:
    if other is None or one.owner != other.owner or abs(one.at - other.at) > _SITTING:
        return False
    return is_talk(other)
