"""Rarity: what a word tells one memory from another by. Much if few of them hold it, little if nearly all do."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.seam.catalog import View


def rarity_of(view: View, words: Sequence[str]) -> list[float]:
    """Of each of these words, in the order given. Never nothing, and most of a word that nobody holds."""
    counts, total = view.held_by(words) if words else ({}, 0)
    held = (counts.get(word, 0.0) for word in words)
    return [log(1 + (max(total - count, 0) + 0.5) / (count + 0.5)) for count in held]
