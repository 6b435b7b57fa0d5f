"""`work`: a process that works through what waits until it is told to stop; and `work_status`, what waits and who is at it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from commonplace import settings
from commonplace.engine.process_pending import ProcessPending, process_pending
from commonplace.engine.scribe import Request, Scribe, harmless
from commonplace.errors import NotFoundError
from commonplace.model.job import EXTRACT, WAITING, WorkReport, WorkStatus
from commonplace.model.source import IngestionEvent, JobState
from commonplace.model.words import Entity

if TYPE_CHECKING:
    from commonplace.seam.catalog import View
    from commonplace.seam.terms import Progress


class Work(Request, frozen=True, kw_only=True):
    """How long."""

    once: Annotated[bool, Meta(description="stop when nothing is due any more")] = False
    status: Annotated[bool, Meta(description="only say what waits and who is at it")] = False


class Status(Request, frozen=True, kw_only=True):
    """What waits?"""


class Event(Request, frozen=True, kw_only=True):
    """Which capture?"""

    id: Annotated[str, Meta(description="the ingestion event")]


def work(scribe: Scribe, asked: Work, progress: Progress | None = None) -> WorkReport | WorkStatus:
    """Work until told to stop (SIGTERM, SIGINT): what is begun is ended first. Returns what was done altogether."""
    if asked.status:
        return work_status(scribe, Status())
    with _until_told() as stop:
        total = WorkReport()
        while not stop.is_set():
            total = _sum(total, process_pending(scribe, ProcessPending(limit=1), progress))
            if _is_idle(scribe):
                if asked.once:
                    break
                stop.wait(settings.WORK_TICK_SECONDS)
        return total


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread hears signals; a thread ends with its process
        return
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_idle(scribe: Scribe) -> bool:
    from commonplace.ingest.queue import anything_due

    with scribe.reading() as view:
        return not anything_due(view, scribe.clock.now())


def _sum(one: WorkReport, other: WorkReport) -> WorkReport:
    names = ("done", "failed", "dead", "made", "reinforced", "echoed", "dropped", "ran")
    added: dict[str, Any] = {name: getattr(one, name) + getattr(other, name) for name in names}
    return WorkReport(waiting=other.waiting, **added)


def work_status(scribe: Scribe, _: Status) -> WorkStatus:
    with scribe.reading() as view:
        told = view.count_events()
        running = [job for job in view.jobs((JobState.RUNNING,), limit=1000) if job.kind == EXTRACT]
        waiting = view.jobs(WAITING, limit=1000)
        ours = [job for job in waiting if job.kind == EXTRACT]
        waits = told.get("pending", 0) + told.get("running", 0)
        return WorkStatus(
            pending=max(waits - len(running), 0),
            running=len(running),
            done=told.get("done", 0),
            failed=told.get("failed", 0),
            dead=told.get("dead", 0),
            oldest_waiting=min((job.created_at for job in ours), default=None),
            next_due_at=waiting[0].due_at if waiting else None,
            upkeep={job.kind: job.due_at for job in waiting if job.kind != EXTRACT},
            troubled=tuple(view.events((JobState.FAILED, JobState.DEAD), limit=20)),
        )


def event(scribe: Scribe, asked: Event) -> IngestionEvent:
    """One capture and how far its work has come; `running` while somebody is at it."""
    with scribe.reading() as view:
        found = view.noun(Entity.EVENT, asked.id)
        if not isinstance(found, IngestionEvent):
            raise NotFoundError(
                "there is no such ingestion event", where=harmless(asked.id), hint="`commonplace queue` lists them."
            )
        return _as_it_is(view, found)


def _as_it_is(view: View, found: IngestionEvent) -> IngestionEvent:
    import msgspec

    job = view.job(f"{EXTRACT}:{found.id}")
    if job is not None and job.state is JobState.RUNNING and found.state is not JobState.DONE:
        return msgspec.structs.replace(found, state=JobState.RUNNING)
    return found
