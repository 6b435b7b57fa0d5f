"""Diversity: the same thing said twice takes one place, not two."""

from __future__ import annotations

from collections.abc import Iterable

from commonplace.retrieve.contender import Contender

_SAME = 0.9
"""Memories that share so many of their words say the same."""


def without_repeats(ranked: Iterable[Contender], limit: int) -> tuple[list[Contender], dict[str, str]]:
    """The first `limit` that do not repeat a better one; and those that do, with whom they repeat."""
    kept: list[Contender] = []
    repeating: dict[str, str] = {}
    for contender in ranked:
        if len(kept) == limit:
            break
        twin = next((other.id for other in kept if _overlap(contender.held, other.held) >= _SAME), None)
        if twin is None:
            kept.append(contender)
        else:
            repeating[contender.id] = twin
    return kept, repeating


def _overlap(one: set[str], other: set[str]) -> float:
    if min(len(one), len(other)) < 4 or min(len(one), len(other)) < _SAME * max(len(one), len(other)):
        return float(one == other)
    return len(one & other) / len(one | other)
