"""What a catalog promises about the queue: jobs, the events they are about, and sources known by what they say."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec

from commonplace.model.ids import new_id
from commonplace.model.job import Job
from commonplace.model.source import IngestionEvent
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_signature, a_source
from commonplace.testing.opened import OpenedCatalog


def a_job(minutes: int = 0, **fields: Any) -> Job:
    """One that is due so many minutes after the epoch."""
    made = {
        "id": new_id(),
        "kind": "extract",
        "due_at": EPOCH + timedelta(minutes=minutes),
        "created_at": EPOCH,
        **fields,
    }
    return Job(**made)


def an_event(minutes: int = 0, **fields: Any) -> IngestionEvent:
    at = EPOCH + timedelta(minutes=minutes)
    made = {"id": new_id(), "trigger": "session_close", "source_ref": "s", "requested_scope": "global", **fields}
    return IngestionEvent.from_dict({"created_at": at.isoformat(), "updated_at": at.isoformat(), **made})


def _keep(catalog: Canon, *jobs: Job) -> None:
    with catalog.writing(5) as draft:
        for job in jobs:
            draft.keep_job(job)


def _put(catalog: Canon, *events: IngestionEvent) -> None:
    with catalog.writing(5) as draft:
        for event in events:
            draft.commit(a_signature("capture"), [(Entity.EVENT, None, event)])


class QueueContract(OpenedCatalog):
    """Everything a worker asks."""

    def test_a_job_is_kept_as_it_is_and_replaced_by_its_id(self, catalog: Canon) -> None:
        job = a_job(subject="e", attempts=2, lease_owner="me", lease_until=EPOCH, error="why")
        _keep(catalog, job)
        later = msgspec.structs.replace(job, lease_owner=None, error=None)
        with catalog.reading() as view:
            assert view.job(job.id) == job
        _keep(catalog, later)
        with catalog.reading() as view:
            assert view.job(job.id) == later
            assert view.job("other") is None

    def test_jobs_come_in_the_order_in_which_they_are_due(self, catalog: Canon) -> None:
        jobs = [
            a_job(minute, state=state)
            for minute, state in ((3, "failed"), (1, "pending"), (2, "running"), (1, "pending"))
        ]
        _keep(catalog, *jobs)
        with catalog.reading() as view:
            found = view.jobs(("pending", "failed"))
            assert [job.due_at for job in found] == sorted(job.due_at for job in found)
            assert {job.id for job in found} == {jobs[0].id, jobs[1].id, jobs[3].id}
            assert len(view.jobs(("pending", "failed"), limit=1)) == 1
            by, after = EPOCH + timedelta(minutes=2), EPOCH + timedelta(minutes=1)
            assert {job.id for job in view.jobs(("pending",), due_by=by)} == {jobs[1].id, jobs[3].id}
            assert [job.id for job in view.jobs(("pending", "failed"), due_after=after)] == [jobs[0].id]

    def test_what_a_failed_draft_kept_is_not_there(self, catalog: Canon) -> None:
        job = a_job()
        try:
            with catalog.writing(5) as draft:
                draft.keep_job(job)
                assert draft.job(job.id) == job
                raise KeyError  # noqa: TRY301 - it is the draft that is asked
        except KeyError:
            pass
        with catalog.reading() as view:
            assert view.job(job.id) is None

    def test_keeping_a_job_is_no_operation(self, catalog: Canon) -> None:
        _keep(catalog, a_job())
        with catalog.reading() as view:
            assert [*view.operations()] == []

    def test_events_without_a_job_are_known(self, catalog: Canon) -> None:
        waiting, failed, done, queued = (
            an_event(n, state=state) for n, state in enumerate(("pending", "failed", "done", "pending"))
        )
        _put(catalog, failed, waiting, done, queued)
        _keep(catalog, a_job(subject=queued.id))
        with catalog.reading() as view:
            assert [event.id for event in view.unqueued(10)] == [waiting.id, failed.id]
            assert [event.id for event in view.unqueued(1)] == [waiting.id]
            assert view.count_events() == {"pending": 2, "failed": 1, "done": 1}

    def test_events_are_found_by_state_and_by_source(self, catalog: Canon) -> None:
        first, second, third = an_event(1), an_event(2, state="dead"), an_event(3, source_ref="other")
        _put(catalog, first, second, third)
        with catalog.reading() as view:
            assert [event.id for event in view.events()] == [third.id, second.id, first.id]
            assert [event.id for event in view.events(("dead", "failed"))] == [second.id]
            assert [event.id for event in view.events(source_ref="s", limit=1)] == [second.id]

    def test_a_source_is_known_by_the_fingerprint_of_its_body(self, catalog: Canon) -> None:
        kept = a_source(body="words", fingerprint="sha256:1", outline="[]", format="text")
        self.put(catalog, kept, a_source(fingerprint=None))
        with catalog.reading() as view:
            assert view.source_like("sha256:1") == kept
            assert view.source_like("sha256:2") is None
