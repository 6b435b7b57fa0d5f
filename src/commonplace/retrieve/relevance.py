"""Relevance: how well a memory answers the question by itself, from 0 to 1. Thresholds are about this, not about ranks.

A score says who is better among those that came up; it cannot say that all of them are bad. Relevance can: it asks how much
of the question the memory's own words cover, and how far its meaning stands out from anything else in the book.
"""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.retrieve.contender import Contender

# Standing out by so many spreads is nothing special, and by so many is plainly about this.
_ORDINARY, _PLAIN = 1.0, 5.0


def judge(contender: Contender, words: Sequence[str], background: tuple[float, float]) -> None:
    """Give it its relevance."""
    covered = coverage(contender, words)
    near = contender.raw.get("semantic")
    if near is None:
        contender.relevance = covered
        return
    mean, spread = background
    share = ((near - mean) / spread - _ORDINARY) / (_PLAIN - _ORDINARY)
    contender.relevance = 1.0 - (1.0 - 0.8 * float(covered**1.5)) * (1.0 - min(max(share, 0.0), 1.0))


def coverage(contender: Contender, words: Sequence[str]) -> float:
    """The share of the question's words that the memory holds, in some form."""
    return len(contender.holding(words)) / len(words) if words else 0.0
