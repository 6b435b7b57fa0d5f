"""Fusion: one score from words and meaning, each in a measure that does not depend on how large the book is.

Words count as a share of the best match. Meaning counts by how far it stands out from anything else in the book. Summing such
measures loses to neither stream on any set we measured; ranks (RRF) throw away how sure each stream is, and lose to the better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.profiles import Profile
from commonplace.retrieve.sequence import with_neighbours_meaning, with_neighbours_words
from commonplace.seam.terms import Hit, Strand


class Streams(NamedTuple):
    """What the streams say of every contender, in their own measures."""

    lexical: dict[int, float]
    semantic: dict[int, float]
    background: tuple[float, float]
    """Mean and spread of the nearness of anything."""


# Neighbours add to the spread; so much was measured.
_SPREAD = 1.1
# By so much the best match by words usually stands out from the ten best.
_USUAL = 1.5


def fuse(contenders: Mapping[int, Contender], said: Streams, strands: Mapping[int, Strand], profile: Profile) -> None:
    """Give every contender the scores that words and meaning add up to."""
    words, meaning = _words(said, strands, profile), _meaning(said, strands, profile)
    best = max(words.values(), default=0.0) or 1.0
    sure = _standing_out(words)
    spread = _SPREAD * said.background[1]
    for place, contender in contenders.items():
        if words.get(place):
            contender.scores["lexical"] = profile.lexical * sure * words[place] / best
        if place in meaning:
            contender.scores["semantic"] = profile.semantic * meaning[place] / spread
        contender.add_up()


def _words(said: Streams, strands: Mapping[int, Strand], profile: Profile) -> dict[int, float]:
    return with_neighbours_words(said.lexical, strands) if profile.sequence else said.lexical


def _meaning(said: Streams, strands: Mapping[int, Strand], profile: Profile) -> dict[int, float]:
    mean, _ = said.background
    excess = {place: score - mean for place, score in said.semantic.items()}
    return with_neighbours_meaning(excess, strands) if profile.sequence else excess


def _standing_out(words: Mapping[int, float]) -> float:
    """How far the best match by words stands out from the next ones: if it does, words count up to twice as much."""
    best = sorted(words.values(), reverse=True)[:10]
    return min(best[0] / (sum(best) / len(best)) / _USUAL, 2.0) if best and best[0] else 1.0


def by_place(hits: list[Hit]) -> dict[int, float]:
    return {hit.place: hit.score for hit in hits}
