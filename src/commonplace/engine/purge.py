"""`purge`: the one verb that destroys content. The operator's alone; it follows lineage, and leaves proof without content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from msgspec import Meta

from commonplace.engine.lineage import derived_from
from commonplace.engine.scribe import Request, Scribe, must_find
from commonplace.guard.entry import admit
from commonplace.guard.trust import refuse_unless_operator
from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.finding import PurgeReport
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Entity, SourceKind, Verb
from commonplace.retrieve.evidence import span_of
from commonplace.seam.catalog import View


class Purge(Request, frozen=True, kw_only=True):
    """What to destroy."""

    id: Annotated[str, Meta(description="the memory, or a captured source; what was derived from it goes too")]
    reason: Annotated[str | None, Meta(description="why; must not repeat the content")] = None
    dry_run: Annotated[bool, Meta(description="only say what would go")] = False


def purge(scribe: Scribe, asked: Purge) -> PurgeReport:
    """Rows, full text, vectors, receipts, journal payloads, free pages and the log. Backups and exports made earlier are
    other files, and stay what they are."""
    refuse_unless_operator(scribe.trust, "purge")
    admit({"reason": asked.reason})
    if asked.dry_run:
        with scribe.reading() as view:
            doomed = _doomed(view, asked.id)
        return _receipt(None, doomed, 0, doomed.elsewhere, dry_run=True)
    with scribe.reading() as view:
        gone = _find(view, asked.id) is None and view.is_purged(asked.id)
    if gone:  # destroyed already; but a trace may have been left because somebody was reading
        return _receipt(None, _Doomed([asked.id], [], []), 0, scribe.canon.scrub(scribe.timeout))
    with scribe.writing() as pen:
        doomed = _doomed(pen.view, asked.id)
        signature = pen.signature(Verb.PURGE, asked.reason)
        payloads = pen.draft.erase(signature, doomed.memories, doomed.sources)
    return _receipt(signature.id, doomed, payloads, [*doomed.elsewhere, *scribe.canon.scrub(scribe.timeout)])


class _Doomed(NamedTuple):
    """What goes, and where the same words stay because others cite them."""

    memories: list[str]
    sources: list[str]
    elsewhere: list[str]


def _receipt(
    operation_id: str | None, doomed: _Doomed, payloads: int, remaining: list[str], *, dry_run: bool = False
) -> PurgeReport:
    return PurgeReport(
        operation_id=operation_id,
        purged=tuple(doomed.memories),
        sources=tuple(doomed.sources),
        journal_entries=payloads,
        complete=not dry_run and not remaining,
        remaining=tuple(remaining),
        dry_run=dry_run,
    )


def _find(view: View, id: str) -> MemoryRecord | Source | None:
    """The memory, or the source if it was captured: who wrote by hand is no content."""
    source = view.noun(Entity.SOURCE, id)
    is_captured = isinstance(source, Source) and source.kind is not SourceKind.MANUAL
    return source if isinstance(source, Source) and is_captured else view.memory(id)


def _doomed(view: View, id: str) -> _Doomed:
    """The memory, or all that cite the source; what was derived from them; and the captured sources that only these cite."""
    found = _find(view, id)
    if isinstance(found, Source):
        memories = _with_derived(view, [record.id for record in _citing(view, id)])
        return _Doomed(memories, sorted({id, *_sources_only_of(view, memories)}), [])
    memories = _with_derived(view, [must_find(view, id).id])
    sources = _sources_only_of(view, memories)
    return _Doomed(memories, sources, [*_elsewhere(view, memories, sources)])


def _with_derived(view: View, memories: list[str]) -> list[str]:
    queue = [*memories]
    while queue:
        for derived in derived_from(view, queue.pop()):
            if derived.id not in memories:
                memories.append(derived.id)
                queue.append(derived.id)
    return memories


def _sources_only_of(view: View, memories: list[str]) -> list[str]:
    cited = {record.source_ref for id in memories if (record := view.memory(id)) and record.source_ref}
    captured = [ref for ref in sorted(cited) if isinstance(_find(view, ref), Source)]
    return [ref for ref in captured if all(record.id in memories for record in _citing(view, ref))]


def _citing(view: View, source_id: str) -> Iterator[MemoryRecord]:
    return view.memories(Filter(statuses=EVERY_STATUS, source_ref=source_id))


def _elsewhere(view: View, memories: list[str], sources: list[str]) -> Iterator[str]:
    """A source that others cite stays, and with it the words that were taken from it: the receipt must not hide that."""
    for record in filter(None, map(view.memory, memories)):
        source = view.noun(Entity.SOURCE, record.source_ref) if record.source_ref else None
        if isinstance(source, Source) and source.id not in sources and _holds(source, record):
            yield f"source: {source.id} holds these words, and others cite it; purge {source.id} to destroy it with them"


def _holds(source: Source, record: MemoryRecord) -> bool:
    cited = span_of(record)
    return record.content in (source.body or "") or (cited is not None and cited[0] == source.id)
