"""`Book`: the verbs assembled. Each method fills in a request and hands it to the verb's own file.

Verbs are imported when they are first used: opening a book to read one memory must not pay for the rest (docs/adr/0007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from importlib import import_module
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from commonplace.engine.scribe import Request, Scribe, ask

if TYPE_CHECKING:
    from commonplace.engine.background import Indexer
    from commonplace.engine.explain import Explanation, ReceiptExplanation
    from commonplace.model.bundle import ContextBundle
    from commonplace.model.consolidation import ConsolidationReport, Dispute
    from commonplace.model.finding import (
        BackupReport,
        BookStats,
        CopyReport,
        Examination,
        ExportReport,
        ImportReport,
        IndexReport,
        PurgeReport,
    )
    from commonplace.model.inbox import InboxItem, InboxReport
    from commonplace.model.job import WorkReport, WorkStatus
    from commonplace.model.link import Conflict, Link
    from commonplace.model.operation import Operation
    from commonplace.model.receipt import Receipt
    from commonplace.model.record import MemoryRecord
    from commonplace.model.result import SearchResults
    from commonplace.model.source import IngestionEvent, Source
    from commonplace.seam.terms import Progress

T = TypeVar("T")
Moment = datetime | str
Words = Iterable[str] | str | None
Messages = Sequence[dict[str, Any]] | dict[str, Any]


class Book:
    """One place where memories live. Open it with `commonplace.open(url)`; it is a context manager.

    Safe to use from several threads, and to open from many processes at once. When a method that changes something
    returns, the change is on disk. Errors are `CommonplaceError` with a stable `kind` and a next step.
    """

    def __init__(self, scribe: Scribe) -> None:
        self._scribe = scribe
        self._indexer: Indexer | None = None

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Book {self.url} as {self.actor}>"

    @property
    def url(self) -> str:
        """How to open this book again."""
        return self._scribe.canon.url

    @property
    def id(self) -> str:
        """The book's own identity."""
        return self._scribe.canon.book_id

    @property
    def actor(self) -> str:
        return self._scribe.actor

    @property
    def trust(self) -> str:
        """How far this opener is trusted, by its channel."""
        return str(self._scribe.trust)

    def close(self) -> None:
        """Let go of the book. Closing twice is closing once."""
        if self._indexer is not None:
            self._indexer.stop()
            self._indexer = None
        if self._scribe.unkept:
            from commonplace.engine.receipts import flush

            flush(self._scribe)
        self._scribe.canon.close()

    def perform(self, verb: str, request: Request, **extra: Any) -> Any:
        """Answer a request of the table of operations: what every surface calls."""
        module, _, name = verb.partition(":")
        return self._answer(getattr(import_module(f"commonplace.engine.{module}"), name or module), request, **extra)

    def _ask(
        self, verb: Callable[..., T], request: type[Request], /, progress: Progress | None = None, **fields: Any
    ) -> T:
        """What every method comes down to: a checked request, and its answer."""
        asked = ask(request, **fields)
        return self._answer(verb, asked) if progress is None else self._answer(verb, asked, progress=progress)

    def _answer(self, verb: Callable[..., T], asked: Request, **extra: Any) -> T:
        """The one step in which something is done. A book that is elsewhere takes another (`surfaces/served.py`)."""
        return verb(self._scribe, asked, **extra)

    def save(
        self,
        content: str,
        *,
        type: str,
        kind: str | None = None,
        scope: str | None = None,
        project_id: str | None = None,
        repo_id: str | None = None,
        agent_id: str | None = None,
        title: str | None = None,
        summary: str | None = None,
        tags: Iterable[str] = (),
        confidence: float | None = None,
        observed_at: Moment | None = None,
        evidence_ref: str | None = None,
        always_load: bool = False,
        supersedes: str | None = None,
        idempotency_key: str | None = None,
        rationale: str | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        anchors: Iterable[str] = (),
        aliases: Iterable[str] = (),
        tenant: str | None = None,
    ) -> MemoryRecord:
        """Keep one statement. A live memory that says the same is reinforced instead; see its `status` for what came of it."""
        from commonplace.engine.save import Save, save

        return self._ask(
            save,
            Save,
            content=content,
            type=type,
            kind=kind,
            scope=scope,
            project_id=project_id,
            repo_id=repo_id,
            agent_id=agent_id,
            title=title,
            summary=summary,
            tags=tags,
            confidence=confidence,
            observed_at=observed_at,
            evidence_ref=evidence_ref,
            always_load=always_load,
            supersedes=supersedes,
            idempotency_key=idempotency_key,
            rationale=rationale,
            valid_from=valid_from,
            valid_to=valid_to,
            anchors=anchors,
            aliases=aliases,
            tenant=tenant,
        )

    def get(self, id: str, *, as_of: Moment | None = None) -> MemoryRecord:
        """One memory by id or alias; with `as_of`, as the book knew it then."""
        from commonplace.engine.get import Get, get

        return self._ask(get, Get, id=id, as_of=as_of)

    def list(
        self,
        *,
        statuses: Words = None,
        types: Words = None,
        kinds: Words = None,
        scopes: Words = None,
        tags: Words = None,
        trusts: Words = None,
        project_id: str | None = None,
        repo_id: str | None = None,
        agent_id: str | None = None,
        source_ref: str | None = None,
        tenant: str | None = None,
        always_load: bool | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        as_of: Moment | None = None,
        limit: int = 20,
        after: str | None = None,
    ) -> Sequence[MemoryRecord]:
        """The memories that match, newest first. Active ones, unless `statuses` says otherwise (`"all"` for every status)."""
        from commonplace.engine.list import List, list

        return self._ask(
            list,
            List,
            statuses=statuses,
            types=types,
            kinds=kinds,
            scopes=scopes,
            tags=tags,
            trusts=trusts,
            project_id=project_id,
            repo_id=repo_id,
            agent_id=agent_id,
            source_ref=source_ref,
            tenant=tenant,
            always_load=always_load,
            since=since,
            until=until,
            as_of=as_of,
            limit=limit,
            after=after,
        )

    def search(
        self,
        query: str,
        *,
        project: str | None = None,
        repo: str | None = None,
        agent: str | None = None,
        scopes: Words = None,
        types: Words = None,
        kinds: Words = None,
        statuses: Words = None,
        tags: Words = None,
        trusts: Words = None,
        since: Moment | None = None,
        until: Moment | None = None,
        as_of: Moment | None = None,
        limit: int = 10,
        profile: str = "hybrid",
        rerank: bool | None = None,
    ) -> SearchResults:
        """The memories that answer this best, each with the reason why. Any text is a legal query."""
        from commonplace.engine.search import Search, search

        return self._ask(
            search,
            Search,
            query=query,
            project=project,
            repo=repo,
            agent=agent,
            scopes=scopes,
            types=types,
            kinds=kinds,
            statuses=statuses,
            tags=tags,
            trusts=trusts,
            since=since,
            until=until,
            as_of=as_of,
            limit=limit,
            profile=profile,
            rerank=rerank,
        )

    def context_for(
        self,
        project: str | None = None,
        repo: str | None = None,
        agent: str | None = None,
        task: str | None = None,
        *,
        budget: int | None = None,
        moment: str | None = None,
        phase: str | None = None,
        kinds: Words = None,
        session: str | None = None,
        root: str | None = None,
        as_of: Moment | None = None,
    ) -> ContextBundle:
        """Few and strong memories for an agent that is about to begin: `.text` is ready to inject and within the budget."""
        from commonplace.engine.context import ContextFor, context_for

        return self._ask(
            context_for,
            ContextFor,
            project=project,
            repo=repo,
            agent=agent,
            task=task,
            budget=budget,
            moment=moment,
            phase=phase,
            kinds=kinds,
            session=session,
            root=None if root is None else str(root),
            as_of=as_of,
        )

    def capture_session(
        self,
        source: str | bytes | PathLike[str] | Source | Messages,
        scope: str | None = None,
        *,
        project_id: str | None = None,
        repo_id: str | None = None,
        agent_id: str | None = None,
        title: str | None = None,
        observed_at: Moment | None = None,
        format: str | None = None,
        uri: str | None = None,
    ) -> IngestionEvent:
        """Keep a session that has ended, and put it into the queue. Returns at once; `process_pending` does the rest.

        A text is the material itself, as are messages with role and content; a path is read; the id of an imported source is
        that source.
        """
        from commonplace.engine.capture import CaptureSession, capture_session

        return self._ask(
            capture_session,
            CaptureSession,
            scope=scope,
            project_id=project_id,
            repo_id=repo_id,
            agent_id=agent_id,
            title=title,
            observed_at=observed_at,
            format=format,
            **self._material(source, uri),
        )

    def capture_conversation(
        self,
        source: str | bytes | PathLike[str] | Source | Messages,
        scope: str | None = None,
        capture_mode: str = "transcript",
        *,
        project_id: str | None = None,
        repo_id: str | None = None,
        agent_id: str | None = None,
        title: str | None = None,
        observed_at: Moment | None = None,
        format: str | None = None,
        uri: str | None = None,
    ) -> IngestionEvent:
        """Keep a conversation, notes or a summary of one, and put it into the queue. Takes what `capture_session` takes."""
        from commonplace.engine.capture import CaptureConversation, capture_conversation

        return self._ask(
            capture_conversation,
            CaptureConversation,
            scope=scope,
            capture_mode=capture_mode,
            project_id=project_id,
            repo_id=repo_id,
            agent_id=agent_id,
            title=title,
            observed_at=observed_at,
            format=format,
            **self._material(source, uri),
        )

    def import_source(
        self,
        source: str | bytes | PathLike[str] | Messages,
        *,
        kind: str = "import",
        title: str | None = None,
        observed_at: Moment | None = None,
        format: str | None = None,
        uri: str | None = None,
    ) -> Source:
        """Keep raw material and do nothing with it; it stays raw until its id is captured."""
        from commonplace.engine.import_source import ImportSource, import_source

        given = self._material(source, uri)
        return self._ask(
            import_source, ImportSource, kind=kind, title=title, observed_at=observed_at, format=format, **given
        )

    def process_pending(
        self, limit: int | None = None, *, seconds: float | None = None, progress: Progress | None = None
    ) -> WorkReport:
        """Work through what was captured: an episode for each source, and candidates in the inbox."""
        from commonplace.engine.process_pending import ProcessPending, process_pending

        return self._ask(process_pending, ProcessPending, progress=progress, limit=limit, seconds=seconds)

    def retry(self, id: str) -> IngestionEvent:
        """Try a capture again that failed or was given up: it is due now, with all its tries."""
        from commonplace.engine.process_pending import Retry, retry

        return self._ask(retry, Retry, id=id)

    def event(self, id: str) -> IngestionEvent:
        """One capture and how far its work has come."""
        from commonplace.engine.work import Event, event

        return self._ask(event, Event, id=id)

    def work(
        self, *, once: bool = False, status: bool = False, progress: Progress | None = None
    ) -> WorkReport | WorkStatus:
        """Work through the queue until told to stop by SIGTERM or SIGINT; with `once`, until nothing is due."""
        from commonplace.engine.work import Work, work

        return self._ask(work, Work, progress=progress, once=once, status=status)

    def work_status(self) -> WorkStatus:
        """What waits, who is at it, what failed, and what is due next."""
        from commonplace.engine.work import Status, work_status

        return self._ask(work_status, Status)

    def _material(self, given: object, uri: str | None) -> dict[str, Any]:
        from commonplace.engine.material import handed_over

        return handed_over(self._scribe, given, uri)

    def index_pending(self, *, limit: int | None = None, progress: Progress | None = None) -> IndexReport:
        """Turn what waits into vectors, so that it is found by its meaning too. Can be stopped and taken up again."""
        from commonplace.engine.index_pending import IndexPending, index_pending

        return self._ask(index_pending, IndexPending, progress=progress, limit=limit)

    def index_in_background(self) -> Indexer:
        """Keep turning what waits into vectors until the book is closed, in a thread of its own. Never holds up a write."""
        from commonplace.engine.background import Indexer

        if self._indexer is None:
            self._indexer = Indexer(self._scribe)
        return self._indexer

    def receipts(
        self,
        *,
        memory: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        limit: int = 20,
    ) -> Sequence[Receipt]:
        """What was searched for and handed out, newest first."""
        from commonplace.engine.receipts import Receipts, receipts

        return self._ask(receipts, Receipts, memory=memory, session=session, since=since, limit=limit)

    def evolve(
        self,
        id: str,
        content: str,
        *,
        reason: str,
        title: str | None = None,
        summary: str | None = None,
        tags: Iterable[str] | None = None,
        confidence: float | None = None,
        evidence_ref: str | None = None,
        rationale: str | None = None,
        expect: str | None = None,
    ) -> MemoryRecord:
        """Change one's mind: a new memory that supersedes the old one, which stays readable. Returns the new one."""
        from commonplace.engine.evolve import Evolve, evolve

        return self._ask(
            evolve,
            Evolve,
            id=id,
            content=content,
            reason=reason,
            title=title,
            summary=summary,
            tags=tags,
            confidence=confidence,
            evidence_ref=evidence_ref,
            rationale=rationale,
            expect=expect,
        )

    def link(self, from_id: str, to_id: str, relation: str = "related_to", *, evidence_ref: str | None = None) -> Link:
        """Say how one memory stands to another. The relation may also stand in the middle, as one would say it."""
        from commonplace.engine.link import MakeLink, link

        to_id, relation = _in_order(to_id, relation)
        return self._ask(link, MakeLink, from_id=from_id, relation=relation, to_id=to_id, evidence_ref=evidence_ref)

    def unlink(self, from_id: str, to_id: str, relation: str = "related_to", *, reason: str | None = None) -> Link:
        """Take a link back."""
        from commonplace.engine.link import Unlink, unlink

        to_id, relation = _in_order(to_id, relation)
        return self._ask(unlink, Unlink, from_id=from_id, relation=relation, to_id=to_id, reason=reason)

    def links(self, *, memories: Words = None, limit: int = 20, after: str | None = None) -> Sequence[Link]:
        """How memories stand to each other, those of the newest first; all of them, or those from or to some."""
        from commonplace.engine.links import Links, links

        return self._ask(links, Links, memories=memories, limit=limit, after=after)

    def contradict(
        self, id: str, other_id: str, *, reason: str = "they disagree", evidence_ref: str | None = None
    ) -> Conflict:
        """Say that two memories cannot both be true. Both stay, linked both ways with the evidence of each."""
        from commonplace.engine.contradict import Contradict, contradict

        return self._ask(contradict, Contradict, id=id, other_id=other_id, reason=reason, evidence_ref=evidence_ref)

    def archive(self, id: str, *, reason: str | None = None, expect: str | None = None) -> MemoryRecord:
        """Put a memory away; it stays readable."""
        from commonplace.engine.archive import Archive, archive

        return self._ask(archive, Archive, id=id, reason=reason, expect=expect)

    def restore(self, id: str, *, reason: str | None = None, expect: str | None = None) -> MemoryRecord:
        """Bring back what was archived or forgotten."""
        from commonplace.engine.archive import Restore, restore

        return self._ask(restore, Restore, id=id, reason=reason, expect=expect)

    def forget(self, id: str, *, reason: str | None = None, expect: str | None = None) -> MemoryRecord:
        """Soft-delete a memory; `restore` brings it back."""
        from commonplace.engine.archive import Forget, forget

        return self._ask(forget, Forget, id=id, reason=reason, expect=expect)

    def confirm(
        self,
        id: str,
        *,
        reason: str | None = None,
        rationale: str | None = None,
        evidence_ref: str | None = None,
        expect: str | None = None,
    ) -> MemoryRecord:
        """Let a memory in the inbox become active."""
        from commonplace.engine.confirm import Confirm, confirm

        return self._ask(
            confirm, Confirm, id=id, reason=reason, rationale=rationale, evidence_ref=evidence_ref, expect=expect
        )

    def reject(self, id: str, *, reason: str | None = None, expect: str | None = None) -> MemoryRecord:
        """Turn a memory in the inbox away; it is archived."""
        from commonplace.engine.confirm import Reject, reject

        return self._ask(reject, Reject, id=id, reason=reason, expect=expect)

    def upsert_profile_fact(
        self,
        subject: str,
        content: str,
        *,
        reason: str | None = None,
        confidence: float | None = None,
        evidence_ref: str | None = None,
    ) -> MemoryRecord:
        """One fact about the person, known by its subject; said anew it replaces what was said before."""
        from commonplace.engine.upsert_profile_fact import UpsertProfileFact, upsert_profile_fact

        return self._ask(
            upsert_profile_fact,
            UpsertProfileFact,
            subject=subject,
            content=content,
            reason=reason,
            confidence=confidence,
            evidence_ref=evidence_ref,
        )

    def retain(
        self,
        retain: Words = (),
        *,
        digest: str | None = None,
        replaces: str | None = None,
        expect: str | None = None,
        scope: str | None = None,
        project_id: str | None = None,
        repo_id: str | None = None,
        agent_id: str | None = None,
    ) -> Sequence[MemoryRecord]:
        """Apply a memory patch, all of it or nothing: a new digest, and facts to find later. Returns what it made or changed."""
        from commonplace.engine.retain import Retain
        from commonplace.engine.retain import retain as apply

        return self._ask(
            apply,
            Retain,
            retain=retain,
            digest=digest,
            replaces=replaces,
            expect=expect,
            scope=scope,
            project_id=project_id,
            repo_id=repo_id,
            agent_id=agent_id,
        )

    def inbox(
        self,
        *,
        project: str | None = None,
        types: Words = None,
        kinds: Words = None,
        deferred: bool = False,
        limit: int = 20,
    ) -> Sequence[InboxItem]:
        """What waits for a person's word, oldest first, with what speaks for it and what accepting it would change."""
        from commonplace.engine.inbox import Inbox, inbox

        return self._ask(inbox, Inbox, project=project, types=types, kinds=kinds, deferred=deferred, limit=limit)

    def inbox_accept(
        self,
        id: str,
        *,
        reason: str | None = None,
        rationale: str | None = None,
        evidence_ref: str | None = None,
        expect: str | None = None,
    ) -> MemoryRecord:
        """Let it in: the same as `confirm`."""
        return self.confirm(id, reason=reason, rationale=rationale, evidence_ref=evidence_ref, expect=expect)

    def inbox_reject(self, id: str, *, reason: str | None = None, expect: str | None = None) -> MemoryRecord:
        """Turn it away: the same as `reject`."""
        return self.reject(id, reason=reason, expect=expect)

    def inbox_edit(
        self,
        id: str,
        content: str,
        *,
        reason: str | None = None,
        rationale: str | None = None,
        expect: str | None = None,
    ) -> MemoryRecord:
        """Let it in, in other words."""
        from commonplace.engine.inbox import InboxEdit, inbox_edit

        return self._ask(
            inbox_edit, InboxEdit, id=id, content=content, reason=reason, rationale=rationale, expect=expect
        )

    def inbox_merge(self, id: str, into: str, *, reason: str | None = None) -> MemoryRecord:
        """It says what another memory says already: that one is reinforced, this one put away."""
        from commonplace.engine.inbox import InboxMerge, inbox_merge

        return self._ask(inbox_merge, InboxMerge, id=id, into=into, reason=reason)

    def inbox_defer(self, id: str, until: Moment, *, reason: str | None = None) -> MemoryRecord:
        """Not now: it is shown again from that day on."""
        from commonplace.engine.inbox import InboxDefer, inbox_defer

        return self._ask(inbox_defer, InboxDefer, id=id, until=until, reason=reason)

    def inbox_apply(self, policy: str, *, dry_run: bool = False) -> InboxReport:
        """Let in what a policy file accepts, as one run that can be reverted."""
        from commonplace.engine.inbox_apply import InboxApply, inbox_apply

        return self._ask(inbox_apply, InboxApply, policy=str(policy), dry_run=dry_run)

    def purge(self, id: str, *, reason: str | None = None, dry_run: bool = False) -> PurgeReport:
        """Destroy a memory and what was derived from it, everywhere in the book. The operator's alone. Cannot be undone."""
        from commonplace.engine.purge import Purge, purge

        return self._ask(purge, Purge, id=id, reason=reason, dry_run=dry_run)

    def history(self, id: str) -> Sequence[Operation]:
        """Everything that happened to one memory, oldest first."""
        from commonplace.engine.history import History, history

        return self._ask(history, History, id=id)

    def journal(
        self,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        actor: str | None = None,
        verb: str | None = None,
        run: str | None = None,
        limit: int = 1000,
    ) -> Sequence[Operation]:
        """What happened to the book: the newest operations that match, oldest first."""
        from commonplace.engine.history import Journal, journal

        return self._ask(journal, Journal, since=since, until=until, actor=actor, verb=verb, run=run, limit=limit)

    def consolidate(
        self,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        ids: Words = None,
        after: str | None = None,
        least_sources: int = 2,
    ) -> ConsolidationReport:
        """Merge what says the same, show what disagrees, promote what is confirmed. `revert(report.run)` undoes it."""
        from commonplace.engine.consolidate import Consolidate, consolidate

        return self._ask(
            consolidate, Consolidate, limit=limit, dry_run=dry_run, ids=ids, after=after, least_sources=least_sources
        )

    def promote(self, ids: str | Iterable[str], *, reason: str | None = None) -> MemoryRecord | Sequence[MemoryRecord]:
        """Let one candidate, or several together, become active; refused with the reason if it may not."""
        from commonplace.engine.promote import Promote, promote

        promoted = self._ask(promote, Promote, ids=ids, reason=reason)
        return promoted[0] if isinstance(ids, str) else promoted

    def conflicts(self, *, state: str = "open", memory: str | None = None, limit: int = 20) -> Sequence[Dispute]:
        """Which memories disagree, with both sides as they are now; newest first."""
        from commonplace.engine.conflicts import Conflicts, conflicts

        return self._ask(conflicts, Conflicts, state=state, memory=memory, limit=limit)

    def resolve(self, id: str, *, loser: str, reason: str) -> Dispute:
        """Say which side of a conflict is wrong, and how one knows; the loser stays readable as contradicted."""
        from commonplace.engine.resolve import Resolve, resolve

        return self._ask(resolve, Resolve, id=id, loser=loser, reason=reason)

    def revert(self, id: str | Operation, *, reason: str | None = None) -> Operation:
        """Undo an operation or a run, and what was derived from it; refuses when later changes rest on it."""
        from commonplace.engine.revert import Revert, revert

        return self._ask(revert, Revert, id=id if isinstance(id, str) else id.id, reason=reason)

    def verify(self, *, limit: int = 100, progress: Progress | None = None) -> Examination:
        """Is the journal whole, and is every record what its journal says?"""
        from commonplace.engine.verify import Verify, verify

        return self._ask(verify, Verify, progress=progress, limit=limit)

    def explain(self, id: str) -> Explanation | ReceiptExplanation:
        """Why the book remembers this: its source, its links, its history. Of a receipt: why these came up and those did not."""
        from commonplace.engine.explain import Explain, explain

        return self._ask(explain, Explain, id=id)

    def stats(self) -> BookStats:
        """How much there is of what."""
        from commonplace.engine.stats import Stats, stats

        return self._ask(stats, Stats)

    def doctor(self, *, full: bool = False, repair: bool = False, progress: Progress | None = None) -> Examination:
        """Is the book healthy? `full` reads every byte."""
        from commonplace.engine.doctor import Doctor, doctor

        return self._ask(doctor, Doctor, progress=progress, full=full, repair=repair)

    def scan(self, *, limit: int = 1000, progress: Progress | None = None) -> Examination:
        """Walk what is stored and look for secrets."""
        from commonplace.engine.scan import Scan, scan

        return self._ask(scan, Scan, progress=progress, limit=limit)

    def backup(self, path: str, *, progress: Progress | None = None) -> BackupReport:
        """A verified copy, made while others go on writing."""
        from commonplace.engine.backup import Backup, backup

        return self._ask(backup, Backup, progress=progress, path=str(path))

    def export(self, path: str, *, progress: Progress | None = None) -> ExportReport:
        """The whole book as lines of JSON."""
        from commonplace.engine.export import Export, export

        return self._ask(export, Export, progress=progress, path=str(path))

    def import_(self, path: str, *, trust: str | None = None, progress: Progress | None = None) -> ImportReport:
        """Bring an export in. Twice is once; what cannot be understood is kept aside and named."""
        from commonplace.engine.import_ import Import, import_

        return self._ask(import_, Import, progress=progress, path=str(path), trust=trust)

    def write_personal(self, id: str, content: str, *, authorisation: str, expect: str | None = None) -> MemoryRecord:
        """Change what is the person's own (T1), at the operator's word, which is kept. No other verb may."""
        from commonplace.engine.write_personal import WritePersonal, write_personal

        return self._ask(
            write_personal, WritePersonal, id=id, content=content, authorisation=authorisation, expect=expect
        )

    def copy(self, to_book: str, *, verify: bool = False, progress: Progress | None = None) -> CopyReport:
        """Bring the whole book, with its history, into a new book in any canon. What was cut off goes on where it stopped."""
        from commonplace.engine.copy import Copy, copy

        return self._ask(copy, Copy, progress=progress, from_book=self.url, to_book=to_book, verify=verify)


def _in_order(to_id: str, relation: str) -> tuple[str, str]:
    """`link(a, b, "supports")` and `link(a, "supports", b)` say the same; a relation's word is never an id."""
    from commonplace.model.words import Relation

    return (relation, to_id) if to_id in tuple(Relation) and relation not in tuple(Relation) else (to_id, relation)
