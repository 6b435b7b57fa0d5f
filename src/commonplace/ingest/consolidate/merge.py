"""Merge: of several memories that say the same, one stays. The others are archived with a link to it; nothing is lost.

Who stays gains what the others knew and it did not, as far as they are trusted as much: a stranger's copy adds only its link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace import settings
from commonplace.guard.trust import may_overrule, tier_of
from commonplace.model.link import ConflictState
from commonplace.model.words import Status, Trust

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View


def who_stays(group: Sequence[MemoryRecord]) -> MemoryRecord:
    """The active one; then the more trusted, the better grounded, the older."""
    return min(group, key=_standing)


def _standing(record: MemoryRecord) -> tuple[object, ...]:
    return (
        record.status is not Status.ACTIVE,
        -record.trust.rank,
        not record.evidence_ref,
        not record.rationale,
        record.created_at,
        record.id,
    )


def why_it_stays_too(view: View, record: MemoryRecord, survivor: MemoryRecord) -> str | None:
    """Why it is not merged although it says the same; None if it may go."""
    if record.supersedes and record.supersedes != survivor.supersedes:
        return "it proposes to replace another memory"
    if any(conflict.state is ConflictState.OPEN for conflict in view.conflicts_of(record.id)):
        return "it is a side of an open conflict"
    return None


def gains(survivor: MemoryRecord, merged: MemoryRecord) -> dict[str, Any]:
    """The fields of the survivor that change when another one that says the same is merged into it."""
    if merged.trust is Trust.EXTERNAL and survivor.trust is not Trust.EXTERNAL:
        return {}
    gained: dict[str, Any] = {"occurrences": min(survivor.occurrences + merged.occurrences, 2**53 - 1)}
    if not may_overrule(merged.trust, survivor):
        return gained
    if merged.trust.outranks(survivor.trust):
        gained |= {"trust": merged.trust, "tier": tier_of(merged.trust)}
    for field in ("evidence_ref", "rationale", "title", "summary"):
        if not getattr(survivor, field) and getattr(merged, field):
            gained[field] = getattr(merged, field)
    for field, most in (("tags", settings.MAX_TAGS), ("anchors", settings.MAX_ANCHORS)):
        together = tuple(dict.fromkeys((*getattr(survivor, field), *getattr(merged, field))))[:most]
        if together != getattr(survivor, field):
            gained[field] = together
    return gained
