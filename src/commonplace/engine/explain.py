"""`explain`: why does the book remember this? Where it came from, what it stands with, what happened to it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, must_find
from commonplace.model.base import Noun
from commonplace.model.link import Conflict, Link
from commonplace.model.operation import Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Entity


class Explain(Request, frozen=True, kw_only=True):
    """Which memory."""

    id: Annotated[str, Meta(description="the memory's id or alias")]


class Explanation(Noun, frozen=True, kw_only=True):
    """Everything the book can say about one memory."""

    record: MemoryRecord
    because: str
    source: Source | None
    links: tuple[Link, ...]
    conflicts: tuple[Conflict, ...]
    history: tuple[Operation, ...]


def explain(scribe: Scribe, asked: Explain) -> Explanation:
    with scribe.reading() as view:
        record = must_find(view, asked.id)
        source = view.noun(Entity.SOURCE, record.source_ref) if record.source_ref else None
        history = (*view.foreign_history(record.id), *view.operations(subject=record.id))
        return Explanation(
            record=record,
            because=_because(record, history),
            source=source if isinstance(source, Source) else None,
            links=tuple(view.links(record.id)),
            conflicts=tuple(view.conflicts_of(record.id)),
            history=history,
        )


def _because(record: MemoryRecord, history: tuple[Operation, ...]) -> str:
    """One plain sentence."""
    if not history:
        return "the journal does not say"
    first = history[0]
    said = f"{first.actor} saved it through {first.surface} on {first.at:%Y-%m-%d %H:%M} UTC"
    if record.occurrences > 1:
        said += f" and it was said {record.occurrences} times"
    if record.evidence_ref:
        said += f"; the evidence is {record.evidence_ref}"
    return f"{said}; it is {record.status}" + (f": {record.status_reason}" if record.status_reason else "")
