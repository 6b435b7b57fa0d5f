"""When the model hangs, fails, lies or vanishes: saves and searches return on time, words still work, vectors are made later."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from providers.server import Server

from .meanings import TOPICS, answering, vector_of

SAID = ["The car is red.", "A physician comes on Friday.", "Postgres keeps the tables."]


def save_all(book, more=0):
    for content in [*SAID, *(f"Statement number {n}." for n in range(more))]:
        book.save(content, type="project", project_id="p")


def stream(results, name="semantic"):
    return next(each for each in results.streams if each.name == name)


def wrong(values):
    return lambda asked: {"data": [{"index": n, "embedding": values} for n, _ in enumerate(asked["input"])]}


FAILURES = {
    "hangs": "hang",
    "drips": "drip",
    "hangs up": "close",
    "says 500": 500,
    "says 401": 401,
    "talks nonsense": lambda _: {"what": "ever"},
    "gives no numbers": lambda asked: {"data": [{"index": 0, "embedding": ["NaN"] * 6}] * len(asked["input"])},
    "gives nothing": wrong([0.0] * 6),
    "gives NaN": wrong([float("nan")] * 6),
    "gives too much": wrong([1e300] * 6),
    "gives one too few": lambda asked: {"data": []},
}


@pytest.fixture
def short_of_patience(with_model):
    """Settings that give a server little time."""
    return lambda url: with_model(url, timeout=0.4, query_timeout=0.3)


@pytest.mark.parametrize("how", FAILURES)
def test_a_book_goes_on_by_its_words_and_says_why(short_of_patience, open_book, how):
    with Server(answering()) as server:
        short_of_patience(server.url)
        book = open_book()
        save_all(book)
        assert book.index_pending().embedded == 3
        server.replies[:] = [FAILURES[how]]
        started = time.monotonic()
        book.save("The car was washed.", type="project", project_id="p")  # asks no model
        results = book.search("the car")
        again = book.search("the red car")  # who just failed is not waited for again
        taken = time.monotonic() - started
        assert {result.record.content for result in results} == {"The car is red.", "The car was washed."}
        assert taken < 2.0
        assert not stream(results).searched
        assert stream(results).why_not
        assert "a moment ago" in stream(again).why_not
        assert stream(results, "lexical").searched
        receipt = book.receipts()[1]
        assert [s.why_not for s in receipt.streams] == [s.why_not for s in results.streams]
        report = book.index_pending()
        assert (report.embedded, report.waiting) == (0, 1)
        assert report.note
        server.replies[:] = [answering()]
        reports = (book.index_pending() for _ in range(20))  # a busy machine may answer too late the first time
        report = next(report for report in reports if report.embedded)
        assert (report.embedded, report.waiting, report.note) == (1, 0, None)


def test_nobody_there_is_no_reason_to_fail(short_of_patience, open_book):
    with Server() as server:
        url = server.url
    short_of_patience(url)
    book = open_book()
    save_all(book)
    assert book.index_pending().waiting == 3
    results = book.search("the car")
    assert [result.record.content for result in results] == SAID[:1]
    assert stream(results).searched is False


def test_a_server_that_comes_back_is_asked_again(short_of_patience, open_book, monkeypatch):
    from commonplace.retrieve import meaning

    with Server(answering()) as server:
        short_of_patience(server.url)
        book = open_book()
        save_all(book)
        book.index_pending()
        server.replies[:] = [500]
        assert not stream(book.search("a vehicle")).searched
        server.replies[:] = [answering()]
        assert not stream(book.search("some vehicle")).searched  # it rests a while
        monkeypatch.setattr(meaning, "_REST_SECONDS", 0.0)
        results = book.search("my vehicle")
        assert stream(results).searched
        assert results[0].record.content == "The car is red."


def test_a_question_is_made_a_vector_once(understood, server):
    save_all(understood)
    understood.index_pending()
    before = len(server.seen)
    for _ in range(5):
        understood.search("a vehicle")
    assert len(server.seen) == before + 1


def test_another_number_of_dimensions_under_the_same_name_is_told_and_not_mixed_in(server, with_model, open_book):
    """A77: the index is skipped, with what to do."""
    with_model(server.url)
    book = open_book()
    save_all(book)
    book.index_pending()
    server.replies[:] = [answering(lambda text: [*vector_of(text), 0.5, 0.5])]
    other = open_book()
    results = other.search("the car")
    assert [result.record.content for result in results] == SAID[:1]
    assert "dimensions" in stream(results).why_not
    other.save("The car was washed.", type="project", project_id="p")
    report = other.index_pending()
    assert (report.embedded, report.waiting) == (0, 1)
    assert "6" in report.note
    server.replies[:] = [answering()]
    assert book.index_pending().waiting == 0
    assert len(book.search("a vehicle")) >= 2


def test_one_odd_text_does_not_keep_the_others_waiting(server, with_model, open_book):
    def choosy(asked):
        return 400 if any("odd" in text for text in asked["input"]) else answering()(asked)

    server.replies[:] = [choosy]
    with_model(server.url)
    book = open_book()
    save_all(book, more=5)
    book.save("An odd one.", type="project", project_id="p")
    report = book.index_pending()
    assert (report.embedded, report.waiting) == (8, 1)
    assert "refused 1" in report.note
    assert len(server.seen) == 10  # together, then one by one
    assert book.search("odd")[0].record.content == "An odd one."  # found by its words (rfc 27)
    assert stream(book.search("a vehicle")).searched  # one question that it refuses is not all questions


def test_a_server_that_refuses_every_text_is_not_asked_about_each(server, with_model, open_book):
    """Then it is not the texts: a wrong model, a wrong number of dimensions."""
    server.replies[:] = [400]
    with_model(server.url)
    book = open_book()
    save_all(book, more=100)
    report = book.index_pending()
    assert (report.embedded, report.waiting) == (0, 103)
    assert "400" in report.note
    assert len(server.seen) == 65


def test_without_a_model_nothing_is_made_up(book):
    """A43, A76: no stub, no noise."""
    save_all(book)
    report = book.index_pending()
    assert (report.model, report.embedded) == (None, 0)
    assert "no embedder" in report.note
    results = book.search("a vehicle")
    assert (len(results), results.outcome) == (0, "nothing_found")
    for result in book.search("the car is here"):
        assert "semantic" not in result.scores
    assert "no embedder" in stream(results).why_not


def test_before_the_first_vector_words_work_and_the_report_says_what_to_do(understood):
    """rfc 18, 41, 50."""
    understood.save("I prefer tabs.", type="profile")
    results = understood.search("tabs")
    assert [result.record.content for result in results] == ["I prefer tabs."]
    assert "no vectors yet" in stream(results).why_not


def test_a_setting_that_cannot_be_meant_is_said_and_words_still_work(book, open_book, monkeypatch):
    save_all(book)
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "no-such-model")
    other = open_book()
    results = other.search("the car")
    assert [result.record.content for result in results] == SAID[:1]
    assert stream(results).why_not
    assert other.index_pending().note


# Another model ------------------------------------------------------------------------------------------------------------


def test_changing_the_model_makes_vectors_anew_and_mixes_none(server, with_model, open_book):
    with_model(server.url)
    book = open_book()
    save_all(book, more=10)
    book.index_pending()
    old = book.index_pending().model
    # The new model has other topics: with its question against the old one's vectors, nonsense would come up.
    server.replies[:] = [answering(lambda text: vector_of(text, TOPICS[::-1]))]
    with_model(server.url, model="m2")
    other = open_book()
    before = other.search("a vehicle")
    assert not stream(before).searched
    assert len(before) == 0
    report = other.index_pending(limit=4)
    assert (report.embedded, report.waiting) == (4, 9)
    assert report.model != old
    results = other.search("a vehicle")
    assert results[0].record.content == "The car is red."
    assert results[0].scores["semantic"] > 0
    assert other.receipts()[0].models["embedder"] == report.model
    assert other.index_pending().waiting == 0


def test_embedding_can_be_stopped_anywhere_and_taken_up_again(server, with_model, open_book):
    with_model(server.url, batch_size=64)
    book = open_book()
    save_all(book, more=150)

    class Stopped(Exception):
        pass

    left = []

    def stop(done, total):
        left.append(total - done)
        raise Stopped

    for _ in range(2):
        with pytest.raises(Stopped):
            book.index_pending(progress=stop)
    assert left == [153 - 64, 153 - 128]
    seen = []
    report = book.index_pending(progress=lambda done, total: seen.append((done, total)))
    assert (report.embedded, report.waiting) == (25, 0)
    assert seen == [(25, 25)]


KILLED = """
import os, signal, sys, commonplace
with commonplace.open(sys.argv[1], create=False) as book:
    book.index_pending(progress=lambda done, total: done >= int(sys.argv[2]) and os.kill(os.getpid(), signal.SIGKILL))
