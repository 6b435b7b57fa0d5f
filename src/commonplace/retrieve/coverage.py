"""Coverage: of a long memory, does some passage or other speak of each of the question's words?

Elsewhere the one best passage stands for a long memory. A question with several sides may be answered in several places of it,
and then no passage is best. So each telling word, as the model understood it in the question, is compared with every passage; the
nearest passage counts for it, and a rare word counts for more. A text that goes on and on comes near to anything: what its length
alone brings it is taken off again. Long memories are compared in this way with their like only: where statements stand beside
essays it lifts the essays, and those are not what was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, log2
from operator import mul
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError

if TYPE_CHECKING:
    from commonplace.retrieve.contender import Contender
    from commonplace.retrieve.meaning import Asked
    from commonplace.seam.catalog import View
    from commonplace.seam.embedder import Vectors

_FEWEST = 3
"""Of fewer nobody can say what is usual among them."""
_ALIKE = 0.9
"""So many of the contenders must be long. On BEAM, where three of four are, it cost both sides of contradictions 8 points."""
_MOST_WORDS = 32
_PER_DOUBLING = 0.3
"""How much nearer twice the length brings a text by itself, in spreads of the nearness of anything."""
_NOTHING = 0.005


def cover(
    view: View,
    asked: Asked,
    spread: float,
    weight: float,
    ranked: Sequence[Contender],
    lengths: Mapping[int, int],
    passages: Mapping[int, Vectors],
) -> None:
    """Add what coverage is worth to those that are long, more or less than usual. Lengths, and vectors of passages, by place."""
    telling = asked.telling[:_MOST_WORDS]
    if not are_long(ranked, passages) or not telling or asked.states is None:
        return
    words = asked.states[telling].T
    nearest: dict[int, list[float]] = {place: (rows @ words).max(axis=0).tolist() for place, rows in passages.items()}
    shares = _shares(view, [asked.words[at] for at in telling])
    said = {
        place: sum(map(mul, near, shares)) / spread - _PER_DOUBLING * log2(lengths[place])
        for place, near in nearest.items()
    }
    usual = sum(said.values()) / len(said)
    for contender in ranked:
        adds = weight * (said.get(contender.place, usual) - usual)
        if abs(adds) >= _NOTHING:
            contender.scores["coverage"] = adds
            contender.add_up()


def are_long(ranked: Sequence[Contender], passages: Mapping[int, Vectors]) -> bool:
    """Are the contenders, all but a few, memories of several passages?"""
    return len(passages) >= max(_FEWEST, _ALIKE * len(ranked))


def _shares(view: View, words: list[str]) -> list[float]:
    """What each word counts, of all of them together."""
    try:
        held, total = view.held_by(words)
    except CommonplaceError:
        held, total = {}, 0  # the words cannot be looked through; the lexical stream has said so
    rarity = [log(2 + total / (1 + held.get(word, 0))) for word in words]
    return [one / sum(rarity) for one in rarity]
