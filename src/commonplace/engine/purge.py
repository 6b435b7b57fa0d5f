"""`purge`: the one verb that destroys content. The operator's alone; it follows lineage, and leaves proof without content."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, must_find
from commonplace.guard.entry import admit
from commonplace.guard.trust import refuse_unless_operator
from commonplace.model.finding import PurgeReport
from commonplace.model.words import Entity, Relation, SourceKind, Verb
from commonplace.seam.catalog import View


class Purge(Request, frozen=True, kw_only=True):
    """What to destroy."""

    id: Annotated[str, Meta(description="the memory; what was derived from it goes too")]
    reason: Annotated[str | None, Meta(description="why; must not repeat the content")] = None
    dry_run: Annotated[bool, Meta(description="only say what would go")] = False


def purge(scribe: Scribe, asked: Purge) -> PurgeReport:
    """Rows, full text, vectors, receipts, journal payloads, free pages and the log. Backups and exports made earlier are
    other files, and stay what they are."""
    refuse_unless_operator(scribe.trust, "purge")
    admit({"reason": asked.reason})
    if asked.dry_run:
        with scribe.reading() as view:
            memories, sources = _lineage(view, must_find(view, asked.id).id)
        return PurgeReport(operation_id=None, purged=tuple(memories), sources=tuple(sources), complete=False)
    with scribe.reading() as view:
        gone = view.memory(asked.id) is None and view.is_purged(asked.id)
    if gone:  # destroyed already; but a trace may have been left because somebody was reading
        return _report(scribe, None, [asked.id], [], 0)
    with scribe.writing() as pen:
        memories, sources = _lineage(pen.view, must_find(pen.view, asked.id).id)
        signature = pen.signature(Verb.PURGE, asked.reason)
        payloads = pen.draft.erase(signature, memories, sources)
    return _report(scribe, signature.id, memories, sources, payloads)


def _report(
    scribe: Scribe, operation_id: str | None, memories: list[str], sources: list[str], payloads: int
) -> PurgeReport:
    remaining = scribe.canon.scrub(scribe.timeout)
    return PurgeReport(
        operation_id=operation_id,
        purged=tuple(memories),
        sources=tuple(sources),
        journal_entries=payloads,
        complete=not remaining,
        remaining=tuple(remaining),
    )


def _lineage(view: View, id: str) -> tuple[list[str], list[str]]:
    """The memory, all that was derived from it, and the captured sources that only these cite."""
    memories, queue = [id], [id]
    while queue:
        for link in view.links(queue.pop()):
            if link.relation is Relation.DERIVED_FROM and link.to_id in memories and link.from_id not in memories:
                memories.append(link.from_id)
                queue.append(link.from_id)
    return memories, _sources_only_of(view, memories)


def _sources_only_of(view: View, memories: list[str]) -> list[str]:
    from commonplace.engine.past import ANY

    found = []
    cited = {record.source_ref for id in memories if (record := view.memory(id)) and record.source_ref}
    for ref in sorted(cited):
        source = view.noun(Entity.SOURCE, ref)
        if source is None or getattr(source, "kind", None) is SourceKind.MANUAL:
            continue
        citing = view.memories(type(ANY)(statuses=ANY.statuses, source_ref=ref))
        if all(record.id in memories for record in citing):
            found.append(ref)
    return found
