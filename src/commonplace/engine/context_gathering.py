"""Which memories could be handed over now, the strongest first, as lines; and which not, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from commonplace.engine.context_lines import line_of, sort_of
from commonplace.engine.context_sets import Shelf, is_private
from commonplace.engine.receipts import candidate_of
from commonplace.model.receipt import Candidate, Moment
from commonplace.model.record import MemoryRecord
from commonplace.model.result import RetrievalResult
from commonplace.model.words import Trust, Type
from commonplace.retrieve.budgets import (
    EPISODE_DAYS,
    EPISODE_RELEVANCE,
    FLOORS,
    MOST_ENTRIES,
    PHASE_PROJECT_PLACES,
    phase_of,
)
from commonplace.retrieve.pack import Entry

if TYPE_CHECKING:
    from commonplace.engine.context import ContextFor
    from commonplace.retrieve.anchors import Tree
    from commonplace.retrieve.ranking import Found


class Pick(NamedTuple):
    """One memory that may be handed over, and the part of the text it belongs to."""

    result: RetrievalResult
    part: int
    unasked: bool = False
    """Handed over for what it is, whatever was searched for."""


class Gathering:
    """Everything that could be said now, the strongest first, as lines; and what is not said, with the reason."""

    def __init__(self, asked: ContextFor, found: Found, shown: set[str], now: datetime) -> None:
        self.asked, self.found, self.now = asked, found, now
        self.entries: list[Entry] = []
        self.results: dict[str, RetrievalResult] = {}
        self.lost: list[Candidate] = []
        self.dated = asked.when is not Moment.SESSION_START
        self._shown, self._said = shown, set[str]()
        self._scored = {result.record.id: result for result in found.results}
        self._tree = _tree(asked.root)

    def gather(self, shelf: Shelf) -> None:
        for number, pick in enumerate(self._picks(shelf)):
            self._add(pick, number, shelf)

    def _picks(self, shelf: Shelf) -> Iterable[Pick]:
        if self.asked.when is Moment.SESSION_START:
            standing = shelf.of_the_project((Type.PROJECT, Type.DECISION, Type.ARTIFACT))
            unasked = [*_standing(shelf.always_load(), 0, "always"), *_standing(shelf.profile(), 1, "profile")]
            return [*unasked, *_standing(standing, 2, "project")]
        if self.asked.when is Moment.PHASE:
            return self._phase(shelf)
        return [*self._strong(), *self._unasked(shelf)]

    def _phase(self, shelf: Shelf) -> list[Pick]:
        """Always-load first, then the project; for who documents, the project first (A78)."""
        phase = phase_of(self.asked.phase)
        if self.asked.task:
            own = [pick for pick in self._strong() if _is_of(pick.result.record, phase.types, phase.kinds)]
        else:
            types = tuple(Type(word) for word in phase.types)
            own = [*_standing(shelf.of_the_project(types, phase.kinds), 0, "project")]
        most = MOST_ENTRIES[Moment.PHASE]
        always = [*_standing(shelf.always_load(), 0, "always")]
        fresh = [pick for pick in always if pick.result.record.id not in self._shown]
        fresh = fresh[: most - min(len(own), PHASE_PROJECT_PLACES)]
        first, second = (own, fresh) if phase.project_first else (fresh, own)
        return [*(pick._replace(part=0) for pick in first), *(pick._replace(part=1) for pick in second)]

    def _strong(self) -> list[Pick]:
        """What the search found and is strong enough for this moment."""
        floor = FLOORS[self.asked.when]
        self.found.thresholds.update(relevance=floor.relevance, beside=round(floor.beside * self.found.point, 6))
        strong = []
        for result in self.found.results:
            why_not = self._why_not(result)
            if why_not is None:
                strong.append(Pick(result, _PARTS[sort_of(result.record)]))
            else:
                self.lose(result, why_not)
        return strong

    def _why_not(self, result: RetrievalResult) -> str | None:
        record = result.record
        if is_private(record, self.asked.agent):
            return "another agent keeps it to itself"
        if self.asked.when in _ONLY_NEW and record.id in self._shown:
            return "this session was handed it already"
        if not self._is_strong(result):
            return f"relevance {result.relevance:.2f} is too low for this moment"
        seen = record.observed_at or record.created_at
        is_old = self.now - seen > timedelta(days=EPISODE_DAYS)
        if record.type is Type.EPISODE and is_old and result.relevance < EPISODE_RELEVANCE:
            return "an episode that is neither strong nor recent"
        return None

    def _is_strong(self, result: RetrievalResult) -> bool:
        floor, best = FLOORS[self.asked.when], self.found.results[0]
        beside = best.relevance >= floor.relevance and best.score - result.score < floor.beside * self.found.point
        return result.relevance >= floor.relevance or beside

    def _unasked(self, shelf: Shelf) -> Iterable[Pick]:
        """The person's profile and what always holds, beside what was found; not with a later prompt."""
        if self.asked.when is Moment.PROMPT:
            return
        always, profile = _standing(shelf.always_load(), 0, "always"), _standing(shelf.profile(), 0, "profile")
        for pick in _in_turn(always, profile):
            if self.asked.when not in _ONLY_NEW or pick.result.record.id not in self._shown:
                yield pick._replace(part=_PARTS[sort_of(pick.result.record)], unasked=True)

    def _add(self, pick: Pick, number: int, shelf: Shelf) -> None:
        if pick.result.record.id in self.results or pick.result.record.fingerprint in self._said:
            return
        sides = shelf.sides(pick.result.record, self._scored.keys())
        if any(side.id in self.results for side in sides[1:]):  # a flood of contradictions is one dispute
            self.lose(pick.result, "its dispute is shown with enough sides")
            return
        results = [pick.result, *(self._other_side(record, pick.result.record.id) for record in sides[1:])]
        lines = [self._line(result, disputed=len(sides) > 1) for result in results]
        if None in lines:  # one side of a dispute is not shown without the other
            self.lose(pick.result, "withheld: it holds what looks like a secret")
            return
        record = pick.result.record
        self.results |= {result.record.id: result for result in results}
        self._said |= {result.record.fingerprint for result in results}
        self.entries.append(
            Entry(
                ids=tuple(result.record.id for result in results),
                lines=tuple(line for line in lines if line is not None),
                group=sort_of(record),
                place=(pick.part, number),
                unasked=pick.unasked,
                doubtful=None if record.trust.rank >= Trust.AGENT.rank else str(record.source_ref),
            )
        )

    def _other_side(self, record: MemoryRecord, of: str) -> RetrievalResult:
        why = f"it contradicts {of}, and nobody has decided"
        return self._scored.get(record.id) or _unsearched(record, why)

    def _line(self, result: RetrievalResult, *, disputed: bool) -> str | None:
        labels = ["conflict"] if disputed else []
        if self._tree is not None and self._is_here(result.record) and self._tree.is_stale(result.record.anchors):
            labels.append("stale")
        return line_of(result, labels, self.now if self.dated else None)

    def _is_here(self, record: MemoryRecord) -> bool:
        """An anchor of another repository says nothing about this working tree."""
        return (record.repo_id or self.asked.repo) == self.asked.repo or self.asked.repo is None

    def lose(self, result: RetrievalResult, why: str) -> None:
        self.lost.append(candidate_of(result, why))


