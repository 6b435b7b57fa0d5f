"""Relevance: how well a memory answers the question by itself, from 0 to 1. Thresholds are about this, not about ranks.

A score says who is better among those that came up; it cannot say that all of them are bad. Relevance can: it asks how much
of the question the memory's own words cover, and how far its meaning stands out from anything else in the book.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from commonplace.model.record import MemoryRecord

_WORD = re.compile(r"[^\W_]+")
# Standing out by so many spreads is nothing special, and by so many is plainly about this.
_ORDINARY, _PLAIN = 1.0, 5.0


def relevance(record: MemoryRecord, words: Sequence[str], standing_out: float | None) -> float:
    """`standing_out` is how many spreads it is nearer than anything; None if nothing is known of its meaning."""
    covered = coverage(record, words)
    if standing_out is None:
        return covered
    near = min(max((standing_out - _ORDINARY) / (_PLAIN - _ORDINARY), 0.0), 1.0)
    return 1.0 - (1.0 - 0.8 * float(covered**1.5)) * (1.0 - near)


def coverage(record: MemoryRecord, words: Sequence[str]) -> float:
    """The share of the question's words that the memory holds, in some form."""
    if not words:
        return 0.0
    held = held_words(record)
    return sum(is_held(word, held) for word in words) / len(words)


def held_words(record: MemoryRecord) -> set[str]:
    """The beginnings of its words: enough to know a word in another form."""
    text = " ".join(part for part in (record.title, record.summary, record.content) if part)
    return {_stem(word) for word in _WORD.findall(text.lower())}


def is_held(word: str, held: set[str]) -> bool:
    parts = _WORD.findall(word.lower())
    return bool(parts) and all(
        _stem(part) in held or any(stem.startswith(part) for stem in held if not part.isascii()) for part in parts
    )


def _stem(word: str) -> str:
    """Without the endings that English changes most; short words whole."""
    for endings in (("s",), ("ing", "ed"), ("e", "y", "i")):
        for ending in endings:
            if len(word) > len(ending) + 2 and word.endswith(ending):
                word = word[: -len(ending)]
                break
    return word
