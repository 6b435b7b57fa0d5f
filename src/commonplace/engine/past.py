"""What did the book believe then? The journal played forward to a moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.operation import Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.catalog import Page, View

State = dict[str, Any] | None


def replay(operations: Iterable[Operation], subject: str) -> State:
    """What these operations, in order, make of one thing. None when it does not exist (not yet, or no more)."""
    state: State = None
    for operation in operations:
        for change in operation.changes:
            if change.id == subject:
                state = None if change.after is None else {**(state or {}), **change.after}
    return state


def memory_at(view: View, id: str, seq: int) -> MemoryRecord | None:
    """The memory as of entry `seq`."""
    now = view.memory(id)
    subject = now.id if now else id
    told = (operation for operation in view.operations(subject=subject) if operation.seq <= seq)
    state = replay(told, subject)
    return MemoryRecord.from_dict(state) if state else None


def memories_at(view: View, where: Filter, page: Page, seq: int) -> Iterator[MemoryRecord]:
    """Those that matched as of entry `seq`, newest first.

    What has not changed since is read as it is; only what has is played back, so the cost grows with what has changed.
    """
    changed = _changed_since(view, seq)
    then = (memory_at(view, id, seq) for id in changed)
    moved = [record for record in then if record is not None and where.matches(record)]
    still = (record for record in view.memories(where) if record.id not in changed)
    found = _newest_first(moved, still)
    return _page(found, page)


def _changed_since(view: View, seq: int) -> set[str]:
    return {
        change.id
        for operation in view.operations(after_seq=seq)
        for change in operation.changes
        if change.entity is Entity.MEMORY
    }


def _newest_first(moved: list[MemoryRecord], still: Iterator[MemoryRecord]) -> Iterator[MemoryRecord]:
    from heapq import merge

    moved.sort(key=_newest)
    return merge(moved, still, key=_newest)


def _newest(record: MemoryRecord) -> float:
    return -record.created_at.timestamp()


def _page(found: Iterator[MemoryRecord], page: Page) -> Iterator[MemoryRecord]:
    going = page.after is None
    left = page.limit
    for record in found:
        if left <= 0:
            return
        if going:
            left -= 1
            yield record
        elif record.id == page.after:
            going = True


ANY = Filter(statuses=EVERY_STATUS)
