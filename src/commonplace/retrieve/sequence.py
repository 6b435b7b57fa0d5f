"""Neighbours: what was said just before and after. A short remark is often about what the one before it names.

Episodes, and whatever is written as somebody's words (`Alice: ...`), that the book learnt one after the other, of one owner and
one sitting, are taken as a conversation. Each lends its neighbours a share of its score, the less the further away; a long text
stands by itself and borrows little. Facts and decisions stand alone. This is worth more than any model: see
docs/guide/finding.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import sqrt

from commonplace.seam.terms import Strand

ADOPTED = 2
"""Neighbours so near to what was found contend too."""
REACH = 4
"""How far a share travels."""
_SITTING = 12 * 3600 * 1_000_000  # microseconds
_STANDS_ALONE = 200
"""A text of so many characters borrows in full; one twice as long, half."""

_SPEAKER = re.compile(r"[^\W\d_][\w .'-]{0,40}: ")
_STEPS = (-4, -3, -2, -1, 1, 2, 3, 4)
_LEXICAL = {d: (0.7 if d < 0 else 0.5) * 0.6 ** (abs(d) - 1) for d in _STEPS}
_SEMANTIC = {-1: 0.2, 1: 0.2, -2: 0.1, 2: 0.1}


def is_talk(strand: Strand) -> bool:
    """Is it a piece of a conversation, or of what happened one after the other?"""
    return strand.owner[0] == "episode" or _SPEAKER.match(strand.opening) is not None


def around(places: Iterable[int], reach: int) -> set[int]:
    """These places and those beside them."""
    return {place + d for place in places for d in range(-reach, reach + 1) if place + d > 0}


def before(places: Iterable[int], strands: Mapping[int, Strand]) -> list[int]:
    """The places just before these that belong to the same sitting."""
    pairs = ((place, place - 1) for place in places)
    return [at for place, at in pairs if place in strands and _together(strands[place], strands.get(at))]


class Neighbours:
    """Who lends to whom, worked out once for both streams."""

    def __init__(self, places: Iterable[int], strands: Mapping[int, Strand]) -> None:
        talk = {place: strand for place, strand in strands.items() if is_talk(strand)}
        self._shares = {place: _shares(place, talk) for place in places if place in talk}

    def with_words(self, scores: Mapping[int, float]) -> dict[int, float]:
        """Lexical scores: a neighbour's words help, but never as much as one's own, and many weak ones do not add up."""
        found = dict(scores)
        for place, (lean, steps) in self._shares.items():
            borrowed = sum((_LEXICAL[d] * scores[place + d]) ** 2 for d in steps if place + d in scores)
            if borrowed:
                found[place] = sqrt(scores.get(place, 0.0) ** 2 + lean * lean * borrowed)
        return found

    def with_meaning(self, excess: Mapping[int, float]) -> dict[int, float]:
        """Semantic scores, as their excess over what anything in the book has."""
        found = dict(excess)
        for place, (lean, steps) in self._shares.items():
            if place in excess:
                near = (d for d in steps if d in _SEMANTIC)
                found[place] += lean * sum(_SEMANTIC[d] * excess.get(place + d, 0.0) for d in near)
        return found


def _shares(place: int, talk: Mapping[int, Strand]) -> tuple[float, list[int]]:
    """How far it leans on its neighbours, and which those are. Written out, because a search asks this a thousand times."""
    owner, at, length, _ = talk[place]
    lean = min(1.0, _STANDS_ALONE / max(length, 1))
    near = ((d, talk.get(place + d)) for d in _STEPS)
    return lean, [d for d, other in near if other and other[0] == owner and -_SITTING <= other[1] - at <= _SITTING]


def _together(one: Strand, other: Strand | None) -> bool:
    if other is None or one.owner != other.owner or abs(one.at - other.at) > _SITTING:
        return False
    return is_talk(other)
