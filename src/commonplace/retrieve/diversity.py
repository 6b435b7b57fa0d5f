"""Diversity: the same thing said twice takes one place, not two."""

from __future__ import annotations

from collections.abc import Iterable

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.relevance import held_words

_SAME = 0.9
"""Memories that share so many of their words say the same."""


def repeats(ranked: Iterable[Contender]) -> dict[str, str]:
    """Those that repeat a better one, and which."""
    kept: list[tuple[str, set[str]]] = []
    found: dict[str, str] = {}
    for contender in ranked:
        if contender.record is None:
            continue
        words = held_words(contender.record)
        twin = next((id for id, other in kept if _overlap(words, other) >= _SAME), None)
        if twin is None:
            kept.append((contender.id, words))
        else:
            found[contender.id] = twin
    return found


def _overlap(one: set[str], other: set[str]) -> float:
    if min(len(one), len(other)) < 4 or min(len(one), len(other)) < _SAME * max(len(one), len(other)):
        return float(one == other)
    return len(one & other) / len(one | other)
