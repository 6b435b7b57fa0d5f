"""`ContextBundle`: what an agent is handed before it begins (rfc 35)."""

from __future__ import annotations

from commonplace.model.base import Noun
from commonplace.model.receipt import Moment
from commonplace.model.result import RetrievalResult


class ContextBundle(Noun, frozen=True, kw_only=True):
    """Few and strong memories, grouped as the RFC groups them, each with its citation, and the text to inject."""

    text: str
    """Ready to inject: fenced as data, one line a memory. Byte-identical for identical inputs; empty when there is nothing."""
    tokens: int
    """What `text` costs; never more than `budget`."""
    budget: int
    moment: Moment
    receipt_id: str
    profile: tuple[RetrievalResult, ...] = ()
    facts: tuple[RetrievalResult, ...] = ()
    decisions: tuple[RetrievalResult, ...] = ()
    episodes: tuple[RetrievalResult, ...] = ()
    citations: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    """The ids of what was strong enough and did not fit."""
