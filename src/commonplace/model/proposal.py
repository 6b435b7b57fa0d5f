"""`Proposal`: a statement that an extractor found in a source. Not a memory yet: it has to show where it stands first."""

from __future__ import annotations

from datetime import datetime

from commonplace.errors import InvalidError
from commonplace.model.base import Noun
from commonplace.model.words import Scope, Type


class Proposal(Noun, frozen=True, kw_only=True):
    """One self-contained sentence, what it is, and the span of the source it was taken from."""

    content: str
    type: Type
    kind: str
    start: int
    end: int
    """The span in the source's body. A proposal whose span is not there is dropped."""
    confidence: float
    rule: str
    """Which rule, or which prompt in which version, found it."""
    scope: Scope | None = None
    title: str | None = None
    rationale: str | None = None
    tags: tuple[str, ...] = ()
    subject: str | None = None
    """What it is about, as far as the rule knows: `the API port`."""
    value: str | None = None
    """What it says of its subject: `8080`."""
    observed_at: datetime | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InvalidError("a proposal must cite a span of its source", where="start")
        if not 0.0 <= self.confidence <= 1.0:
            raise InvalidError("confidence: must be between 0 and 1", where="confidence")

    def evidence(self, source_id: str) -> str:
        """How a memory cites the span it was taken from: `SOURCE#120-180`."""
        return f"{source_id}#{self.start}-{self.end}"
