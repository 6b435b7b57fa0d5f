"""`consolidate`: candidates become fewer and truer. A run is a proposal, made on one look, applied as one transaction.

Between the look and the turn to write others may have written: steps that rest on what changed are dropped and reported. Before
the transaction ends, every statement that was live must still be, or be archived with a link to one that says the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from commonplace import settings
from commonplace.engine.consolidate_steps import Run
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.errors import CommonplaceError, CorruptError, DeniedError, InvalidError
from commonplace.ingest.consolidate.match import canonical
from commonplace.ingest.consolidate.plan import Planner
from commonplace.model.consolidation import (
    Action,
    ConsolidationProposal,
    ConsolidationReport,
    Policy,
    Step,
    is_due,
    state_mark,
)
from commonplace.model.filter import Filter
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Relation, Status, Trust, Type
from commonplace.seam.catalog import View


class Consolidate(Request, frozen=True, kw_only=True):
    """Which candidates to look at, and what may come of them."""

    limit: Annotated[int | None, Meta(description="look at so many candidates, the oldest first")] = None
    dry_run: Annotated[bool, Meta(description="say what would be done, and change nothing")] = False
    ids: Annotated[tuple[str, ...] | None, Meta(description="only these candidates")] = None
    after: Annotated[str | None, Meta(description="go on behind this candidate; a report says where it stopped")] = None
    least_sources: Annotated[
        int, Meta(description="promote what so many independent sources say; 0 promotes nothing", ge=0)
    ] = Policy().least_sources

    def __post_init__(self) -> None:
        if self.limit is not None and not 1 <= self.limit <= settings.MAX_LIST_LIMIT:
            raise InvalidError(f"limit: must be between 1 and {settings.MAX_LIST_LIMIT}", where="limit")


def consolidate(scribe: Scribe, asked: Consolidate) -> ConsolidationReport:
    if Trust.AGENT.outranks(scribe.trust):
        raise DeniedError(f"consolidate: not through the {scribe.trust} channel")
    policy = Policy(least_sources=asked.least_sources)
    proposal = propose(scribe, asked, policy)
    if asked.dry_run or not proposal.steps:
        return _report(proposal, None, proposal.steps, dry_run=asked.dry_run)
    return apply(scribe, proposal, policy)


def propose(scribe: Scribe, asked: Consolidate, policy: Policy) -> ConsolidationProposal:
    """What would be done. Reads only."""
    now = scribe.clock.now()
    with scribe.reading() as view:
        found = [*_candidates(view, asked, lambda record: is_due(record, now, policy))]
        made = Planner(view, now, policy, _model(scribe, view)).propose(found)
    is_more = asked.ids is None and len(found) == (asked.limit or settings.MAX_LIST_LIMIT)
    return made if is_more else msgspec.structs.replace(made, last=None)


def _model(scribe: Scribe, view: View) -> str | None:
    """Whose vectors the book has; none is loaded for this."""
    try:
        model = scribe.meaning.model()
    except CommonplaceError:
        return None
    return model if model is not None and view.has_vectors(model) else None


def _candidates(view: View, asked: Consolidate, is_old: Callable[[MemoryRecord], bool]) -> Iterator[MemoryRecord]:
    """What waits in the inbox, and episodes of some age (rfc 62), the oldest first."""
    if asked.ids is not None:
        named = (must_find(view, id) for id in asked.ids)
        yield from {record.id: record for record in named if _is_candidate(record)}.values()
        return
    waiting = view.in_order(Filter(statuses=(Status.INBOX,)))
    episodes = (pair for pair in view.in_order(Filter(types=(Type.EPISODE,))) if is_old(pair[1]))
    below = view.order_of(asked.after) if asked.after else None
    # Listings come newest first; of a long one only the oldest are kept while it goes by.
    most = asked.limit or settings.MAX_LIST_LIMIT
    oldest = [deque((p for p in pairs if below is None or p[0] > below), maxlen=most) for pairs in (waiting, episodes)]
    for _, record in sorted((*oldest[0], *oldest[1]), key=lambda pair: pair[0])[:most]:
        yield record


def _is_candidate(record: MemoryRecord) -> bool:
    return record.status is Status.INBOX or (record.type is Type.EPISODE and record.status is Status.ACTIVE)


def apply(scribe: Scribe, proposal: ConsolidationProposal, policy: Policy) -> ConsolidationReport:
    """Do what was proposed, in one transaction: all of what still holds, or nothing."""
    done: list[Step] = []
    dropped: list[Step] = []
    with scribe.writing() as pen:
        before = pen.view.by_id([*proposal.rests_on])
        fresh = {id for id, record in before.items() if state_mark(record) == proposal.rests_on[id]}
        run = Run(scribe, pen, policy, new_id())
        for step in proposal.steps:
            changed = not fresh.issuperset(step.touches)
            why = "it changed meanwhile" if changed else run.do(step)
            (dropped if why else done).append(msgspec.structs.replace(step, reason=why) if why else step)
            if why and step.action is Action.NARROW:
                fresh.discard(step.id)  # whom it was compared with rests on whose it is
        _check_nothing_is_lost(pen, before)
    return _report(proposal, run.id if done else None, tuple(done), dropped=tuple(dropped))


def _check_nothing_is_lost(pen: Pen, before: dict[str, MemoryRecord]) -> None:
    """Every statement that was live is live, or archived with a link to a live one that says the same (rfc 43, 60)."""
    after = pen.view.by_id([*before])
    for id, record in before.items():
        if not record.is_live(pen.now):
            continue
        now = after.get(id)
        if now is None or now.content != record.content or not (now.is_live(pen.now) or _is_kept(pen, now)):
            raise CorruptError("consolidate: a statement would have been lost, so nothing was changed", where=id)


def _is_kept(pen: Pen, record: MemoryRecord) -> bool:
    supported = [link.to_id for link in pen.view.links(record.id) if link.relation is Relation.SUPPORTS]
    return any(
        other.is_live(pen.now) and canonical(other) == canonical(record) for other in pen.view.by_id(supported).values()
    )


def _report(
    proposal: ConsolidationProposal,
    run: str | None,
    steps: tuple[Step, ...],
    *,
    dropped: tuple[Step, ...] = (),
    dry_run: bool = False,
) -> ConsolidationReport:
    return ConsolidationReport(
        run=run,
        dry_run=dry_run,
        looked_at=proposal.looked_at,
        steps=steps,
        waiting=proposal.waiting,
        dropped=dropped,
        next=proposal.last,
    )
