"""Scope: whose is a candidate that does not say? Its source's. Is it for all, if several projects say it? A person decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from commonplace.ingest.consolidate.match import canonical
from commonplace.model.words import Relation, Scope, Status, Trust, Type

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

_OWNERS = ("project_id", "repo_id", "agent_id")
FOR_A_PERSON = "it would hold for all projects; a person decides that"
_OF_A_PROJECT = (Scope.PROJECT, Scope.REPO)


def narrowed(view: View, record: MemoryRecord) -> tuple[MemoryRecord, MemoryRecord] | None:
    """The candidate with the scope of the episode it came from, and that episode; None if it has one of its own."""
    if not _has_no_owner(record):
        return None
    for episode in _derived_from(view, record):
        if episode.type is Type.EPISODE and episode.scope is not Scope.GLOBAL and episode.tenant == record.tenant:
            owners = {field: getattr(episode, field) for field in ("scope", "scope_word", *_OWNERS)}
            return record.with_(**owners), episode
    return None


def _has_no_owner(record: MemoryRecord) -> bool:
    """A person who says `global` means it, and a fact about the person is the person's everywhere."""
    return (
        record.status is Status.INBOX
        and record.scope is Scope.GLOBAL
        and record.type not in (Type.PROFILE, Type.EPISODE)
        and not record.trust.outranks(Trust.AGENT)
        and not any(getattr(record, owner) for owner in _OWNERS)
    )


def _derived_from(view: View, record: MemoryRecord) -> list[MemoryRecord]:
    links = [link for link in view.links(record.id) if link.relation is Relation.DERIVED_FROM]
    held = view.by_id([link.to_id for link in links if link.from_id == record.id])
    return sorted(held.values(), key=lambda other: other.id)


def is_widened(view: View, record: MemoryRecord) -> bool:
    """Was it made to say for all projects what some of them say? That is never promoted silently."""
    return record.scope is Scope.GLOBAL and any(
        other.scope is not Scope.GLOBAL and canonical(other) == canonical(record)
        for other in _derived_from(view, record)
    )


def was_proposed(view: View, several: Sequence[MemoryRecord]) -> bool:
    """Was it ever proposed for all projects what these say? Whatever became of that."""
    ids = {record.id for record in several}
    links = [link for link in view.links_of([*ids]) if link.relation is Relation.DERIVED_FROM and link.to_id in ids]
    made = view.by_id([link.from_id for link in links]).values()
    return any(other.scope is Scope.GLOBAL and canonical(other) == canonical(several[0]) for other in made)


def said_elsewhere(record: MemoryRecord, found: Iterable[MemoryRecord]) -> list[MemoryRecord] | None:
    """The same statement in other projects, one each; None if somebody keeps it for all of them already."""
    said = canonical(record)
    by_project: dict[str, MemoryRecord] = {}
    for other in found:
        if canonical(other) != said or other.type is not record.type:
            continue
        if other.scope is Scope.GLOBAL:
            return None
        if other.scope in _OF_A_PROJECT and other.project_id and other.project_id != record.project_id:
            by_project.setdefault(other.project_id, other)
    return [by_project[project] for project in sorted(by_project)]
