"""`resolve`: say which side of a conflict is wrong, and why. The loser stays readable; `revert` takes it back (R-b)."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.conflicts import decided, told
from commonplace.engine.scribe import Pen, Request, Scribe, harmless, must_find
from commonplace.errors import ConflictError, DeniedError, InvalidError, NotFoundError
from commonplace.guard.entry import admit
from commonplace.guard.trust import refuse_overruling
from commonplace.model.consolidation import Dispute
from commonplace.model.link import Conflict, ConflictState
from commonplace.model.record import LIVE, MemoryRecord
from commonplace.model.words import Entity, Status, Trust, Verb


class Resolve(Request, frozen=True, kw_only=True):
    """Which conflict, who loses, and why."""

    id: Annotated[str, Meta(description="the conflict")]
    loser: Annotated[str, Meta(description="the memory that is not true")]
    reason: Annotated[str, Meta(description="how one knows")]


def resolve(scribe: Scribe, asked: Resolve) -> Dispute:
    """Resolving it the same way twice is resolving it once."""
    if not asked.reason.strip():
        raise InvalidError("reason: say how one knows", where="reason")
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        conflict = _must_find(pen, asked.id)
        loser, winner = _sides(pen, conflict, asked.loser)
        if conflict.state is ConflictState.RESOLVED:
            return _resolved_already(pen, conflict, loser)
        _refuse_unless_entitled(scribe, loser, winner)
        if loser.status in LIVE:
            pen.change(loser, status=Status.CONTRADICTED, status_reason=asked.reason)
        pen.write(Entity.CONFLICT, conflict, decided(conflict, loser.id, asked.reason, pen.now))
        pen.sign(Verb.CONTRADICT, asked.reason)
        return told(pen.view, _must_find(pen, conflict.id))


def _must_find(pen: Pen, id: str) -> Conflict:
    found = pen.view.noun(Entity.CONFLICT, id)
    if not isinstance(found, Conflict):
        raise NotFoundError("there is no such conflict", where=harmless(id), hint="`commonplace conflicts` lists them.")
    return found


def _sides(pen: Pen, conflict: Conflict, loser: str) -> tuple[MemoryRecord, MemoryRecord]:
    lost = must_find(pen.view, loser)
    if lost.id not in (conflict.left_id, conflict.right_id):
        hint = f"Its sides are {conflict.left_id} and {conflict.right_id}."
        raise InvalidError("loser: this memory is no side of the conflict", hint=hint, where="loser")
    return lost, must_find(pen.view, conflict.right_id if lost.id == conflict.left_id else conflict.left_id)


def _resolved_already(pen: Pen, conflict: Conflict, loser: MemoryRecord) -> Dispute:
    if conflict.loser_id == loser.id:
        return told(pen.view, conflict)
    raise ConflictError(
        "this conflict was resolved the other way",
        where=conflict.id,
        hint="Revert the operation that resolved it first.",
    )


def _refuse_unless_entitled(scribe: Scribe, loser: MemoryRecord, winner: MemoryRecord) -> None:
    """Nobody overrules whom he may not; and what is trusted less wins by the operator's word alone."""
    refuse_overruling(scribe.trust, loser, "resolve")
    if loser.trust.outranks(winner.trust) and scribe.trust is not Trust.OPERATOR:
        raise DeniedError(f"resolve: the {loser.trust} would lose to the {winner.trust}", where=loser.id)
    if Trust.AGENT.outranks(scribe.trust):
        raise DeniedError(f"resolve: not through the {scribe.trust} channel")
