"""`ConsolidationProposal`: what a run would do and why, before anything is written; and the report of what it did."""

from __future__ import annotations

from datetime import datetime

from commonplace.model.base import Closed, Noun, to_micros
from commonplace.model.link import Conflict
from commonplace.model.record import MemoryRecord


class Action(Closed):
    """What a step does to a memory."""

    NARROW = "narrow"
    MERGE = "merge"
    RELATE = "relate"
    CONFLICT = "conflict"
    WIDEN = "widen"
    PROMOTE = "promote"
    WAIT = "wait"


class Step(Noun, frozen=True, kw_only=True):
    """One thing to do, to which memory, with which others, and why."""

    action: Action
    id: str
    others: tuple[str, ...] = ()
    """Merge: who stays. Conflict, relate: the other side. Narrow: the episode it came from. Widen: the same elsewhere."""
    reason: str
    said: str = ""
    """How the memory begins, for whoever reads the report."""

    @property
    def touches(self) -> tuple[str, ...]:
        return (self.id, *self.others)


class Policy(Noun, frozen=True, kw_only=True):
    """What may become active without a person's word. The default is careful."""

    least_sources: int = 2
    """So many independent sources must say it; 0 means that only a person promotes."""
    episode_age_hours: float = 24.0
    """A younger episode is left alone: its session may still go on."""
    widen_at: int = 2
    """Said in so many projects, it is proposed for all of them."""


class ConsolidationProposal(Noun, frozen=True, kw_only=True):
    """What a run would do. It holds as long as what it rests on is unchanged."""

    looked_at: int = 0
    steps: tuple[Step, ...] = ()
    waiting: tuple[Step, ...] = ()
    """What stays in the inbox, each with the reason."""
    rests_on: dict[str, str] = {}
    """The memories it was made from, each with the state it had then."""
    last: str | None = None
    """The last candidate that was looked at: where the next run goes on if there were more than its limit."""


class ConsolidationReport(Noun, frozen=True, kw_only=True):
    """What a run did, or with `dry_run` would do. `revert(report.run)` undoes it."""

    run: str | None
    dry_run: bool
    looked_at: int
    steps: tuple[Step, ...] = ()
    waiting: tuple[Step, ...] = ()
    dropped: tuple[Step, ...] = ()
    """What was proposed and not done, because something changed meanwhile or this caller may not."""
    next: str | None = None
    """Give it as `after=` to go on with the candidates that were beyond the limit."""

    def of(self, action: str) -> tuple[Step, ...]:
        """The steps of one sort: `report.of("merge")`."""
        return tuple(step for step in self.steps if step.action == action)


class Dispute(Conflict, frozen=True, kw_only=True):
    """A conflict with both sides as they are now, and who resolved it."""

    left: MemoryRecord | None = None
    right: MemoryRecord | None = None
    resolved_by: str | None = None


def state_mark(record: MemoryRecord) -> str:
    """Changes whenever the record does."""
    return f"{to_micros(record.updated_at)} {record.status} {record.fingerprint}"


def is_due(record: MemoryRecord, now: datetime, policy: Policy) -> bool:
    """Is an episode old enough to be looked at?"""
    return (now - record.created_at).total_seconds() >= policy.episode_age_hours * 3600
