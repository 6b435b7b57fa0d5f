"""The queue: many workers, one event each; leases, clocks that jump, and work that comes round (rfc 61, R-i, rows 60, 68, 71)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import timedelta

import msgspec
import pytest

from commonplace import Book
from commonplace.engine import upkeep
from commonplace.errors import UnavailableError
from commonplace.ingest import holder, queue
from commonplace.model.job import Job
from commonplace.model.source import JobState
from commonplace.testing.clocks import EPOCH, FixedClock

from .extractors import Finding, Raising


def talk(n: int) -> str:
    return f"User: The port of service {n} is {8000 + n}.\nAssistant: Noted."


def job_of(book: Book, event_id: str) -> Job:
    with book._scribe.reading() as view:
        found = view.job(f"extract:{event_id}")
    assert found is not None
    return found


def keep(book: Book, job: Job, **fields: object) -> None:
    with book._scribe.canon.writing(1.0) as draft:
        draft.keep_job(msgspec.structs.replace(job, **fields))


def effects(book: Book) -> tuple[int, int]:
    """How many episodes and candidates there are."""
    return len(book.list(types="episode", limit=1000)), len(book.list(statuses="inbox", limit=1000))


class TestManyWorkers:
    def test_two_workers_and_one_event_make_one_episode(self, open_book) -> None:
        """Both have it in hand at the same time; the second finds that it is not its own any more."""
        book = open_book(extractor=Finding())
        event = book.capture_session(talk(1))

        class Overtaken(Finding):
            def proposals(self, transcript):
                keep(book, job_of(book, event.id), lease_owner="boot/1/1/1/1/other", lease_until=EPOCH)
                open_book(extractor=Finding()).process_pending()
                return super().proposals(transcript)

        slow = open_book(extractor=Overtaken())
        assert slow.process_pending().done == 0
        assert effects(book) == (1, 1)
        assert book.event(event.id).state == "done"
        assert book.verify().ok

    def test_many_workers_share_many_events(self, open_book) -> None:
        book = open_book(extractor=Finding())
        events = [book.capture_session(talk(n)) for n in range(24)]
        done: list[int] = []

        def work() -> None:
            with open_book(extractor=Finding()) as mine:
                done.append(mine.process_pending().done)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(done) == 24
        assert effects(book) == (24, 24)
        assert {book.event(event.id).state for event in events} == {JobState.DONE}
        assert book.verify().ok

    def test_what_somebody_has_is_running_and_left_to_them(self, open_book) -> None:
        book = open_book(extractor=Finding())
        event = book.capture_session(talk(1))
        with book._scribe.canon.writing(1.0) as draft:
            queue.take(draft, EPOCH + timedelta(hours=1))
        assert book.event(event.id).state == "running"
        assert (book.work_status().running, book.work_status().pending) == (1, 0)
        report = book.process_pending()
        assert (report.done, report.waiting) == (0, 1)

    def test_they_are_worked_in_the_order_in_which_they_came(self, open_book) -> None:
        book = open_book(extractor=Finding())
        events = [book.capture_session(talk(n)) for n in range(5)]
        book.process_pending(2)
        assert [str(book.event(event.id).state) for event in events] == [
            "done",
            "done",
            "pending",
            "pending",
            "pending",
        ]

    def test_it_stops_when_its_time_is_up(self, open_book) -> None:
        book = open_book(extractor=Finding())
        book.capture_session(talk(1))
        assert book.process_pending(seconds=0).waiting == 1


class TestWhoHoldsIt:
    def lease(self, owner: str, until: object = None) -> Job:
        return Job(id="x", kind="extract", due_at=EPOCH, created_at=EPOCH, lease_owner=owner, lease_until=until)  # type: ignore[arg-type]

    def test_we_are_there(self) -> None:
        assert not holder.is_free(self.lease(holder.claim()), EPOCH + timedelta(days=9_000))

    def test_whoever_ended_is_gone_at_once(self) -> None:
        code = "from commonplace.ingest.holder import claim; print(claim(), flush=True); input()"
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
        assert child.stdout
        assert child.stdin
        claim = child.stdout.readline().strip()
        until = EPOCH + timedelta(minutes=5)
        assert not holder.is_free(self.lease(claim, until), EPOCH)
        child.kill()
        child.wait()
        child.stdout.close()
        child.stdin.close()
        assert holder.is_free(self.lease(claim, until), EPOCH)

    def test_a_pid_that_is_used_again_is_somebody_else(self) -> None:
        """Row 60."""
        boot, pids, pid, began, until, chance = holder.claim().split("/")
        other = "/".join((boot, pids, pid, str(int(began) - 1), until, chance))
        assert holder.is_free(self.lease(other), EPOCH)

    def test_another_namespace_counts_its_own_pids(self) -> None:
        boot, _, *rest = holder.claim().split("/")
        lease = self.lease("/".join((boot, "1", *rest)), EPOCH + timedelta(minutes=5))
        assert not holder.is_free(lease, EPOCH)
        assert holder.is_free(lease, EPOCH + timedelta(minutes=6))

    def test_a_holder_that_hangs_loses_it_when_its_time_is_up(self, monkeypatch) -> None:
        monkeypatch.setattr("commonplace.settings.LEASE_SECONDS", -1.0)
        assert holder.is_free(self.lease(holder.claim(), EPOCH + timedelta(days=1)), EPOCH)

    @pytest.mark.parametrize("owner", ["", "nonsense", "/////", "a/b/c", f"x/{os.getpid()}/1/2/3/4/5"])
    def test_a_lease_that_says_nothing_ends_when_it_says(self, owner: str) -> None:
        assert not holder.is_free(self.lease(owner, EPOCH + timedelta(seconds=1)), EPOCH)
        assert holder.is_free(self.lease(owner, EPOCH - timedelta(seconds=1)), EPOCH)

    def test_a_lease_that_no_clock_of_ours_can_have_given_does_not_bind(self) -> None:
        """Row 71: given in the year 2036 by a machine whose clock was wrong."""
        assert holder.is_free(self.lease("elsewhere", EPOCH + timedelta(days=3650)), EPOCH)


class TestClocksThatJump:
    """Row 71: nothing is lost and nothing is done twice, wherever the clock goes."""

    @pytest.mark.parametrize("days", [3650, -3650, 1 / 24, -1 / 24])
    def test_between_capture_and_work(self, open_book, days: float) -> None:
        clock = FixedClock()
        book = open_book(extractor=Finding(), clock=clock)
        book.capture_session(talk(1))
        clock.move(days=days)
        for _ in range(3):
            clock.move(hours=2)
            book.process_pending()
        assert effects(book) == (1, 1)

    @pytest.mark.parametrize("days", [3650, -3650])
    def test_between_a_failure_and_the_next_try(self, open_book, days: float) -> None:
        clock = FixedClock()
        book = open_book(extractor=Raising(times=1), clock=clock)
        book.capture_session(talk(1))
        clock.move(days=days)
        assert book.process_pending().failed == 1
        clock.move(days=-days)
        clock.move(hours=2)
        assert book.process_pending().done == 1
        assert effects(book) == (1, 1)

    def test_one_worker_with_another_clock_beside_one_with_ours(self, open_book) -> None:
        ours, theirs = FixedClock(), FixedClock(EPOCH + timedelta(days=3650))
        book, other = open_book(extractor=Finding(), clock=ours), open_book(extractor=Finding(), clock=theirs)
        for n in range(6):
            (book, other)[n % 2].capture_session(talk(n))
            (other, book)[n % 2].process_pending(1)
        for _ in range(2):
            book.process_pending()
            other.process_pending()
        assert effects(book) == (6, 6)


class TestBackoff:
    def test_it_grows_and_is_bounded_and_never_the_same(self) -> None:
        rests = [[queue.backoff(n).total_seconds() for _ in range(200)] for n in range(1, 30)]
        assert max(rests[0]) <= 30 < max(rests[2])
        assert max(max(several) for several in rests) <= 3_600
        assert all(min(several) > 0 for several in rests)
        assert len({*rests[3]}) > 100


@pytest.fixture
def counted(monkeypatch) -> dict[str, int]:
    """What comes round, counted instead of done."""
    ran = {"consolidate": 0, "index": 0}

    def note(kind: str):
        def run(_) -> None:
            ran[kind] += 1

        return run

    monkeypatch.setattr(upkeep, "UPKEEP", {kind: (900.0, note(kind)) for kind in ran})
    return ran


class TestWhatComesRound:
    """rfc 61: due work is run by whoever comes by; a run that was missed is made up for once."""

    def test_not_the_first_time(self, open_book, counted: dict[str, int]) -> None:
        open_book(extractor=Finding()).process_pending()
        assert counted == {"consolidate": 0, "index": 0}

    def test_once_each_round(self, open_book, counted: dict[str, int]) -> None:
        clock = FixedClock()
        book = open_book(extractor=Finding(), clock=clock)
        for _ in range(7):
            book.process_pending()
            clock.move(minutes=10)
        assert counted == {"consolidate": 3, "index": 3}

    def test_what_was_missed_for_a_month_runs_once(self, open_book, counted: dict[str, int]) -> None:
        clock = FixedClock()
        book = open_book(extractor=Finding(), clock=clock)
        book.process_pending()
        clock.move(days=30)
        assert book.process_pending().ran == ("consolidate", "index")
        assert book.process_pending().ran == ()
        assert book.work_status().upkeep["index"] == clock.now() + timedelta(seconds=900)

    def test_a_failure_waits_and_is_tried_again(self, open_book, monkeypatch) -> None:
        def fail(_) -> None:
            raise UnavailableError("not now")

        monkeypatch.setattr(upkeep, "UPKEEP", {"index": (900.0, fail)})
        clock = FixedClock()
        book = open_book(extractor=Finding(), clock=clock)
        book.process_pending()
        clock.move(hours=1)
        assert book.process_pending().ran == ()
        with book._scribe.reading() as view:
            job = view.job("index")
        assert job is not None
        assert (job.state, job.error) == ("failed", "unavailable: not now")
        assert clock.now() < job.due_at <= clock.now() + timedelta(hours=1)

    def test_the_real_ones_run_too(self, open_book) -> None:
        clock = FixedClock()
        book = open_book(extractor=Finding(), clock=clock)
        book.capture_session(talk(1))
        book.process_pending()
        clock.move(days=3)
        assert book.process_pending().ran == ("consolidate", "index")
        assert book.verify().ok


class TestTheStatus:
    def test_it_says_what_waits_and_since_when(self, open_book) -> None:
        clock = FixedClock()
        book = open_book(extractor=Raising(times=1), clock=clock)
        empty = book.work_status()
        assert (empty.pending, empty.oldest_waiting, empty.next_due_at) == (0, None, None)
        book.capture_session(talk(1))
        clock.move(minutes=1)
        book.capture_session(talk(2))
        told = book.work_status()
        assert (told.pending, told.oldest_waiting, told.next_due_at) == (2, EPOCH, EPOCH)
        book.process_pending()
        told = book.work_status()
        assert (told.done, told.failed, told.pending) == (1, 1, 0)
        assert told.troubled[0].error == "RuntimeError: boom"

    def test_work_with_status_only_looks(self, open_book) -> None:
        book = open_book(extractor=Finding())
        book.capture_session(talk(1))
        assert book.work(status=True) == book.work_status()
        assert book.work(once=True).done == 1
