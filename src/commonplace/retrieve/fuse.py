"""Fusion: one score from words and meaning, each in a measure that does not depend on how large the book is.

Words count as a share of the best match. Meaning counts by how far it stands out from anything else in the book. Summing such
measures loses to neither stream on any set we measured; ranks (RRF) throw away how sure each stream is, and lose to the better.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest
from typing import NamedTuple

from commonplace.retrieve.profiles import Profile
from commonplace.retrieve.sequence import Neighbours


class Streams(NamedTuple):
    """What the streams say of every contender, in their own measures, by its place in the book."""

    lexical: dict[int, float]
    semantic: dict[int, float]
    background: tuple[float, float]
    """Mean and spread of the nearness of anything."""


class Fused(NamedTuple):
    """What words and what meaning add to the score of each contender, and the sum."""

    words: dict[int, float]
    meaning: dict[int, float]
    sums: dict[int, float]


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
        words, meaning = neighbours.with_words(words), neighbours.with_meaning(meaning)
    by_words = profile.lexical * _standing_out(words) / (max(words.values(), default=0.0) or 1.0)
    by_meaning = profile.semantic / (_SPREAD * spread)
    words = {place: by_words * score for place, score in words.items()}
    meaning = {place: by_meaning * score for place, score in meaning.items()}
    sums = {place: score + words.get(place, 0.0) for place, score in meaning.items()}
    return Fused(words, meaning, words | sums)


def _standing_out(words: Mapping[int, float]) -> float:
    """How far the best match by words stands out from the next ones: if it does, words count up to twice as much."""
    best = nlargest(10, words.values())
    return min(10 * best[0] / sum(best) / _USUAL, 2.0) if best and best[0] else 1.0
