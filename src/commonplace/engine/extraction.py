"""What comes of one ingestion event: an episode, candidates linked to it, and the event's end; all or nothing, once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from commonplace import settings
from commonplace.engine.save import reinforce, slug_of
from commonplace.guard.trust import lesser, tier_of
from commonplace.ingest import queue
from commonplace.ingest.attempt import ExtractionError, proposals_of
from commonplace.ingest.candidates import candidate, trust_of
from commonplace.ingest.echo import echo_of, injected_spans, is_inside, is_own
from commonplace.ingest.episode import title_of, told
from commonplace.ingest.outline import transcript_of
from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import new_id
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.model.source import IngestionEvent, JobState, Source
from commonplace.model.words import Entity, Relation, SourceKind, Status, Trust, Type, Verb

if TYPE_CHECKING:
    from commonplace.engine.scribe import Pen, Scribe
    from commonplace.model.job import Job
    from commonplace.model.transcript import Piece, Transcript
    from commonplace.seam.catalog import View


class Extraction:
    """One event, its source, and what was found in it so far."""

    def __init__(self, event: IngestionEvent, source: Source, channel: Trust) -> None:
        self.event, self.source, self.channel = event, source, channel
        self.transcript: Transcript = transcript_of(source)
        self.candidates: list[MemoryRecord] = []
        self.is_new = True
        """Does it say anything that this book did not say first?"""
        self.episode: MemoryRecord | None = None
        self.counts = {"made": 0, "reinforced": 0, "echoed": 0, "dropped": 0}


def extract(scribe: Scribe, job: Job) -> Extraction | None:
    """Do what this job is about; None if it turned out not to be ours, or to be done. Raises `ExtractionError` if it failed."""
    found = _begin(scribe, job)
    if found is None:
        return None
    extractor = scribe.extractor
    proposals = proposals_of(extractor, found.transcript, settings.EXTRACT_SECONDS)
    with scribe.reading() as view:
        echoes = _Echoes(view, found.transcript.body)
        for proposal in proposals:
            made = candidate(
                found.event, found.source, found.transcript, proposal, found.channel, extractor.name, scribe.clock.now()
            )
            if made is None:
                found.counts["dropped"] += 1
            elif echoes.has((proposal.start, proposal.end), made.content):
                found.counts["echoed"] += 1
            else:
                found.candidates.append(made)
        found.is_new = bool(found.candidates) or echoes.leaves_something(found.transcript)
        found.episode = _episode(found, echoes, scribe.clock.now()) if found.is_new else None
    return found if _write(scribe, job, found) else None


class _Echoes:
    """What of a source only repeats what this book handed out."""

    def __init__(self, view: View, body: str) -> None:
        self._view, self._injected = view, injected_spans(body)
        self._any_handed_out = bool(view.receipts(limit=1))  # a book that was never asked cannot be echoed

    def has(self, span: tuple[int, int], content: str) -> bool:
        if is_inside(span, self._injected):
            return True
        return self._any_handed_out and echo_of(self._view, content) is not None

    def leaves_something(self, transcript: Transcript) -> bool:
        """Is there anything in it but what was handed out?"""
        return not (self._any_handed_out or self._injected) or any(map(self.is_own, transcript.pieces))

    def is_own(self, piece: Piece) -> bool:
        if not self._any_handed_out and not self._injected:
            return True
        return is_own(self._view, piece.text)


def _begin(scribe: Scribe, job: Job) -> Extraction | None:
    """The event and its source. A job whose event is gone or done has nothing left to do."""
    with scribe.reading() as view:
        event = view.noun(Entity.EVENT, job.subject or "")
        source = view.noun(Entity.SOURCE, event.source_ref) if isinstance(event, IngestionEvent) else None
        if isinstance(event, IngestionEvent) and event.state is not JobState.DONE:
            if not isinstance(source, Source) or source.body is None:
                raise ExtractionError("its source is gone")
            return Extraction(event, source, _channel(view, event))
    with scribe.canon.writing(scribe.timeout) as draft:
        draft.keep_job(queue.free(job, job.due_at, JobState.DONE))
    return None


def _channel(view: View, event: IngestionEvent) -> Trust:
    """How far whoever brought it in and whoever captured it were trusted, the lesser of both: the journal knows, whoever
    works it now."""
    first = [next(view.operations(subject=subject), None) for subject in (event.source_ref, event.id)]
    one, other = (operation.trust if operation else Trust.EXTERNAL for operation in first)
    return lesser(one, other)


def _write(scribe: Scribe, job: Job, found: Extraction) -> bool:
    """Everything that comes of it in one transaction; False if another worker has the job by now, or has done it."""
    with scribe.writing() as pen:
        event = pen.view.noun(Entity.EVENT, found.event.id)
        if not isinstance(event, IngestionEvent) or event.state is JobState.DONE or not queue.is_ours(pen.view, job):
            return False
        new, known = _sorted(pen, found)
        for twin, record in known.values():
            reinforce(pen, twin, record, run=event.id)
        if found.episode is not None:
            _record_all(pen, found.episode.with_(created_at=pen.now, updated_at=pen.now), new, known)
        found.counts |= {"made": len(new), "reinforced": len(known)}
        pen.write(Entity.EVENT, event, _done(event, found, pen.now))
        pen.sign(Verb.EXTRACT, f"by {scribe.extractor.name}", run=event.id)
        pen.draft.keep_job(queue.free(job, pen.now, JobState.DONE))
        return True


def _record_all(pen: Pen, episode: MemoryRecord, new: list[MemoryRecord], known: _Known) -> None:
    pen.record(None, episode)
    for twin, record in known.values():
        _link(pen, episode.id, Relation.SUPPORTS, twin.id, record.evidence_ref)
    for record in new:
        pen.record(None, record)
        _link(pen, record.id, Relation.DERIVED_FROM, episode.id, record.evidence_ref)


def _done(event: IngestionEvent, found: Extraction, now: datetime) -> IngestionEvent:
    nothing = "nothing but the episode" if found.is_new else "nothing: it only repeats what was handed out"
    came = ", ".join(f"{number} {name}" for name, number in found.counts.items() if number) or nothing
    came = f"{event.outcome}; {came}" if event.outcome else came  # what the reader had to say stays said
    return msgspec.structs.replace(event, state=JobState.DONE, updated_at=now, outcome=came, error=None)


_Known = dict[str, tuple[MemoryRecord, MemoryRecord]]


def _sorted(pen: Pen, found: Extraction) -> tuple[list[MemoryRecord], _Known]:
    """The candidates that are new; and those that a live memory says already, which reinforce it, each memory once. What
    comes from outside reinforces nothing: to say a thing often is no evidence for it."""
    new: dict[tuple[str, ...], MemoryRecord] = {}
    known: _Known = {}
    for record in found.candidates:
        wanted = record.with_(slug=slug_of(record.title or record.content), created_at=pen.now, updated_at=pen.now)
        twin = pen.view.twin(wanted, pen.now)
        if twin is None:
            new.setdefault((wanted.fingerprint, wanted.type, wanted.scope), wanted)
        elif wanted.trust is not Trust.EXTERNAL:
            known.setdefault(twin.id, (twin, wanted))
    return [*new.values()], known


def _link(pen: Pen, from_id: str, relation: Relation, to_id: str, evidence: str | None) -> None:
    link = Link(from_id=from_id, relation=relation, to_id=to_id, evidence_ref=evidence, created_at=pen.now)
    pen.write(Entity.LINK, None, link)


_WHAT = {
    SourceKind.RUN: "A session was captured",
    SourceKind.CONVERSATION: "A conversation was captured",
    SourceKind.DOCUMENT: "A document was captured",
    SourceKind.IMPORT: "Imported material was captured",
    SourceKind.MANUAL: "Something was captured",
}


def _episode(found: Extraction, echoes: _Echoes, now: datetime) -> MemoryRecord:
    """Trusted as its channel, but never more than an agent: a program wrote it. It stands at once, because it only says
    that something was captured (R-e); what comes from outside is not quoted in it."""
    source, event = found.source, found.event
    outside = trust_of(source, found.channel) is Trust.EXTERNAL
    trust = Trust.EXTERNAL if outside else lesser(found.channel, Trust.AGENT)
    content = told(found.transcript, _WHAT[source.kind], quotes=not outside, is_own=echoes.is_own)
    title = None if outside else title_of(found.transcript, echoes.is_own)
    return MemoryRecord(
        id=new_id(),
        type=Type.EPISODE,
        scope=event.requested_scope,
        status=Status.ACTIVE,
        content=content,
        project_id=event.project_id,
        repo_id=event.repo_id,
        agent_id=event.agent_id,
        source_kind=source.kind,
        title=title,
        created_at=now,
        updated_at=now,
        observed_at=source.observed_at or source.captured_at,
        source_ref=source.id,
        evidence_ref=source.id,
        kind="episode",
        slug=slug_of(title or content),
        tier=tier_of(trust),
        trust=trust,
        fingerprint=fingerprint(content),
    )
