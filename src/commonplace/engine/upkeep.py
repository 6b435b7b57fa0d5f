"""What comes round: work that is due again and again, by a table (rfc 61).

There is no clockwork. Whoever works through the queue looks whether something is due; what was missed while nobody
did runs once, and the next time is counted from the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.errors import CommonplaceError
from commonplace.ingest import queue
from commonplace.model.job import Job
from commonplace.model.source import JobState

if TYPE_CHECKING:
    from commonplace.engine.scribe import Scribe


def _consolidate(scribe: Scribe) -> None:
    from commonplace.engine.consolidate import Consolidate, consolidate

    after = None
    while True:  # a run looks at so many at a time; the next one goes on where it stopped
        after = consolidate(scribe, Consolidate(after=after)).next
        if after is None:
            return


def _index(scribe: Scribe) -> None:
    """Only with a model that is here already: what comes round by itself fetches nothing."""
    from commonplace.engine.index_pending import IndexPending, catch_up

    catch_up(scribe, IndexPending(limit=256))


UPKEEP: dict[str, tuple[float, Callable[[Scribe], None]]] = {
    "consolidate": (settings.CONSOLIDATE_EVERY_SECONDS, _consolidate),
    "index": (settings.INDEX_EVERY_SECONDS, _index),
}
"""What comes round: how often, and what is done then."""


def keep_up(scribe: Scribe) -> None:
    """Make sure that everything that comes round is in the queue; the first time comes one round from now."""
    with scribe.reading() as view:
        missing = [kind for kind in UPKEEP if view.job(kind) is None]
    if not missing:
        return
    with scribe.canon.writing(scribe.timeout, durable=False) as draft:
        now = scribe.clock.now()
        for kind in missing:
            if draft.job(kind) is None:
                due = now + timedelta(seconds=UPKEEP[kind][0])
                draft.keep_job(Job(id=kind, kind=kind, due_at=due, created_at=now))


def run_due(scribe: Scribe, job: Job) -> bool:
    """Do it, and say when it is due again. A failure waits longer each time, and never ends it."""
    error = None
    every, perform = UPKEEP.get(job.kind, (settings.MAX_RETRY_SECONDS, _nothing))
    try:
        perform(scribe)
    except CommonplaceError as cause:
        error = f"{cause.kind}: {cause.message}"
    except Exception as cause:  # noqa: BLE001 - a fault in what comes round must not keep events from being worked
        error = f"a fault of ours: {type(cause).__name__}"
    with scribe.canon.writing(scribe.timeout, durable=False) as draft:
        if queue.is_ours(draft, job):
            rest = queue.backoff(job.attempts) if error else timedelta(seconds=every)
            state = JobState.FAILED if error else JobState.PENDING
            again = queue.free(job, scribe.clock.now() + rest, state, error)
            draft.keep_job(
                again if error else Job(id=job.id, kind=job.kind, due_at=again.due_at, created_at=job.created_at)
            )
    return error is None


def _nothing(_: Scribe) -> None:
    """A kind of work that this version does not know: left to one that does."""
