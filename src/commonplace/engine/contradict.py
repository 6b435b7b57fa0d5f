"""`contradict`: two memories cannot both be true. Both stay, linked both ways with the evidence of each (R-b)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.errors import InvalidError
from commonplace.guard.entry import admit
from commonplace.model.ids import new_id
from commonplace.model.link import Conflict, Link
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Relation, Verb


class Contradict(Request, frozen=True, kw_only=True):
    """Which two disagree, and about what."""

    id: Annotated[str, Meta(description="one memory")]
    other_id: Annotated[str, Meta(description="the other")]
    reason: Annotated[str, Meta(description="what they disagree about")] = "they disagree"
    evidence_ref: Annotated[str | None, Meta(description="where it can be seen that they disagree")] = None


def contradict(scribe: Scribe, asked: Contradict) -> Conflict:
    """Saying it twice is saying it once. Neither memory changes its status: that is for whoever resolves it."""
    admit({"reason": asked.reason, "evidence_ref": asked.evidence_ref})
    with scribe.writing() as pen:
        left, right = must_find(pen.view, asked.id), must_find(pen.view, asked.other_id)
        if left.id == right.id:
            raise InvalidError("a memory cannot contradict itself", where="other_id")
        known = _known(pen, left, right)
        if known is not None:
            return known
        conflict = dispute(pen, left, right, asked.reason, asked.evidence_ref)
        pen.sign(Verb.CONTRADICT, asked.reason)
        return conflict


def dispute(
    pen: Pen, left: MemoryRecord, right: MemoryRecord, reason: str, evidence_ref: str | None = None
) -> Conflict:
    """The conflict with the evidence of both sides, and the links both ways; to be signed by whoever called."""
    conflict = Conflict(
        id=new_id(),
        left_id=left.id,
        right_id=right.id,
        reason=reason,
        left_evidence=left.evidence_ref or left.source_ref,
        right_evidence=right.evidence_ref or right.source_ref,
        created_at=pen.now,
    )
    pen.write(Entity.CONFLICT, None, conflict)
    for one, other in ((left, right), (right, left)):
        _link(pen, one, other, evidence_ref)
    return conflict


def _known(pen: Pen, left: MemoryRecord, right: MemoryRecord) -> Conflict | None:
    for conflict in pen.view.conflicts_of(left.id):
        if {conflict.left_id, conflict.right_id} == {left.id, right.id} and conflict.resolved_at is None:
            return conflict
    return None


def _link(pen: Pen, one: MemoryRecord, other: MemoryRecord, evidence: str | None) -> None:
    made = Link(
        from_id=one.id,
        relation=Relation.CONTRADICTS,
        to_id=other.id,
        evidence_ref=evidence or one.evidence_ref,
        created_at=pen.now,
    )
    if pen.view.noun(Entity.LINK, made.id) is None:
        pen.write(Entity.LINK, None, made)
