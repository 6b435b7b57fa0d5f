"""`ContextBundle`: what an agent is handed before it begins (rfc 35)."""

from __future__ import annotations

from commonplace.model.base import Noun
from commonplace.model.result import RetrievalResult


class ContextBundle(Noun, frozen=True, kw_only=True):
    """Few and strong memories, grouped as the RFC groups them, each with its citation."""

    profile: tuple[RetrievalResult, ...] = ()
    facts: tuple[RetrievalResult, ...] = ()
    decisions: tuple[RetrievalResult, ...] = ()
    episodes: tuple[RetrievalResult, ...] = ()
    citations: tuple[str, ...] = ()
