"""`archive`, `forget` and `restore`: put a memory away, soft-delete it, or bring it back. Nothing is lost by any of them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.evolve import link_supersession
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.errors import ConflictError, DeniedError
from commonplace.guard.entry import admit
from commonplace.guard.trust import refuse_overruling
from commonplace.model.operation import Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status, Verb
from commonplace.seam.catalog import View


class PutAway(Request, frozen=True, kw_only=True):
    """Which memory, and why."""

    id: Annotated[str, Meta(description="the memory")]
    reason: Annotated[str | None, Meta(description="why")] = None
    expect: Annotated[str | None, Meta(description="the fingerprint you read; refused if it changed since")] = None


class Archive(PutAway, frozen=True, kw_only=True):
    """Put a memory away; it stays readable and can be restored."""


class Forget(PutAway, frozen=True, kw_only=True):
    """Soft-delete a memory; `restore` brings it back, `purge` destroys it."""


class Restore(PutAway, frozen=True, kw_only=True):
    """Bring a memory back to what it was before it was put away."""


def archive(scribe: Scribe, asked: Archive) -> MemoryRecord:
    """Archiving twice is archiving once."""
    return _put_away(scribe, asked, Status.ARCHIVED, Verb.ARCHIVE)


def forget(scribe: Scribe, asked: Forget) -> MemoryRecord:
    """Forgetting twice is forgetting once."""
    return _put_away(scribe, asked, Status.DELETED, Verb.FORGET)


def _put_away(scribe: Scribe, asked: PutAway, status: Status, verb: Verb) -> MemoryRecord:
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        record = must_find(pen.view, asked.id, asked.expect)
        if record.status is status:
            return record
        refuse_overruling(scribe.trust, record, str(verb))
        if status is Status.ARCHIVED and record.status is Status.DELETED:
            raise ConflictError("a deleted memory cannot be archived", where=record.id, hint="Restore it first.")
        deleted_at = pen.now if status is Status.DELETED else record.deleted_at
        away = pen.change(record, status=status, status_reason=asked.reason, deleted_at=deleted_at)
        pen.sign(verb, asked.reason)
        return away


def restore(scribe: Scribe, asked: Restore) -> MemoryRecord:
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        record = must_find(pen.view, asked.id, asked.expect)
        if record.status is Status.ACTIVE:
            return record
        _refuse_unless_away(pen.view, record)
        before, away = _before(pen.view, record)
        if away is not None and away.trust.outranks(scribe.trust):
            raise DeniedError(f"restore: the {away.trust} put this memory away", where=record.id)
        if before is Status.ACTIVE:
            _take_its_place(scribe, pen, record)
        back = pen.change(record, status=before, status_reason=asked.reason, deleted_at=None, **_freed(record))
        pen.sign(Verb.RESTORE, asked.reason)
        return back


def _refuse_unless_away(view: View, record: MemoryRecord) -> None:
    """What was superseded comes back by undoing that; unless its successor was purged, and there is nothing to undo."""
    hints = {Status.INBOX: "Confirm it instead.", Status.SUPERSEDED: "Revert the operation that superseded it."}
    is_bereft = record.superseded_by is not None and view.is_purged(record.superseded_by)
    if record.status in hints and not (record.status is Status.SUPERSEDED and is_bereft):
        raise ConflictError(
            f"a memory that is {record.status} was not put away", where=record.id, hint=hints[record.status]
        )


def _freed(record: MemoryRecord) -> dict[str, None]:
    return {"superseded_by": None} if record.status is Status.SUPERSEDED else {}


def _take_its_place(scribe: Scribe, pen: Pen, record: MemoryRecord) -> None:
    """What it replaced, and what came back when that was undone, steps aside again: one of both is true, not both."""
    old = pen.view.memory(record.supersedes) if record.supersedes else None
    if old is not None and old.status is Status.ACTIVE:
        refuse_overruling(scribe.trust, old, "restore")
        link_supersession(pen, old, record, "what replaced it was restored")


def _before(view: View, record: MemoryRecord) -> tuple[Status, Operation | None]:
    """The status it had before it was put away, however often, and the operation that last did so."""
    away: Operation | None = None
    for operation in view.operations(subject=record.id, newest_first=True):
        for change in operation.changes:
            if change.id != record.id or not change.before or "status" not in change.before:
                continue
            away = away or operation
            status = Status(change.before["status"])
            if status not in (Status.ARCHIVED, Status.DELETED, Status.CONTRADICTED):
                return status, away
    return Status.ACTIVE, away
