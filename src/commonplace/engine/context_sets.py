"""What an agent may be handed without having asked: the always-load set, the person's profile, a project's standing memories.

Read from the book in one consistent moment, present or past, and put into an order that depends on nothing but the memories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from commonplace import settings
from commonplace.model.base import to_micros
from commonplace.model.filter import Circle, Filter
from commonplace.model.link import ConflictState
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Relation, Scope, Status, Type
from commonplace.retrieve.budgets import MOST_SIDES, STANDING_LOOKED_AT, STANDING_OFFERED
from commonplace.seam.catalog import View
from commonplace.seam.terms import Page


class Shelf:
    """The memories of one view, as of one moment, that are near to whoever asks."""

    def __init__(
        self, view: View, circle: Circle, now: datetime, as_of: datetime | None, kinds: tuple[str, ...] | None
    ):
        self._view, self.circle, self._now, self._kinds = view, circle, now, kinds
        self._as_of = as_of
        self._seq = None if as_of is None else view.seq_at(as_of)

    def always_load(self) -> list[MemoryRecord]:
        """Sorted by priority, then alphabetically by slug: the same text every day (A74)."""
        return sorted(self._read(settings.MAX_LIST_LIMIT, always_load=True, scopes=self._at_home()), key=_by_slug)

    def profile(self) -> list[MemoryRecord]:
        """What is true of the person wherever the work is."""
        return self._strongest(types=(Type.PROFILE,), scopes=(Scope.GLOBAL,))

    def of_the_project(self, types: tuple[Type, ...], kinds: tuple[str, ...] = ()) -> list[MemoryRecord]:
        """The strongest memories of the project or repository of these types, and those of these kinds."""
        if self.circle.project_id is None and self.circle.repo_id is None:
            return []
        homes = (Scope.PROJECT, Scope.REPO)
        found = [record for type in types for record in self._strongest(types=(type,), scopes=homes)]
        if kinds and self._kinds is None:
            found += self._strongest(kinds=kinds, scopes=homes)
        return [*{record.id: record for record in found}.values()]

    def sides(self, record: MemoryRecord) -> list[MemoryRecord]:
        """The memory and, if it is disputed, those it is in open conflict with: all sides together, at most a few."""
        found, waiting = {record.id: record}, [record]
        while waiting and len(found) < MOST_SIDES:
            for other in self._opponents(waiting.pop(0)):
                if other.id not in found and len(found) < MOST_SIDES:
                    found[other.id] = other
                    waiting.append(other)
        return [*found.values()]

    def _opponents(self, record: MemoryRecord) -> Iterator[MemoryRecord]:
        known = (self._then(id) for id in _contradicting(self._view, record.id, self._as_of))
        found = [other for other in known if other is not None and self._stands(other) and self.circle.holds(other)]
        yield from sorted(found, key=_by_strength)

    def _then(self, id: str) -> MemoryRecord | None:
        if self._seq is None:
            return self._view.memory(id)
        from commonplace.engine.past import memory_at

        return memory_at(self._view, id, self._seq)

    def _at_home(self) -> tuple[Scope, ...] | None:
        """With no project named, no project's own memories are handed over unasked."""
        if self.circle.project_id is not None or self.circle.repo_id is not None:
            return None
        return (Scope.GLOBAL,) if self.circle.agent_id is None else (Scope.GLOBAL, Scope.AGENT)

    def _strongest(self, **which: object) -> list[MemoryRecord]:
        return sorted(self._read(STANDING_LOOKED_AT, **which), key=_by_strength)[:STANDING_OFFERED]

    def _read(self, most: int, **which: object) -> list[MemoryRecord]:
        if self._kinds is not None:
            which.setdefault("kinds", self._kinds)
        where, page = Filter(within=self.circle, **which), Page(limit=most)  # type: ignore[arg-type]
        found: Iterable[MemoryRecord]
        if self._seq is None:
            found = self._view.memories(where, page)
        else:
            from commonplace.engine.past import memories_at

            found = memories_at(self._view, where, page, self._seq)
        return [record for record in found if self._stands(record)]

    def _stands(self, record: MemoryRecord) -> bool:
        """Believed, begun and not over."""
        begun = record.valid_from is None or record.valid_from <= self._now
        return record.status is Status.ACTIVE and begun and record.is_live(self._now)


def _contradicting(view: View, id: str, as_of: datetime | None) -> set[str]:
    """Whom it contradicts or is contradicted by, and nobody has decided."""
    is_open: dict[str, bool] = {}
    for conflict in view.conflicts_of(id):
        if as_of is None or conflict.created_at <= as_of:
            other = conflict.right_id if conflict.left_id == id else conflict.left_id
            is_open[other] = is_open.get(other, False) or conflict.state is ConflictState.OPEN
    for link in view.links(id):
        if link.relation is Relation.CONTRADICTS and (as_of is None or link.created_at <= as_of):
            is_open.setdefault(link.to_id if link.from_id == id else link.from_id, True)
    return {other for other, still in is_open.items() if still}


def _by_slug(record: MemoryRecord) -> tuple[int, str, str]:
    return (_priority(record), record.slug, record.id)


def _priority(record: MemoryRecord) -> int:
    """`priority:high` and `priority:low` among the tags order before the alphabet."""
    return ("priority:low" in record.tags) - ("priority:high" in record.tags)


def _by_strength(record: MemoryRecord) -> tuple[bool, int, float, int, int, str]:
    """Who vouches for it, how sure it is, how often it was said, how new it is; ties always break the same way."""
    sure = 0.0 if record.confidence is None else record.confidence
    return (
        not record.always_load,
        -record.trust.rank,
        -sure,
        -record.occurrences,
        -to_micros(record.created_at),
        record.id,
    )
