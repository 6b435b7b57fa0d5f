"""What did the book believe then? The journal played forward to a moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Any

from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.operation import Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.catalog import View
from commonplace.seam.terms import Order, Page

State = dict[str, Any] | None


def replay(operations: Iterable[Operation], subject: str, entity: Entity | None = None) -> State:
    """What these operations, in order, make of one thing. None when it does not exist (not yet, or no more), or when it is
    not what was asked for."""
    state: State = None
    for operation in operations:
        for change in operation.changes:
            if change.id == subject and entity in (None, change.entity):
                state = None if change.after is None else {**(state or _LATER.get(change.entity, {})), **change.after}
    return state


# Fields that a later version gave to a noun: what an older entry does not say of them.
_LATER: dict[Entity, dict[str, Any]] = {
    Entity.SOURCE: {"format": None, "outline": None},
    Entity.EVENT: {"project_id": None, "repo_id": None, "agent_id": None, "mode": None},
}


def memory_at(view: View, id: str, seq: int) -> MemoryRecord | None:
    """The memory as of entry `seq`."""
    now = view.memory(id)
    return _memory_at(view, now.id if now else id, seq)


def _memory_at(view: View, subject: str, seq: int) -> MemoryRecord | None:
    told = (operation for operation in view.operations(subject=subject) if operation.seq <= seq)
    state = replay(told, subject, Entity.MEMORY)
    return MemoryRecord.from_dict(state) if state else None


class Past:
    """The book as it was: where a search of the past gets its records from."""

    def __init__(self, view: View, seq: int) -> None:
        self._view, self._seq = view, seq

    def records(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        found = ((id, _memory_at(self._view, id, self._seq)) for id in ids)
        return {id: record for id, record in found if record is not None}


def memories_at(view: View, where: Filter, page: Page, seq: int) -> Iterator[MemoryRecord]:
    """Those that matched as of entry `seq`, newest first.

    What has not changed since is read as it is; only what has is played back, so the cost grows with what has changed.
    """
    below = view.order_of(page.after) if page.after else None
    changed = _changed_since(view, seq)
    then = [(view.order_of(id), record) for id in changed if (record := _memory_at(view, id, seq))]
    moved = sorted((pair for pair in then if where.matches(pair[1])), key=_newest_first)
    still = (pair for pair in view.in_order(where) if pair[1].id not in changed)
    found = (record for order, record in merge(moved, still, key=_newest_first) if below is None or order < below)
    return islice(found, page.limit)


def _newest_first(pair: tuple[Order, MemoryRecord]) -> tuple[int, int]:
    return (-pair[0][0], -pair[0][1])


def _changed_since(view: View, seq: int) -> set[str]:
    """The memories that later entries speak of and that are still there: what was purged is gone from the past too."""
    later = (change for operation in view.operations(after_seq=seq) for change in operation.changes)
    spoken_of = [change.id for change in later if change.entity is Entity.MEMORY]
    return view.present(Entity.MEMORY, spoken_of)


ANY = Filter(statuses=EVERY_STATUS)
