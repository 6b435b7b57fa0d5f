"""Who does what next: taking, giving back, failing, giving up. All of it inside somebody's transaction.

A job that was taken is looked after by its lease alone; what the work leads to is written in one transaction together with
the job's end. So a worker may be killed, stopped or doubled at any point, and the effects still happen exactly once.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from commonplace import settings
from commonplace.ingest import holder
from commonplace.model.job import EXTRACT, WAITING, Job
from commonplace.model.source import IngestionEvent, JobState

if TYPE_CHECKING:
    from commonplace.seam.catalog import Draft, View

_RUNNING = (JobState.RUNNING,)
_AT_A_TIME = 200
# No backoff and nothing that comes round waits longer than this: what is due later was put there by another clock (row 71).
_LONGEST = timedelta(
    seconds=max(settings.MAX_RETRY_SECONDS, settings.CONSOLIDATE_EVERY_SECONDS, settings.INDEX_EVERY_SECONDS) + 60
)


def job_of(event: IngestionEvent, now: datetime) -> Job:
    """The one job of an event."""
    return Job(id=f"{EXTRACT}:{event.id}", kind=EXTRACT, subject=event.id, due_at=now, created_at=event.created_at)


def anything_due(view: View, now: datetime) -> bool:
    """Is there something to take? Asked before anybody takes a turn at writing; the cheap questions first."""
    if view.jobs(WAITING, due_by=now, limit=1) or view.jobs(WAITING, due_after=now + _LONGEST, limit=1):
        return True
    return any(holder.is_free(job, now) for job in view.jobs(_RUNNING, limit=_AT_A_TIME)) or bool(view.unqueued(1))


def take(draft: Draft, now: datetime) -> Job | None:
    """The job that is due longest, for us alone until its lease ends. None if nothing is due."""
    _free_what_is_left(draft, now)
    due = draft.jobs(WAITING, due_by=now, limit=1) or _queued(draft, now)
    if not due:
        return None
    taken = msgspec.structs.replace(
        due[0],
        state=JobState.RUNNING,
        attempts=due[0].attempts + 1,
        lease_owner=holder.claim(),
        lease_until=now + timedelta(seconds=settings.LEASE_SECONDS),
    )
    draft.keep_job(taken)
    return taken


def _queued(draft: Draft, now: datetime) -> list[Job]:
    """Events without a job get one: those of an imported book, and of a version that had no queue."""
    made = [job_of(event, now) for event in draft.unqueued(_AT_A_TIME)]
    for job in made:
        draft.keep_job(job)
    return made


def _free_what_is_left(draft: Draft, now: datetime) -> None:
    """Work whose holder is gone is free again, and what another clock put off is due."""
    for job in draft.jobs(_RUNNING, limit=_AT_A_TIME):
        if holder.is_free(job, now):
            # Behind those that wait already: what kills its workers must not keep the others from theirs.
            draft.keep_job(free(job, now + _rest_after_kills(job), JobState.PENDING))
    for job in draft.jobs(WAITING, due_after=now + _LONGEST, limit=_AT_A_TIME):
        draft.keep_job(free(job, now, job.state))


def _rest_after_kills(job: Job) -> timedelta:
    """The first few times at once: a worker that was killed is no fault of its work. Then longer and longer."""
    return timedelta(seconds=0 if job.attempts < 20 else min(2.0 ** (job.attempts - 20), settings.MAX_RETRY_SECONDS))


def free(job: Job, due: datetime, state: JobState, error: str | None = None) -> Job:
    """The job without a holder."""
    return msgspec.structs.replace(
        job, state=state, due_at=due, lease_owner=None, lease_until=None, error=error or job.error
    )


def is_ours(view: View, job: Job) -> bool:
    """Do we still have it? Another may have taken it over while we were stopped."""
    now = view.job(job.id)
    return now is not None and now.state is JobState.RUNNING and now.lease_owner == job.lease_owner


def backoff(failures: int) -> timedelta:
    """How long to rest after so many failures: anything up to a limit that doubles (full jitter)."""
    most = min(settings.RETRY_SECONDS * 2.0 ** max(failures - 1, 0), settings.MAX_RETRY_SECONDS)
    return timedelta(seconds=random.uniform(0.1 * most, most))  # noqa: S311 - nobody gains by guessing it
