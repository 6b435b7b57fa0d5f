"""`RetrievalResult`: one memory that a search brought up, with the reason why (rfc 34)."""

from __future__ import annotations

from commonplace.model.base import Noun
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope


class RetrievalResult(Noun, frozen=True, kw_only=True):
    """The record, its combined score, each component's score, and one plain sentence why it is here."""

    record: MemoryRecord
    score: float
    scores: dict[str, float]
    matched_scope: Scope
    evidence_ref: str | None = None
    explanation: str = ""
