"""An extractor that raises, hangs or answers nonsense: the event fails with its error, the source stays, a retry works."""

from __future__ import annotations

import pytest

from commonplace import Book
from commonplace.errors import ConflictError, NotFoundError, UnavailableError
from commonplace.model.words import Entity
from commonplace.testing.clocks import FixedClock

from .extractors import Answering, Finding, Hanging, Raising, away

TALK = "User: The port is 8080.\nAssistant: Noted."


@pytest.fixture
def clock() -> FixedClock:
    """Stands still: how long a rest is, is drawn by chance, and must not end while one looks."""
    return FixedClock()


def body_of(book: Book, source_id: str) -> str | None:
    with book._scribe.reading() as view:
        return view.noun(Entity.SOURCE, source_id).body  # type: ignore[union-attr]


def until_given_up(book: Book, clock: FixedClock, tries: int = 5) -> None:
    for _ in range(tries):
        book.process_pending()
        clock.move(hours=2)


class TestOneFailure:
    """rfc 24, 25."""

    @pytest.mark.parametrize(
        ("extractor", "said"),
        [
            (Raising(RuntimeError("boom")), "RuntimeError: boom"),
            (Raising(MemoryError()), "MemoryError"),
            (Raising(SystemExit(1)), "SystemExit"),  # type: ignore[arg-type]
            (Answering("not a list"), "did not answer with proposals"),
            (Answering(None), "did not answer with proposals"),
            (Answering([{"content": "x"}]), "no proposal"),
            (Answering(7), "did not answer with proposals"),
            (away(), "unavailable: the model's server does not answer"),
        ],
        ids=["raises", "memory", "exits", "text", "nothing", "dicts", "number", "away"],
    )
    def test_it_is_kept_and_the_source_stays(self, open_book, extractor, said: str) -> None:
        book = open_book(extractor=extractor)
        event = book.capture_session(TALK)
        report = book.process_pending()
        assert (report.failed, report.done, report.waiting) == (1, 0, 1)
        failed = book.event(event.id)
        assert (failed.state, failed.retry_count) == ("failed", 1)
        assert said in (failed.error or "")
        assert body_of(book, event.source_ref) == TALK
        assert book.list(statuses="all") == []
        assert book.verify().ok

    def test_a_hang_is_cut_off(self, open_book, monkeypatch) -> None:
        monkeypatch.setattr("commonplace.settings.EXTRACT_SECONDS", 0.1)
        extractor = Hanging()
        book = open_book(extractor=extractor)
        event = book.capture_session(TALK)
        assert book.process_pending().failed == 1
        assert "did not answer within 0.1 seconds" in (book.event(event.id).error or "")
        extractor.let_go.set()

    def test_an_endless_answer_is_cut_off(self, open_book) -> None:
        from commonplace.model.proposal import Proposal
        from commonplace.model.words import Type

        one = Proposal(content="a is b", type=Type.PROJECT, kind="f", start=0, end=5, confidence=1, rule="r")
        book = open_book(extractor=Answering(iter(lambda: one, None)))
        event = book.capture_session(TALK)
        book.process_pending()
        assert "more than" in (book.event(event.id).error or "")

    def test_the_error_quotes_neither_the_source_nor_a_secret(self, open_book) -> None:
        secret = "ghp_" + "q7Wd9Zk2LmX4vB8nR5tY1cF3hJ6pS0aEgUiO"
        for said in ("cannot parse 'The port is 8080.\nAssistant'", f"bad header {secret}"):
            book = open_book(extractor=Raising(ValueError(said)))
            event = book.capture_session(f"{TALK} {said[:5]}")
            book.process_pending()
            assert book.event(event.id).error == "ValueError"
            book.close()

    def test_an_extractor_that_is_not_there_fails_the_event_not_the_call(self, open_book) -> None:
        book = open_book()

        def nowhere() -> None:
            raise UnavailableError("there is no such extractor")

        book._scribe._extractor = nowhere
        event = book.capture_session(TALK)
        assert book.process_pending().failed == 1
        assert book.event(event.id).error == "unavailable: there is no such extractor"

    def test_a_fault_of_ours_is_kept_with_the_event_and_the_others_go_on(self, open_book, monkeypatch) -> None:
        from commonplace.engine import extraction

        real, asked = extraction.candidate, []

        def broken(*given):
            asked.append(given)
            return real(*given) if len(asked) > 1 else 1 / 0

        monkeypatch.setattr(extraction, "candidate", broken)
        book = open_book(extractor=Finding())
        event = book.capture_session(TALK)
        book.capture_session(TALK + " Again.")
        report = book.process_pending()
        assert (report.failed, report.done) == (1, 1)
        assert book.event(event.id).error == "ZeroDivisionError"

    def test_the_next_event_is_worked_all_the_same(self, open_book) -> None:
        book = open_book(extractor=Raising(times=1))
        book.capture_session(TALK)
        book.capture_session(TALK + " Again.")
        report = book.process_pending()
        assert (report.failed, report.done) == (1, 1)


