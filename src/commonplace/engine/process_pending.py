"""`process_pending`: work through what waits: an episode for each source, and candidates in the inbox (rfc 13, 59, R-e).

A job is taken in one short transaction, the extractor is asked outside of any, and everything that comes of an event
is written in one more: episode, candidates, links, the event's end and the job's. Whoever is killed in between leaves the event
as it was, and whoever comes too late finds that it is not theirs any more.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from commonplace import settings
from commonplace.engine.extraction import Extraction, extract
from commonplace.engine.scribe import Request, Scribe, harmless
from commonplace.engine.upkeep import keep_up, run_due
from commonplace.errors import ConflictError, NotFoundError
from commonplace.ingest import queue
from commonplace.ingest.attempt import ExtractionError, failure_of
from commonplace.model.job import EXTRACT, Job, WorkReport
from commonplace.model.source import IngestionEvent, JobState
from commonplace.model.words import Entity, Verb

if TYPE_CHECKING:
    from commonplace.engine.scribe import Pen
    from commonplace.seam.terms import Progress


class ProcessPending(Request, frozen=True, kw_only=True):
    """How much."""

    limit: Annotated[int | None, Meta(description="at most this many events now")] = None
    seconds: Annotated[float | None, Meta(description="begin nothing new after so many seconds")] = None


class Retry(Request, frozen=True, kw_only=True):
    """What to try again."""

    id: Annotated[str, Meta(description="the ingestion event")]


def process_pending(scribe: Scribe, asked: ProcessPending, progress: Progress | None = None) -> WorkReport:
    """Work until nothing is due, or as far as was asked. What fails is tried again later; what failed too often is given up."""
    run = _Run(scribe, asked.limit, asked.seconds)
    keep_up(scribe)
    while (job := run.next()) is not None:
        run.work(job)
        if progress:
            progress(run.worked, run.worked + _waiting(scribe))
    return run.report()


class _Run:
    """One walk through the queue."""

    def __init__(self, scribe: Scribe, limit: int | None, seconds: float | None) -> None:
        self._scribe, self._limit = scribe, limit
        self._until = None if seconds is None else time.monotonic() + seconds
        self._counts = dict.fromkeys(("done", "failed", "dead", "made", "reinforced", "echoed", "dropped"), 0)
        self._ran: list[str] = []
        self.worked = 0

    def next(self) -> Job | None:
        late = self._until is not None and time.monotonic() >= self._until
        if late or (self._limit is not None and self.worked >= self._limit):
            return None
        with self._scribe.reading() as view:
            if not queue.anything_due(view, self._scribe.clock.now()):
                return None
        # Need not reach the disk: a lease that is lost with the machine leaves the job to whoever comes next.
        with self._scribe.canon.writing(self._scribe.timeout, durable=False) as draft:
            return queue.take(draft, self._scribe.clock.now())

    def work(self, job: Job) -> None:
        if job.kind != EXTRACT:
            if run_due(self._scribe, job):
                self._ran.append(job.kind)
            return
        self.worked += 1
        try:
            self._note(extract(self._scribe, job))
        except Exception as cause:  # noqa: BLE001 - whatever it is, it is kept with its event and the others go on
            self._counts[_fail(self._scribe, job, failure_of(cause))] += 1

    def _note(self, came_of_it: Extraction | None) -> None:
        if came_of_it is not None:
            self._counts["done"] += 1
            for name, number in came_of_it.counts.items():
                self._counts[name] += number

    def report(self) -> WorkReport:
        return WorkReport(waiting=_waiting(self._scribe), ran=tuple(self._ran), **self._counts)


def _waiting(scribe: Scribe) -> int:
    with scribe.reading() as view:
        told = view.count_events()
    return sum(told.get(state, 0) for state in ("pending", "running", "failed"))


def _fail(scribe: Scribe, job: Job, cause: ExtractionError) -> str:
    """Keep the error; try again later, or give it up. The source stays as it is (rfc 24, 25). Returns what became of it."""
    with scribe.writing() as pen:
        event = _event_of(pen, job)
        if event is None or not queue.is_ours(pen.view, job):
            return "failed"
        failures = event.retry_count + 1
        # What is only away for a while comes back: it never makes an event dead.
        is_dead = failures >= settings.MAX_TRIES and not cause.is_passing
        state = JobState.DEAD if is_dead else JobState.FAILED
        changed = _changed(event, pen, state=state, retry_count=failures, error=cause.message)
        pen.write(Entity.EVENT, event, changed)
        pen.sign(Verb.EXTRACT, f"try {failures} failed", run=event.id)
        pen.draft.keep_job(queue.free(job, pen.now + queue.backoff(failures), state, cause.message))
        return str(state)


def retry(scribe: Scribe, asked: Retry) -> IngestionEvent:
    """Begin anew with an event that failed or was given up: it is due now, and has all its tries again."""
    with scribe.writing() as pen:
        event = pen.view.noun(Entity.EVENT, asked.id)
        if not isinstance(event, IngestionEvent):
            raise NotFoundError(
                "there is no such ingestion event", where=harmless(asked.id), hint="`commonplace queue` lists them."
            )
        if event.state is JobState.DONE:
            raise ConflictError("it is done already", where=event.id, hint="To undo what came of it: revert its id.")
        again = event
        if event.state is not JobState.PENDING:
            again = _changed(event, pen, state=JobState.PENDING, retry_count=0, error=None)
            pen.write(Entity.EVENT, event, again)
            pen.sign(Verb.EXTRACT, "to be tried again", run=event.id)
        pen.draft.keep_job(queue.job_of(again, pen.now))
        return again


def _event_of(pen: Pen, job: Job) -> IngestionEvent | None:
    found = pen.view.noun(Entity.EVENT, job.subject or "")
    return found if isinstance(found, IngestionEvent) else None


def _changed(event: IngestionEvent, pen: Pen, **fields: Any) -> IngestionEvent:
    return msgspec.structs.replace(event, updated_at=pen.now, **fields)
