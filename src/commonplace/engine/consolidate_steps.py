"""The steps of a consolidation run, each one operation of the journal, or the reason why it was not done.

Whoever runs it may not do more by a step than by hand: what is trusted more is not put away, and only the operator or a
curator promotes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from commonplace.engine.contradict import dispute
from commonplace.engine.scribe import Pen, Scribe, must_find
from commonplace.guard.trust import lesser, may_overrule, tier_of
from commonplace.ingest.consolidate.merge import gains
from commonplace.ingest.consolidate.promote import why_it_waits
from commonplace.ingest.consolidate.scope import narrowed, was_proposed
from commonplace.model.consolidation import Action, Policy, Step
from commonplace.model.ids import new_id
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Relation, Scope, Status, Trust, Verb

# Of the reason why something waits, when another one joins it.
_KEPT = 500


class Run(NamedTuple):
    """One run in the making. Each step is one operation of it, or the reason why it is not done."""

    scribe: Scribe
    pen: Pen
    policy: Policy
    id: str

    def do(self, step: Step) -> str | None:
        records = [must_find(self.pen.view, id) for id in step.touches]
        if any(record.status not in (Status.ACTIVE, Status.INBOX) for record in records[: 1 + _NEEDED[step.action]]):
            return "it does not stand any more"
        return _DO[step.action](self, step, records)

    def sign(self, verb: Verb, reason: str) -> None:
        self.pen.sign(verb, reason, run=self.id)

    def link(self, one: MemoryRecord, relation: Relation, other: MemoryRecord) -> bool:
        """False if it is there already."""
        made = Link(
            from_id=one.id,
            relation=relation,
            to_id=other.id,
            evidence_ref=one.evidence_ref,
            created_at=self.pen.now,
        )
        is_new = self.pen.view.noun(Entity.LINK, made.id) is None
        if is_new:
            self.pen.write(Entity.LINK, None, made)
        return is_new


def _narrow(run: Run, step: Step, records: list[MemoryRecord]) -> str | None:
    found = narrowed(run.pen.view, records[0])
    if found is None or not may_overrule(run.scribe.trust, records[0]):
        return "its scope is its own"
    settled = found[0]
    owners = {name: getattr(settled, name) for name in ("scope", "scope_word", "project_id", "repo_id", "agent_id")}
    run.pen.change(records[0], **owners)
    run.sign(Verb.EDIT, step.reason)
    return None


def _merge(run: Run, step: Step, records: list[MemoryRecord]) -> str | None:
    goes, stays = records
    if not may_overrule(run.scribe.trust, goes):
        return f"it has the trust of {goes.trust}; {run.scribe.trust} may not put it away"
    run.pen.change(goes, status=Status.ARCHIVED, status_reason=step.reason)
    gained = gains(stays, goes)
    if gained:
        run.pen.change(stays, **gained)
    run.link(goes, Relation.SUPPORTS, stays)
    run.sign(Verb.ARCHIVE, step.reason)
    return None


def _relate(run: Run, step: Step, records: list[MemoryRecord]) -> str | None:
    if not run.link(records[0], Relation.RELATED_TO, records[1]):
        return "it is linked already"
    run.sign(Verb.LINK, step.reason)
    return None


def _conflict(run: Run, step: Step, records: list[MemoryRecord]) -> str | None:
    dispute(run.pen, records[0], records[1], step.reason)
    for one, other in (records, reversed(records)):
        if one.status is Status.INBOX:
            waits = f"{one.status_reason}; " if one.status_reason else ""
            # Not what the other one says: that may be purged one day.
            run.pen.change(one, status_reason=f"{waits[:_KEPT]}it disagrees with {other.id}")
    run.sign(Verb.CONTRADICT, step.reason)
    return None


def _widen(run: Run, step: Step, records: list[MemoryRecord]) -> str | None:
    """A proposal of its own in the inbox: what the projects say stays as it is."""
    if was_proposed(run.pen.view, records):
        return "it was proposed already"
    first, trust = records[0], records[0].trust
    for record in records[1:]:
        trust = lesser(trust, record.trust)
    made = first.with_(
        id=new_id(), scope=Scope.GLOBAL, scope_word=None, project_id=None, repo_id=None, agent_id=None,
        status=Status.INBOX, status_reason=f"{step.reason}; keep it for all?", trust=trust, tier=tier_of(trust),
        created_at=run.pen.now, updated_at=run.pen.now, occurrences=1, aliases=(), always_load=False, supersedes=None,
        superseded_by=None,
    )  # fmt: skip
    run.pen.record(None, made)
    for record in records:
        run.link(made, Relation.DERIVED_FROM, record)
    run.sign(Verb.SAVE, step.reason)
    return None


def _promote(run: Run, step: Step, records: list[MemoryRecord]) -> str | None:
    """Asked again here: what it was to be promoted for may not have been done."""
    if not run.scribe.trust.outranks(Trust.AGENT):
        return "the operator or a curator must run it"
    why = why_it_waits(run.pen.view, records[0], run.policy)
    if why is None:
        run.pen.change(records[0], status=Status.ACTIVE, status_reason=step.reason)
        run.sign(Verb.PROMOTE, step.reason)
    return why


_DO: dict[Action, Callable[[Run, Step, list[MemoryRecord]], str | None]] = {
    Action.NARROW: _narrow, Action.MERGE: _merge, Action.RELATE: _relate, Action.CONFLICT: _conflict,
    Action.WIDEN: _widen, Action.PROMOTE: _promote,
}  # fmt: skip
# How many of the others must still stand: those that were merged before a promotion do not.
_NEEDED = {Action.NARROW: 0, Action.MERGE: 1, Action.RELATE: 1, Action.CONFLICT: 1, Action.WIDEN: 0, Action.PROMOTE: 0}