"""


def test_what_was_embedded_before_a_kill_stays_and_the_rest_is_taken_up(server, with_model, open_book):
    """Each time fewer wait, and nothing is embedded twice."""
    with_model(server.url, timeout=5.0)
    book = open_book()
    save_all(book, more=197)
    left = [200]
    while left[-1]:
        done = subprocess.run([sys.executable, "-c", KILLED, book.url, "64"], check=False)
        with book._scribe.reading() as view:
            left.append(view.count_unembedded(book.index_pending(limit=0).model))
        assert done.returncode == -signal.SIGKILL or left[-1] == 0
        assert left[-1] < left[-2]
    assert left == [200, 136, 72, 8, 0]
    assert sum(len(asked["input"]) for _, _, asked in server.seen) == 200
    assert book.search("a vehicle")[0].record.content == SAID[0]


def test_many_threads_may_ask_at_once(understood):
    save_all(understood)
    understood.index_pending()
    wrong_answers = []

    def ask(first):
        for n in range(first, first + 40):
            results = understood.search(f"a vehicle of kind {n % 90}")
            if results[0].record.content != SAID[0]:
                wrong_answers.append(n)

    threads = [threading.Thread(target=ask, args=(n * 20,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong_answers == []


def test_a_changed_memory_is_found_by_its_new_words_at_once_and_by_meaning_later(understood):
    """A45, A77. What `evolve` writes is a new memory; the old one leaves with its status."""
    old = understood.save("The car is red.", type="project", project_id="p")
    understood.save("Lunch is at noon.", type="project", project_id="p")
    understood.index_pending()
    new = understood.evolve(old.id, "A physician comes.", reason="changed")
    assert understood.search("physician")[0].record.id == new.id
    assert old.id not in [result.record.id for result in understood.search("vehicle")]
    assert new.id not in [r.record.id for r in understood.search("the clinic") if "semantic" in r.scores]
    understood.index_pending()
    assert understood.search("the clinic")[0].record.id == new.id
