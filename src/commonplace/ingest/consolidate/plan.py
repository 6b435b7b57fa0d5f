"""The plan of a run: scope, match, merge, conflict and promote in this order, on one look at the book. Nothing is written.

Narrowing comes first, because whose a statement is decides whom it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from commonplace.ingest.consolidate.conflict import disagreement
from commonplace.ingest.consolidate.match import LONGEST, Partners, is_nearly, meaning_of, same_readers
from commonplace.ingest.consolidate.merge import who_stays, why_it_stays_too
from commonplace.ingest.consolidate.promote import stands_against, why_it_waits
from commonplace.ingest.consolidate.scope import FOR_A_PERSON, is_widened, narrowed, said_elsewhere, was_proposed
from commonplace.model.consolidation import Action, ConsolidationProposal, Policy, Step, state_mark
from commonplace.model.words import Scope, Status, Type

if TYPE_CHECKING:
    from datetime import datetime

    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

# A candidate that disagrees with more than a few is not made clearer by more conflicts.
_MOST_CONFLICTS = 5
_SHOWN = 200


class Planner:
    """Looks at candidates and gathers the steps of a run."""

    def __init__(self, view: View, now: datetime, policy: Policy, model: str | None = None) -> None:
        self._view, self._policy = view, policy
        self._partners = Partners(view, now, model)
        self._steps: list[Step] = []
        self._waiting: list[Step] = []
        self._seen: dict[str, MemoryRecord] = {}
        self._as_stored: dict[str, MemoryRecord] = {}
        self._near: dict[str, list[str]] = {}
        self._stays: dict[str, str] = {}
        self._speaks_for: dict[str, str] = {}
        self._conflicts: dict[str, set[str]] = {}

    def propose(self, candidates: Sequence[MemoryRecord]) -> ConsolidationProposal:
        self._as_stored = {record.id: record for record in candidates}
        questions = [record for record in candidates if self._is_question(record)]
        self._waiting += [self._step(Action.WAIT, record.id, (), FOR_A_PERSON) for record in questions]
        own = [self._settle(record) for record in candidates if record not in questions]
        for record in own:
            self._look_around(record)
        self._merge(own)
        staying = [record for record in own if record.id not in self._stays]
        for record in staying:
            self._compare(record)
        for record in staying:
            self._widen(record)
        for record in staying:
            if record.status is Status.INBOX:
                self._promote(record)
        return ConsolidationProposal(
            looked_at=len(candidates),
            steps=tuple(self._steps),
            waiting=tuple(self._waiting),
            rests_on=self._rests_on(),
            last=candidates[-1].id if candidates else None,
        )

    def _is_question(self, record: MemoryRecord) -> bool:
        """A proposal for all projects is only asked until a person answers: nothing is merged with it or held against it."""
        return record.status is Status.INBOX and is_widened(self._view, record)

    def _settle(self, record: MemoryRecord) -> MemoryRecord:
        found = narrowed(self._view, record)
        if found is not None:
            settled, episode = found
            self._as_stored.setdefault(episode.id, episode)
            self._do(Action.NARROW, record.id, (episode.id,), f"it belongs where its episode does: {settled.scope}")
            record = settled
        self._seen[record.id] = record
        return record

    def _look_around(self, record: MemoryRecord) -> None:
        """Whose scope has just been settled is looked for anywhere: others of the same run may be about to join it."""
        moved = record is not self._as_stored[record.id]
        found = [other for other in self._partners.of(record, anywhere=moved) if not self._is_question(other)]
        for other in found:
            self._as_stored.setdefault(other.id, other)
            self._seen.setdefault(other.id, other)
        self._near[record.id] = [other.id for other in found if same_readers(record, self._seen[other.id])]

    def _merge(self, own: Sequence[MemoryRecord]) -> None:
        """All that say the same, whoever found whom; only candidates are merged away."""
        groups: dict[tuple[object, ...], list[MemoryRecord]] = {}
        for record in self._seen.values():
            groups.setdefault(meaning_of(record), []).append(record)
        self._speaks_for = {record.id: who_stays(group).id for group in groups.values() for record in group}
        for record in own:
            survivor = self._seen[self._speaks_for[record.id]]
            if survivor.id != record.id and why_it_stays_too(self._view, record, survivor) is None:
                self._stays[record.id] = survivor.id
                self._do(Action.MERGE, record.id, (survivor.id,), f"says the same as {survivor.id}")

    def _compare(self, record: MemoryRecord) -> None:
        if record.type is Type.EPISODE or len(record.content) > LONGEST:
            return
        # One of those that say the same is enough: a conflict with each of them would keep them from being merged.
        for id in dict.fromkeys(self._speaks_for[id] for id in self._near[record.id]):
            other = self._seen[id]
            if id == record.id or other.type is Type.EPISODE or len(other.content) > LONGEST:
                continue
            found = disagreement(record.content, other.content)
            if found is not None:
                self._dispute(record, other, found.reason)
            elif other.type is record.type and is_nearly(record.content, other.content):
                self._relate(record, other)

    def _dispute(self, record: MemoryRecord, other: MemoryRecord, reason: str) -> None:
        known, theirs = self._disputed_with(record.id), self._disputed_with(other.id)
        if other.id in known or len(known) >= _MOST_CONFLICTS:
            return
        known.add(other.id)
        theirs.add(record.id)
        self._do(Action.CONFLICT, record.id, (other.id,), reason)

    def _disputed_with(self, id: str) -> set[str]:
        """Also those it was decided about: what a person resolved is not asked again."""
        if id not in self._conflicts:
            sides = (side for found in self._view.conflicts_of(id) for side in (found.left_id, found.right_id))
            self._conflicts[id] = {side for side in sides if side != id}
        return self._conflicts[id]

    def _relate(self, record: MemoryRecord, other: MemoryRecord) -> None:
        ends = {record.id, other.id}
        known = any({link.from_id, link.to_id} == ends for link in self._view.links(record.id))
        planned = any(step.action is Action.RELATE and {*step.touches} == ends for step in self._steps)
        if not known and not planned:
            self._do(Action.RELATE, record.id, (other.id,), "one says the same with a word more")

    def _widen(self, record: MemoryRecord) -> None:
        if record.scope not in (Scope.PROJECT, Scope.REPO) or record.type is Type.EPISODE or not record.project_id:
            return
        elsewhere = said_elsewhere(record, self._partners.of(record, anywhere=True))
        if not elsewhere or len(elsewhere) + 1 < self._policy.widen_at or self._was_proposed(record, elsewhere):
            return
        projects = ", ".join(sorted({str(other.project_id) for other in (record, *elsewhere)}))
        for other in elsewhere:
            self._as_stored.setdefault(other.id, other)
        self._do(
            Action.WIDEN, record.id, tuple(other.id for other in elsewhere), f"said in several projects: {projects}"
        )

    def _was_proposed(self, record: MemoryRecord, elsewhere: Iterable[MemoryRecord]) -> bool:
        """Already for all projects, or once proposed and turned away, or proposed by this very run."""
        together = {record.id, *(other.id for other in elsewhere)}
        if any(step.action is Action.WIDEN and together & {*step.touches} for step in self._steps):
            return True
        return was_proposed(self._view, [record, *elsewhere])

    def _promote(self, record: MemoryRecord) -> None:
        merged = [self._seen[id] for id, survivor in self._stays.items() if survivor == record.id]
        why = self._about_to_be_disputed(record) or why_it_waits(self._view, record, self._policy, merged)
        if why is None:
            self._do(Action.PROMOTE, record.id, tuple(other.id for other in merged), "it is grounded and confirmed")
        else:
            self._waiting.append(self._step(Action.WAIT, record.id, (), why))

    def _about_to_be_disputed(self, record: MemoryRecord) -> str | None:
        for step in self._steps:
            if step.action is Action.CONFLICT and record.id in step.touches:
                other = self._seen[step.others[0] if step.id == record.id else step.id]
                if stands_against(other, record):
                    return f"it disagrees with {other.id} ({step.reason})"
        return None

    def _do(self, action: Action, id: str, others: tuple[str, ...], reason: str) -> None:
        self._steps.append(self._step(action, id, others, reason))

    def _step(self, action: Action, id: str, others: tuple[str, ...], reason: str) -> Step:
        said = self._as_stored[id].content[:_SHOWN]
        return Step(action=action, id=id, others=others, reason=reason, said=said)

    def _rests_on(self) -> dict[str, str]:
        touched = {id for step in self._steps for id in step.touches if id in self._as_stored}
        return {id: state_mark(self._as_stored[id]) for id in sorted(touched)}
