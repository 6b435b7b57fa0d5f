"""`confirm` and `reject`: a person's word on what waits in the inbox."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from commonplace.engine.conflicts import decided
from commonplace.engine.evolve import link_supersession
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.errors import ConflictError, DeniedError
from commonplace.guard.entry import admit
from commonplace.guard.standing import is_grounded
from commonplace.guard.trust import may_overrule, refuse_overruling, tier_of
from commonplace.model.link import ConflictState
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Status, Trust, Verb


class Confirm(Request, frozen=True, kw_only=True):
    """Let a waiting memory become active."""

    id: Annotated[str, Meta(description="the memory in the inbox")]
    reason: Annotated[str | None, Meta(description="why")] = None
    rationale: Annotated[str | None, Meta(description="for a decision that came without: why it was decided")] = None
    evidence_ref: Annotated[str | None, Meta(description="where the evidence lies")] = None
    expect: Annotated[str | None, Meta(description="the fingerprint you read; refused if it changed since")] = None


class Reject(Request, frozen=True, kw_only=True):
    """Turn a waiting memory away; it is archived, not lost."""

    id: Annotated[str, Meta(description="the memory in the inbox")]
    reason: Annotated[str | None, Meta(description="why not")] = None
    expect: Annotated[str | None, Meta(description="the fingerprint you read; refused if it changed since")] = None


def confirm(scribe: Scribe, asked: Confirm) -> MemoryRecord:
    admit({"reason": asked.reason, "rationale": asked.rationale, "evidence_ref": asked.evidence_ref})
    with scribe.writing() as pen:
        record = must_find(pen.view, asked.id, asked.expect)
        if record.status is Status.ACTIVE:
            return record
        review(scribe, record, "confirm")
        active = accept(scribe, pen, record, asked)
        pen.sign(Verb.PROMOTE, asked.reason)
        return active


def accept(scribe: Scribe, pen: Pen, record: MemoryRecord, asked: Confirm) -> MemoryRecord:
    """Make it active, in the place of what it proposed to replace; to be signed by whoever called."""
    confirmed = _confirmed(record, asked)
    old = pen.view.memory(record.supersedes) if record.supersedes else None
    if old is not None and old.status is Status.ACTIVE:
        if not may_overrule(scribe.trust, old):
            raise DeniedError(f"confirm: it would replace what the {old.trust} said", where=record.id)
        link_supersession(pen, old, record, asked.reason or record.status_reason)
    return pen.change(record, **confirmed)


DEFERRED = "deferred-until:"
"""A tag that says until when a memory was put off."""


def undeferred(record: MemoryRecord) -> tuple[str, ...]:
    return tuple(tag for tag in record.tags if not tag.startswith(DEFERRED))


def review(scribe: Scribe, record: MemoryRecord, verb: str) -> None:
    """Is it there to be reviewed, and by this actor?"""
    _refuse_unless_waiting(record)
    _refuse_unless_trusted(scribe, verb)


def reject(scribe: Scribe, asked: Reject) -> MemoryRecord:
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        record = must_find(pen.view, asked.id, asked.expect)
        review(scribe, record, "reject")
        refuse_overruling(scribe.trust, record, "reject")
        away = pen.change(record, status=Status.ARCHIVED, status_reason=asked.reason or "rejected")
        _end_its_conflicts(pen, record, away.status_reason or "rejected")
        pen.sign(Verb.REJECT, asked.reason)
        return away


def _end_its_conflicts(pen: Pen, record: MemoryRecord, why: str) -> None:
    """What was turned away disagrees with nobody any more."""
    for conflict in pen.view.conflicts_of(record.id):
        if conflict.state is ConflictState.OPEN:
            pen.write(Entity.CONFLICT, conflict, decided(conflict, record.id, why, pen.now))


def _confirmed(record: MemoryRecord, asked: Confirm) -> dict[str, Any]:
    fields: dict[str, Any] = {"status": Status.ACTIVE, "status_reason": asked.reason, "tags": undeferred(record)}
    if asked.rationale:
        fields["rationale"] = asked.rationale
    if asked.evidence_ref:
        fields["evidence_ref"] = asked.evidence_ref
    if not (asked.evidence_ref or record.evidence_ref or record.source_ref):
        raise ConflictError(
            "nothing says where this comes from", where=record.id, hint="Give evidence_ref= to confirm it."
        )
    if not (asked.rationale or asked.evidence_ref or is_grounded(record)):
        raise ConflictError(
            "a decision needs its rationale or a source before it is active",
            where=record.id,
            hint="Give rationale= or evidence_ref=.",
        )
    if not record.trust.outranks(Trust.AGENT):
        # Somebody who may has looked at it: from now on it is curated.
        fields |= {"trust": Trust.CURATED, "tier": tier_of(Trust.CURATED)}
    return fields


def _refuse_unless_waiting(record: MemoryRecord) -> None:
    if record.status is not Status.INBOX:
        raise ConflictError(
            f"this memory is {record.status}; only what waits in the inbox can be reviewed", where=record.id
        )


def _refuse_unless_trusted(scribe: Scribe, verb: str) -> None:
    """An agent cannot confirm what an agent proposed (rfc 20, 63)."""
    if not scribe.trust.outranks(Trust.AGENT):
        raise DeniedError(f"{verb}: the inbox is reviewed by the operator or a curator")
