"""Ranking profiles: every weight of a search in one place, each with the measurement that chose it.

A profile is a name and its numbers; the steps are the same for all. `docs/guide/how-well.md` tells what each step gains.
"""

from __future__ import annotations

from typing import NamedTuple

from commonplace.errors import InvalidError


class Profile(NamedTuple):
    """How much each stream counts. A weight of 0 means that the stream is not searched."""

    name: str
    lexical: float
    semantic: float
    lexical_alone: float = 0.0
    """What words count at least if there is no meaning to go by."""
    sequence: float = 0.0
    """How much of its neighbours' scores a memory is given, in the order in which the book learnt them."""
    links: float = 0.0
    time: float = 0.0
    """What it is worth to have been observed when the question says."""
    told: float = 0.0
    """What it is worth to speak of that time oneself."""
    recency: float = 0.0
    confidence: float = 0.0
    scope: float = 0.0
    rerank: bool = False
    brevity: float = 0.0
    """What each doubling of its length beyond a paragraph takes from a memory: a statement goes before an essay."""
    breadth: float = 0.0
    """Which share of a long memory's meaning all its passages have; the best one has the rest."""
    coverage: float = 0.0
    """What it is worth to a long memory that one passage or another comes near each word of the question. 0.6: sessions of
    LongMemEval 92.4 / 97.1 to 94.3 / 98.1 on the tuning half, those of LoCoMo 87.6 / 92.9 to 87.4 / 93.6 (ADR 30)."""
    wishes: float = 0.0
    """What a standing wish is worth to a request for help."""
    instructions: float = 0.0
    """What an instruction that is meant for every task is worth to any question."""
    change: float = 0.0
    """What it is worth to tell of a change, if what holds now is asked for."""
    entities: float = 0.0
    """What it is worth to be about everybody whom the question marks with `@`."""
    freshest_first: bool = False
    """Of several that say something about the same, the latest goes first."""
    least: float = 0.0
    """What is less relevant than this is left out: few and strong beats many and weak."""
    has_own_arithmetic: bool = False
    """Is its score what one of the designs says, to the letter? Then nothing is added to it, and it is shown as it is."""


HYBRID = Profile(
    name="hybrid",
    # 3 before the embedder was taught (ADR 38). All@5 of LoCoMo's sessions 88.3 to 89.0, of LongMemEval's 95.6 to 97.3.
    lexical=2.0,
    lexical_alone=3.0,
    semantic=1.0,
    sequence=1.0,
    links=0.1,
    time=3.0,
    told=2.0,
    recency=0.01,
    confidence=0.01,
    scope=0.02,
    brevity=0.5,
    breadth=0.25,
    coverage=0.6,
    wishes=1.5,
    instructions=1.0,
    change=0.8,
    entities=1.0,
    rerank=True,
    freshest_first=True,
)
WORDS = HYBRID._replace(name="words", semantic=0.0, rerank=False)
RECENT = HYBRID._replace(name="recent", recency=0.6, rerank=False)
# A73: 0.85 similarity + 0.05 keyword; it has nothing else. `vault.py` is its arithmetic.
VAULT = Profile(name="vault", lexical=0.05, semantic=0.85, has_own_arithmetic=True)
# G34: words in common, and how new it is; no vectors. `aegis.py` is its arithmetic.
AEGIS = Profile(name="aegis", lexical=1.0, semantic=0.0, has_own_arithmetic=True)

PROFILES = {profile.name: profile for profile in (HYBRID, VAULT, RECENT, WORDS, AEGIS)}


def profile_of(name: str) -> Profile:
    if name not in PROFILES:
        known = ", ".join(PROFILES)
        raise InvalidError(f"profile: not one of: {known}", hint=f"Use one of: {known}.", where="profile")
    return PROFILES[name]
