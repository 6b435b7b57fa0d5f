"""Promote: which candidate may become active without a person's word, and why must the others wait?

Careful by default: two independent sources must say it, none of them a stranger's document. Facts about the person, decisions
without a rationale, what replaces or contradicts another memory: all of that waits for a person (rfc 20-23, R-b, R-f, R-g).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from commonplace.guard.standing import is_grounded
from commonplace.ingest.consolidate.match import canonical
from commonplace.ingest.consolidate.scope import FOR_A_PERSON, is_widened
from commonplace.model.link import Conflict, ConflictState
from commonplace.model.source import Source
from commonplace.model.words import Entity, Relation, Status, Trust, Type

if TYPE_CHECKING:
    from commonplace.model.consolidation import Policy
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

# Two captures of one session begin alike: the later one only goes on longer.
_OPENING = 256


def why_it_waits(view: View, record: MemoryRecord, policy: Policy, merged: Iterable[MemoryRecord] = ()) -> str | None:
    """The first reason why a candidate may not be promoted by policy; None if it may. `merged` are about to support it."""
    return why_nobody_may(view, record) or _why_not_alone(view, record) or _why_not_yet(view, record, policy, merged)


def why_nobody_may(view: View, record: MemoryRecord) -> str | None:
    """What a person's word does not mend: it must be grounded, and not disputed."""
    if not (record.source_ref or record.evidence_ref):
        return "nothing says where it comes from"
    if not is_grounded(record):
        return "a decision needs its rationale or a source before it is active"
    disputed = open_conflict(view, record)
    if disputed is not None:
        other = disputed.right_id if disputed.left_id == record.id else disputed.left_id
        return f"it disagrees with {other} ({disputed.reason}); resolve {disputed.id} first"
    return None


def open_conflict(view: View, record: MemoryRecord) -> Conflict | None:
    """An open conflict with a memory that still stands, and that a stranger did not only just bring in."""
    for conflict in view.conflicts_of(record.id):
        other = view.memory(conflict.right_id if conflict.left_id == record.id else conflict.left_id)
        if conflict.state is ConflictState.OPEN and other is not None and stands_against(other, record):
            return conflict
    return None


def stands_against(other: MemoryRecord, record: MemoryRecord) -> bool:
    """A stranger's candidate disputes, but it must not be able to hold back what others say."""
    if other.status is Status.INBOX:
        return other.trust is not Trust.EXTERNAL or record.trust is Trust.EXTERNAL
    return other.status is Status.ACTIVE


def _why_not_alone(view: View, record: MemoryRecord) -> str | None:
    if record.type is Type.PROFILE and not record.trust.outranks(Trust.AGENT):
        return "a fact about the person needs the person's confirmation"
    if record.trust is Trust.EXTERNAL:
        return "it came from outside and needs a person's look"
    if record.supersedes:
        return "it would replace another memory; a person decides that"
    if is_widened(view, record):
        return FOR_A_PERSON
    return None


def _why_not_yet(view: View, record: MemoryRecord, policy: Policy, merged: Iterable[MemoryRecord]) -> str | None:
    if record.trust.outranks(Trust.AGENT):
        return None
    if policy.least_sources < 1:
        return "only a person promotes"
    said = len(independent_sources(view, record, merged))
    if said < policy.least_sources:
        return f"{said} of {policy.least_sources} independent sources say it"
    return None


def independent_sources(view: View, record: MemoryRecord, merged: Iterable[MemoryRecord] = ()) -> set[str]:
    """The sources that say the same, each counted once however often it was captured; strangers' do not count."""
    said = {other.id: other for other in (record, *merged, *_supporters(view, record))}
    refs = {other.source_ref for other in said.values() if other.trust is not Trust.EXTERNAL and other.source_ref}
    return {_origin(view, ref) for ref in refs}


def _supporters(view: View, record: MemoryRecord) -> list[MemoryRecord]:
    """Those that were merged into it. Anybody can link anything; only what says the same counts."""
    links = [link for link in view.links(record.id) if link.relation is Relation.SUPPORTS and link.to_id == record.id]
    held = view.by_id([link.from_id for link in links]).values()
    return [other for other in held if other.status is Status.ARCHIVED and canonical(other) == canonical(record)]


def _origin(view: View, ref: str) -> str:
    source = view.noun(Entity.SOURCE, ref)
    if not isinstance(source, Source):
        return ref
    return source.uri or (source.body[:_OPENING] if source.body else source.id)
