"""`promote`: let candidates become active. A person's word is enough for what is grounded and undisputed; else by policy."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.confirm import Confirm, accept
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.errors import ConflictError, DeniedError, InvalidError
from commonplace.guard.entry import admit
from commonplace.ingest.consolidate.promote import why_it_waits, why_nobody_may
from commonplace.model.consolidation import Policy
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status, Trust, Verb


class Promote(Request, frozen=True, kw_only=True):
    """Which candidates, and why."""

    ids: Annotated[tuple[str, ...], Meta(description="the memories in the inbox")]
    reason: Annotated[str | None, Meta(description="why")] = None


def promote(scribe: Scribe, asked: Promote) -> list[MemoryRecord]:
    """All of them or none: the first that may not be promoted is named, with the reason. Promoting twice is promoting once."""
    if not asked.ids:
        raise InvalidError("ids: name at least one memory", where="ids")
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        run = new_id() if len(asked.ids) > 1 else None
        return [_promoted(scribe, pen, id, asked.reason, run) for id in asked.ids]


def _promoted(scribe: Scribe, pen: Pen, id: str, reason: str | None, run: str | None) -> MemoryRecord:
    record = must_find(pen.view, id)
    if record.status is Status.ACTIVE:
        return record
    if record.status is not Status.INBOX:
        raise ConflictError(
            f"this memory is {record.status}; only what waits in the inbox is promoted", where=record.id
        )
    active = _by_word(scribe, pen, record, reason) if scribe.trust.outranks(Trust.AGENT) else _by_policy(pen, record)
    pen.sign(Verb.PROMOTE, reason, run=run)
    return active


def _by_word(scribe: Scribe, pen: Pen, record: MemoryRecord, reason: str | None) -> MemoryRecord:
    why = why_nobody_may(pen.view, record)
    if why is not None:
        raise ConflictError(f"promote: {why}", where=record.id, hint="`commonplace confirm` takes what is missing.")
    return accept(scribe, pen, record, Confirm(id=record.id, reason=reason))


def _by_policy(pen: Pen, record: MemoryRecord) -> MemoryRecord:
    """An agent may ask; what the policy would promote by itself is promoted (rfc 63)."""
    why = why_it_waits(pen.view, record, Policy())
    if why is not None:
        raise DeniedError(f"promote: {why}", where=record.id, hint="The operator or a curator may decide otherwise.")
    return pen.change(record, status=Status.ACTIVE, status_reason="it is grounded and confirmed")