_ONLY_NEW = (Moment.GOAL, Moment.PROMPT)
_PARTS = {"profile": 0, "fact": 1, "decision": 2, "episode": 3}
_WHY = {
    "always": "it is handed to every agent at the start of a session",
    "profile": "it is true of the person, whatever the task",
    "project": "it is among the strongest standing memories of the project",
}


def _standing(records: Iterable[MemoryRecord], part: int, why: str) -> Iterable[Pick]:
    for record in records:
        yield Pick(_unsearched(record, _WHY[why]), part)


def _in_turn(one: Iterable[Pick], other: Iterable[Pick]) -> Iterable[Pick]:
    """One of each, so that neither fills the few places that there are."""
    return (pick for pair in zip_longest(one, other) for pick in pair if pick is not None)


def _unsearched(record: MemoryRecord, why: str) -> RetrievalResult:
    return RetrievalResult(record=record, score=0.0, scores={}, matched_scope=record.scope, explanation=why)


def _is_of(record: MemoryRecord, types: tuple[str, ...], kinds: tuple[str, ...]) -> bool:
    return record.type in types or record.kind in kinds


def _tree(root: str | None) -> Tree | None:
    if not root or not root.strip():  # no name is no tree: least of all wherever this process happens to stand
        return None
    from commonplace.retrieve.anchors import Tree

    return Tree(root)
