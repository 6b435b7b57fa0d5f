"""Is what was asked for in the book at all? From 0 to 1, for those who would rather say nothing than something wrong."""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.understand import Question


def confidence(ranked: Sequence[Contender], question: Question, background: tuple[float, float]) -> float:  # noqa: ARG001
    """The best of the first few."""
    return max((contender.relevance for contender in ranked[:3]), default=0.0)