class TestTryingAgain:
    """R-i: exponential backoff, five tries, then dead; a person may begin anew."""

    def test_it_waits_before_it_is_tried_again(self, open_book, clock: FixedClock) -> None:
        extractor = Raising()
        book = open_book(extractor=extractor)
        book.capture_session(TALK)
        book.process_pending()
        book.process_pending()
        assert extractor.asked == 1
        clock.move(minutes=5)
        book.process_pending()
        assert extractor.asked == 2

    def test_a_later_try_may_succeed(self, open_book, clock: FixedClock) -> None:
        book = open_book(extractor=Raising(times=2))
        event = book.capture_session(TALK)
        until_given_up(book, clock, 3)
        done = book.event(event.id)
        assert (done.state, done.retry_count, done.error) == ("done", 2, None)
        assert len(book.list(statuses="inbox")) == 1

    def test_after_five_it_is_dead_and_asked_no_more(self, open_book, clock: FixedClock) -> None:
        extractor = Raising()
        book = open_book(extractor=extractor)
        event = book.capture_session(TALK)
        until_given_up(book, clock, 9)
        dead = book.event(event.id)
        assert (dead.state, dead.retry_count, extractor.asked) == ("dead", 5, 5)
        assert body_of(book, event.source_ref) == TALK
        assert [one.id for one in book.work_status().troubled] == [event.id]

    def test_a_retry_by_hand_has_all_its_tries_again(self, open_book, clock: FixedClock) -> None:
        book = open_book(extractor=Raising(times=5))
        event = book.capture_session(TALK)
        until_given_up(book, clock)
        assert book.event(event.id).state == "dead"
        again = book.retry(event.id)
        assert (again.state, again.retry_count, again.error) == ("pending", 0, None)
        assert book.process_pending().done == 1
        assert book.verify().ok

    def test_a_server_that_is_away_for_a_day_kills_nothing(self, open_book, clock: FixedClock) -> None:
        book = open_book(extractor=away())
        event = book.capture_session(TALK)
        until_given_up(book, clock, 12)
        assert (book.event(event.id).state, book.event(event.id).retry_count) == ("failed", 12)

    def test_what_is_done_is_not_done_again(self, open_book) -> None:
        book = open_book(extractor=Finding())
        event = book.capture_session(TALK)
        book.process_pending()
        with pytest.raises(ConflictError):
            book.retry(event.id)

    def test_what_is_not_there_cannot_be_tried(self, book: Book) -> None:
        for verb in (book.retry, book.event):
            with pytest.raises(NotFoundError):
                verb("nothing")

    def test_a_source_that_was_purged_meanwhile_is_no_mystery(self, open_book, clock: FixedClock) -> None:
        book = open_book(extractor=Finding())
        event = book.capture_session(TALK)
        with book._scribe.writing() as pen:
            from commonplace.model.words import Verb

            pen.draft.erase(pen.signature(Verb.PURGE), [], [event.source_ref])
        book.process_pending()
        assert book.event(event.id).error == "its source is gone"
