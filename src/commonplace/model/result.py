"""`RetrievalResult`: one memory that a search brought up, with the reason why (rfc 34). `SearchResults`: all of them."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.model.base import Closed, Noun
from commonplace.model.receipt import Outcome, StreamReport
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope


class Reach(Closed):
    """How a memory came into view: it is near, or it crosses from another project because it is linked or strong (R-a)."""

    NEAR = "near"
    LINKED = "linked"
    STRONG = "strong"


class Evidence(Noun, frozen=True, kw_only=True):
    """The words that speak for a result, quoted, and where they stand."""

    ref: str | None
    """The source or evidence the memory names; None if it names none."""
    quote: str
    quoted_from: str
    """`source`, when the span lies in the source's own text, else `memory`."""
    start: int
    end: int


class RetrievalResult(Noun, frozen=True, kw_only=True):
    """The record, its combined score, each component's score and rank, and one plain sentence why it is here."""

    record: MemoryRecord
    score: float
    """The best has what the search is sure of, from 0 to 1, and the others less in proportion."""
    scores: dict[str, float]
    """What each component gave to it; they sum up to it."""
    ranks: dict[str, int] = {}
    relevance: float = 0.0
    """How well it answers by itself, from 0 to 1: what thresholds are about."""
    matched_scope: Scope
    reach: Reach = Reach.NEAR
    evidence: Evidence | None = None
    explanation: str = ""


class SearchResults(Noun, frozen=True, kw_only=True):
    """What a search brought up, best first. Walk it, count it, or take one by its number."""

    results: tuple[RetrievalResult, ...]
    receipt_id: str
    outcome: Outcome
    confidence: float
    """How sure it is that what was asked for is in the book at all, from 0 to 1."""
    streams: tuple[StreamReport, ...]

    def __iter__(self) -> Iterator[RetrievalResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, number: int) -> RetrievalResult:
        return self.results[number]
