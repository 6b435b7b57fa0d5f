"""What comes round: work that is due again and again, by a table (rfc 61).

There is no clockwork. Whoever works through the queue looks whether something is due; what was missed while nobody
did runs once, and the next time is counted from the end of the run.
"""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.errors import CommonplaceError
from commonplace.ingest import queue
from commonplace.model.job import Job
from commonplace.model.source import JobState

if TYPE_CHECKING:
    from commonplace.engine.scribe import Scribe

UPKEEP = {
    "consolidate": (settings.CONSOLIDATE_EVERY_SECONDS, "consolidate:maintain"),
    "index": (settings.INDEX_EVERY_SECONDS, "index_pending:maintain"),
}
"""Kind, how often, and the function of `engine` that does it: asked with the scribe alone."""


def keep_up(scribe: Scribe) -> None:
    """Make sure that everything that comes round is in the queue; the first time comes one round from now."""
    with scribe.reading() as view:
        missing = [kind for kind in UPKEEP if _is_there(kind) and view.job(kind) is None]
    if not missing:
        return
    with scribe.canon.writing(scribe.timeout, durable=False) as draft:
        now = scribe.clock.now()
        for kind in missing:
            if draft.job(kind) is None:
                due = now + timedelta(seconds=UPKEEP[kind][0])
                draft.keep_job(Job(id=kind, kind=kind, due_at=due, created_at=now))


def _is_there(kind: str) -> bool:
    module, _, _ = UPKEEP[kind][1].partition(":")
    return find_spec(f"commonplace.engine.{module}") is not None


def run_due(scribe: Scribe, job: Job) -> bool:
    """Do it, and say when it is due again. A failure waits longer each time, and never ends it."""
    error = None
    every, where = UPKEEP.get(job.kind, (settings.MAX_RETRY_SECONDS, ""))
    try:
        _perform(scribe, where)
    except CommonplaceError as cause:
        error = f"{cause.kind}: {cause.message}"
    with scribe.canon.writing(scribe.timeout, durable=False) as draft:
        if queue.is_ours(draft, job):
            rest = queue.backoff(job.attempts) if error else timedelta(seconds=every)
            state = JobState.FAILED if error else JobState.PENDING
            again = queue.free(job, scribe.clock.now() + rest, state, error)
            draft.keep_job(
                again if error else Job(id=job.id, kind=job.kind, due_at=again.due_at, created_at=job.created_at)
            )
    return error is None


def _perform(scribe: Scribe, where: str) -> None:
    module, _, name = where.partition(":")
    if module:
        getattr(import_module(f"commonplace.engine.{module}"), name)(scribe)
