"""Fusion: one score from words and meaning, each in a measure that does not depend on how large the book is.

Words count as a share of the best match, and the less the less of the question that one holds: who asks in other words than the
memory was told in has no match by words that means much, only a best one (docs/adr/0042). Meaning counts by how far it stands out
from anything else in the book. Summing such measures loses to neither stream on any set we measured; ranks (RRF) throw away how
sure each stream is, and lose to the better.
"""

from __future__ import annotations

from typing import NamedTuple

from commonplace.retrieve.profiles import Profile
from commonplace.retrieve.sequence import Neighbours, Scores


class Streams(NamedTuple):
    """What the streams say of every contender, in their own measures, by its place in the book."""

    lexical: Scores
    semantic: Scores
    background: tuple[float, float]
    """Mean and spread of the nearness of anything."""
    held: float = 1.0
    """How much of the question the best match by words holds: 1 if most of it."""


class Fused(NamedTuple):
    """The sum for each contender; and what words and what meaning say of it, with what each of them counts."""

    sums: Scores
    words: Scores
    meaning: Scores
    by_words: float
    by_meaning: float


# Neighbours add to the spread; so much was measured.
_SPREAD = 1.1
# By so much the best match by words usually stands out from the ten best.
_USUAL = 1.5


def fuse(said: Streams, profile: Profile, neighbours: Neighbours | None = None) -> Fused:
    """On plain numbers: there are hundreds of contenders, and only the best are worth an object of their own."""
    mean, spread = said.background
    words = said.lexical
    meaning = {place: score - mean for place, score in said.semantic.items()}
    if neighbours is not None:
        words, meaning = neighbours.lent(words, meaning)
    best = sorted(words.values(), reverse=True)[:10]
    lexical = profile.lexical if said.semantic else max(profile.lexical, profile.lexical_alone)
    by_words = lexical * said.held * _standing_out(best) / ((best[0] if best else 0.0) or 1.0)
    by_meaning = profile.semantic / (_SPREAD * spread)
    sums = {place: by_words * score for place, score in words.items()}
    for place, score in meaning.items():
        sums[place] = by_meaning * score + sums.get(place, 0.0)
    return Fused(sums, words, meaning, by_words, by_meaning)


def _standing_out(best: list[float]) -> float:
    """How far the best match by words stands out from the next ones: if it does, words count up to twice as much."""
    return min(10 * best[0] / sum(best) / _USUAL, 2.0) if best and best[0] else 1.0


def leading(sums: Scores, most: int) -> list[int]:
    """The places with the greatest sums; and all that tie with the last of them, so that the caller can tell those apart."""
    if len(sums) <= most:
        return [*sums]
    least = sorted(sums.values(), reverse=True)[most - 1]
    return [place for place, sum in sums.items() if sum >= least]
