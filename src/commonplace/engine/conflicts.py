"""`conflicts`: which memories disagree? Each with both sides as they are now, the newest first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Annotated

import msgspec
from msgspec import Meta

from commonplace import settings
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import InvalidError
from commonplace.model.consolidation import Dispute
from commonplace.model.link import Conflict, ConflictState
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.catalog import View


class Conflicts(Request, frozen=True, kw_only=True):
    """Which conflicts to list."""

    state: Annotated[str, Meta(description="open, resolved, or all")] = "open"
    memory: Annotated[str | None, Meta(description="only those this memory is a side of")] = None
    limit: Annotated[int, Meta(description="at most this many")] = settings.DEFAULT_LIST_LIMIT

    def __post_init__(self) -> None:
        if self.state not in (*ConflictState, "all"):
            raise InvalidError("state: must be open, resolved or all", hint="Use open, resolved or all.", where="state")
        if not 1 <= self.limit <= settings.MAX_LIST_LIMIT:
            raise InvalidError(f"limit: must be between 1 and {settings.MAX_LIST_LIMIT}", where="limit")


def conflicts(scribe: Scribe, asked: Conflicts) -> list[Dispute]:
    with scribe.reading() as view:
        wanted = [one for one in _all(view, asked) if asked.state in ("all", one.state)]
        newest = sorted(wanted, key=lambda one: (one.created_at, one.id), reverse=True)
        shown = [*islice(newest, asked.limit)]
        sides = view.by_id([id for one in shown for id in (one.left_id, one.right_id)])
        return [told(view, one, sides) for one in shown]


def _all(view: View, asked: Conflicts) -> list[Conflict]:
    if asked.memory is not None:
        record = view.memory(asked.memory)
        return view.conflicts_of(record.id) if record else []
    return [one for one in view.nouns(Entity.CONFLICT) if isinstance(one, Conflict)]


def told(view: View, conflict: Conflict, sides: Mapping[str, MemoryRecord] | None = None) -> Dispute:
    """The conflict with its two sides and, if it was resolved, by whom."""
    resolver = None
    if conflict.state is ConflictState.RESOLVED:
        resolver = next((entry.actor for entry in view.operations(subject=conflict.id, newest_first=True)), None)
    if sides is None:
        sides = view.by_id([conflict.left_id, conflict.right_id])
    return Dispute(
        **{field: getattr(conflict, field) for field in Conflict.__struct_fields__},
        left=sides.get(conflict.left_id),
        right=sides.get(conflict.right_id),
        resolved_by=resolver,
    )


def decided(conflict: Conflict, loser_id: str, why: str, now: datetime) -> Conflict:
    """The conflict, resolved: this side is not true."""
    return msgspec.structs.replace(
        conflict, state=ConflictState.RESOLVED, loser_id=loser_id, resolution=why, resolved_at=now
    )
