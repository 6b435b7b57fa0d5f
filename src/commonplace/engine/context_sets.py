"""What an agent may be handed without having asked: the always-load set, the person's profile, a project's standing memories.

Read from the book in one consistent moment, present or past, and put into an order that depends on nothing but the memories.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from commonplace import settings
from commonplace.model.base import to_micros
from commonplace.model.filter import PRIVATE, Circle, Filter
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
        found = self._read(settings.MAX_LIST_LIMIT, always_load=True)
        return sorted((record for record in found if self._may_come_unasked(record)), key=_by_slug)

    def profile(self) -> list[MemoryRecord]:
        """What is true of the person wherever the work is, beside what always holds."""
        return self._strongest([{"types": (Type.PROFILE,), "scopes": (Scope.GLOBAL,), "always_load": False}])

    def of_the_project(self, types: tuple[Type, ...], kinds: tuple[str, ...] = ()) -> list[MemoryRecord]:
        """The strongest memories of the project and repository of each of these types, and of these kinds."""
        sorts: list[dict[str, object]] = [{"types": (type,)} for type in types]
        if kinds and self._kinds is None:
            sorts.append({"kinds": kinds})
        named = {"project_id": self.circle.project_id, "repo_id": self.circle.repo_id}
        # The owner is named first, so that the cost is the project's and not the book's.
        owners = [{field: value, "scopes": _OWNED} for field, value in named.items() if value is not None]
        found = [record for sort in sorts for record in self._strongest([owner | sort for owner in owners])]
        return [*{record.id: record for record in found}.values()]

    def sides(self, record: MemoryRecord, crossed: Collection[str] = ()) -> list[MemoryRecord]:
        """The memory and, if it is disputed, those it is in open conflict with: all sides together, at most a few.

        `crossed` are the ids that a search let cross over: what may be shown for itself may be shown as the other side.
        """
        found, waiting = {record.id: record}, [record]
        while waiting and len(found) < MOST_SIDES:
            for other in self._opponents(waiting.pop(0), crossed):
                if other.id not in found and len(found) < MOST_SIDES:
                    found[other.id] = other
                    waiting.append(other)
        return [*found.values()]

    def _opponents(self, record: MemoryRecord, crossed: Collection[str]) -> list[MemoryRecord]:
        known = (self._then(id) for id in _contradicting(self._view, record.id, self._as_of))
        standing = (other for other in known if other is not None and self._stands(other))
        seen = (other for other in standing if self.circle.holds(other) or other.id in crossed)
        return sorted((other for other in seen if not is_private(other, self.circle.agent_id)), key=_by_strength)

    def _then(self, id: str) -> MemoryRecord | None:
        if self._seq is None:
            return self._view.memory(id)
        from commonplace.engine.past import memory_at

        return memory_at(self._view, id, self._seq)

    def _may_come_unasked(self, record: MemoryRecord) -> bool:
        """With no project named, no project's own memories are handed over unasked."""
        somewhere = self.circle.project_id is not None or self.circle.repo_id is not None
        return not is_private(record, self.circle.agent_id) and (somewhere or record.scope not in _OWNED)

    def _strongest(self, several: list[dict[str, object]]) -> list[MemoryRecord]:
        found = {record.id: record for which in several for record in self._read(STANDING_LOOKED_AT, **which)}
        return sorted(found.values(), key=_by_strength)[:STANDING_OFFERED]

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


_OWNED = (Scope.PROJECT, Scope.REPO)


def is_private(record: MemoryRecord, agent: str | None) -> bool:
    """Does another agent keep it to itself? Then it is in nobody else's prompt, whatever is looked through (R9)."""
    return record.scope in PRIVATE and (agent is None or record.agent_id != agent)


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
