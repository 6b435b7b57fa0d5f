"""`Link`: how one memory stands to another, and `Conflict`: two that cannot both be true."""

from __future__ import annotations

from datetime import datetime

from commonplace.errors import InvalidError
from commonplace.model.base import Closed, Noun, set_once, utc
from commonplace.model.words import Relation


class Link(Noun, frozen=True, kw_only=True):
    """`from_id` supports, contradicts, ... `to_id`. There is at most one per relation and pair."""

    from_id: str
    relation: Relation
    to_id: str
    evidence_ref: str | None = None
    created_at: datetime

    def __post_init__(self) -> None:
        set_once(self, "relation", Relation.of(self.relation, "relation"))
        set_once(self, "created_at", utc(self.created_at, "created_at"))
        if self.from_id == self.to_id:
            raise InvalidError("a memory cannot be linked to itself", where="to_id")

    @property
    def id(self) -> str:
        return f"{self.from_id}>{self.relation}>{self.to_id}"


class ConflictState(Closed):
    """Whether somebody has decided."""

    OPEN = "open"
    RESOLVED = "resolved"


class Conflict(Noun, frozen=True, kw_only=True):
    """Two memories that disagree. Both stay; resolving one names the loser, the reason and the actor (R-b)."""

    id: str
    left_id: str
    right_id: str
    reason: str
    left_evidence: str | None = None
    right_evidence: str | None = None
    state: ConflictState = ConflictState.OPEN
    loser_id: str | None = None
    resolution: str | None = None
    created_at: datetime
    resolved_at: datetime | None = None
