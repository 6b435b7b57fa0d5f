"""kill -9 of workers at random moments (rows 1, 59): no event is lost, none is applied twice, and nobody has to mend anything."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from commonplace import Book
from commonplace.engine import extraction
from commonplace.engine.process_pending import ProcessPending, process_pending
from commonplace.ingest import queue
from commonplace.model.proposal import Proposal
from commonplace.model.source import JobState
from commonplace.model.transcript import Transcript
from commonplace.model.words import Entity, Type

from .books import forget_catalog, on_each, on_every_canon, on_file_canons, open_book, what_is_wrong
from .children import Child, Say, run, troubles


class Slow:
    """Finds three statements in every source, and takes a moment for it, so that kills fall into it too."""

    name = "slow/1"

    def proposals(self, transcript: Transcript) -> Sequence[Proposal]:
        time.sleep(0.002)
        first = transcript.pieces[0]
        return [
            Proposal(
                content=f"{first.text} Point {n}.", type=Type.PROJECT, kind="fact", start=first.start, end=first.end,
                confidence=0.5, rule="slow",
            )
            for n in range(3)
        ]  # fmt: skip


class Workshop:
    """A book with events in its queue, and workers that are killed."""

    def __init__(self, where: Path, rng: random.Random) -> None:
        self.where, self.rng = where, rng
        self.events: list[str] = []
        with open_book(where) as book:
            self.capture(book, 5)
        self.takes = self._measured()

    def capture(self, book: Book, number: int) -> None:
        for _ in range(number):
            n = len(self.events)
            event = book.capture_session(
                f"User: Service {n} listens on port {9000 + n}.\nAssistant: Noted.", project_id="atlas"
            )
            self.events.append(event.id)

    def work(self, say: Say) -> None:
        with open_book(self.where, extractor=Slow()) as book:
            say({"begun": True})
            process_pending(book._scribe, ProcessPending())
            say({"ended": True})

    def _measured(self) -> float:
        child = Child(self.work)
        child.listen(bool, 10.0)
        started = time.monotonic()
        child.finish(30.0)
        child.close()
        return time.monotonic() - started

    def kill_some(self, kills: int, work: Callable[[Say], object] | None = None, workers: int = 2) -> int:
        """Begin workers and kill each at a random moment of its work; returns how many had not ended by themselves."""
        hit = 0
        for _ in range(0, kills, workers):
            with open_book(self.where) as book:  # always more than they can do before they are killed
                waiting = book.work_status()
                self.capture(book, max(8 - waiting.pending - waiting.running, 0))
            children = [Child(work or self.work) for _ in range(workers)]
            for child in children:
                child.listen(bool, 10.0)
            for child in children:
                time.sleep(self.rng.random() * self.takes)
                said = child.kill()
                has_ended = {"ended": True} in said
                self.takes *= 0.8 if has_ended else 1.05  # a machine is not as busy as it was a moment ago
                hit += not has_ended
                assert troubles(said) == []
                child.close()
        return hit

    def finish(self) -> None:
        """What a person would do: start a worker again. Nothing else."""
        assert troubles(run(self.work, 30.0 + len(self.events))) == []

    def wrong(self) -> list[str]:
        """Events that are not done, and sources whose effects are not there exactly once."""
        found: list[str] = []
        with open_book(self.where) as book:
            found += what_is_wrong(book)
            with book._scribe.reading() as view:
                events = [view.noun(Entity.EVENT, id) for id in self.events]
                for event in events:
                    if event is None or event.state is not JobState.DONE:  # type: ignore[attr-defined]
                        found.append(f"LOST {event}")
            made: Counter[tuple[str, str]] = Counter()
            after = None
            while page := book.list(statuses="all", limit=1000, after=after):
                made.update((str(record.source_ref), str(record.type)) for record in page)
                after = page[-1].id
        for event in events:
            if event is not None:
                ref = event.source_ref  # type: ignore[attr-defined]
                if (made[ref, "episode"], made[ref, "project"]) != (1, 3):
                    found.append(f"NOT ONCE {ref}: {made[ref, 'episode']} episodes, {made[ref, 'project']} candidates")
        return found


def _survives(place: Path, rng: random.Random, kills: int) -> None:
    shop = Workshop(place, rng)
    hit = shop.kill_some(kills)
    shop.finish()
    print(
        f"{kills} kills, {hit} of them in the middle of work, {len(shop.events)} events, takes {shop.takes * 1000:.0f} ms"
    )
    assert shop.wrong() == []
    assert hit > kills // 4, "hardly a kill fell into the work: the harness proves nothing"


@on_each("kills", sqlite=60, files=16)
def test_every_event_is_worked_exactly_once_in_60_kills(place: Path, rng: random.Random, kills: int) -> None:
    _survives(place, rng, kills)


@on_every_canon
@pytest.mark.nightly
def test_every_event_is_worked_exactly_once_in_1_000_kills(place: Path, rng: random.Random) -> None:
    _survives(place, rng, 1_000)


def test_the_control_that_ends_its_event_in_a_second_transaction_is_found_to_do_it_twice(
    place: Path, rng: random.Random
) -> None:
    shop = Workshop(place, rng)

    def work_in_two_steps(say: Say) -> None:
        write, done, free = extraction._write, extraction._done, queue.free

        def broken(scribe, job, found):
            extraction._done, queue.free = lambda event, *_: event, lambda job, *_: job
            written = write(scribe, job, found)
            extraction._done, queue.free = done, free
            time.sleep(0.004)
            with scribe.writing() as pen:
                pen.write(Entity.EVENT, found.event, done(found.event, found, pen.now))
                pen.sign("extract")
                pen.draft.keep_job(free(job, pen.now, JobState.DONE))
            return written

        extraction._write = broken
        shop.work(say)

    shop.kill_some(40, work_in_two_steps, workers=1)
    shop.finish()
    assert any("NOT ONCE" in one for one in shop.wrong())


@on_each("kills", sqlite=30, files=8)
def test_a_capture_that_was_killed_is_whole_or_absent_and_repeating_it_is_once(
    place: Path, rng: random.Random, kills: int
) -> None:
    """The source and its event come together or not at all (rfc 12)."""
    filler = "Assistant: A long answer follows.\n" * 3_000

    def text(n: int) -> str:
        return f"User: The port is {8000 + n}.\n{filler}"

    with open_book(place) as book:
        started = time.monotonic()
        book.capture_session(text(0))
        takes = time.monotonic() - started
    for n in range(1, kills + 1):
        child = Child(lambda say, n=n: _capture(place, text(n), say))
        child.listen(bool, 10.0)
        time.sleep(rng.random() * 2 * takes)
        child.kill()
        child.close()
        with open_book(place) as book, book._scribe.reading() as view:
            events = [*view.nouns(Entity.EVENT)]
            assert sorted(event.source_ref for event in events) == [*view.ids(Entity.SOURCE)]  # type: ignore[attr-defined]
    print(f"{len(events) - 1} of {kills} were captured before the kill, which takes {takes * 1000:.0f} ms")
    with open_book(place) as book:
        for n in range(kills + 1):
            book.capture_session(text(n))
        assert book.stats().sources == kills + 1
        assert what_is_wrong(book) == []


def _capture(place: Path, text: str, say: Say) -> None:
    with open_book(place) as book:
        say({"begun": True})
        book.capture_session(text)


@on_every_canon
def test_a_worker_that_was_stopped_for_long_comes_back_too_late(place: Path) -> None:
    """Paused, not killed: another one takes its work over, and what it does when it wakes up changes nothing."""

    def work(say: Say) -> None:
        from commonplace import settings

        settings.LEASE_SECONDS = 0.2

        class Telling(Slow):
            def proposals(self, transcript):
                say({"asked": True})
                time.sleep(0.3)
                return super().proposals(transcript)

        with open_book(place, extractor=Telling()) as book:
            say({"done": process_pending(book._scribe, ProcessPending()).done})

    shop = Workshop(place, random.Random(1))
    with open_book(place) as book:
        shop.capture(book, 1)
    paused = Child(work)
    paused.listen(bool, 10.0)
    os.kill(paused.pid, signal.SIGSTOP)
    time.sleep(0.4)
    shop.finish()
    os.kill(paused.pid, signal.SIGCONT)
    said = paused.finish(10.0)
    paused.close()
    assert {"done": 0} in said, said
    assert shop.wrong() == []


@on_file_canons
def test_what_waits_to_be_worked_survives_the_loss_of_the_catalog(place: Path) -> None:
    """The queue lies in the catalog, which may be deleted; the events lie in the journal, and are worked from there."""
    shop = Workshop(place, random.Random(1))
    with open_book(place) as book:
        shop.capture(book, 3)
    forget_catalog(place)
    shop.finish()
    assert shop.wrong() == []
