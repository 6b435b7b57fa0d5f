"""Before a question at the command line the few that wait are embedded. Somebody waits for it: that may not take long (G17)."""

from __future__ import annotations

import time

import pytest
from providers.server import Server

from commonplace.engine.index_pending import IndexPending

from .meanings import answering


@pytest.fixture
def catch_up():
    return lambda book: book.perform("index_pending:catch_up", IndexPending(limit=32))


def seconds(what):
    started = time.monotonic()
    what()
    return time.monotonic() - started


def save_some(book, many=1):
    for number in range(many):
        book.save(f"The car number {number} is red.", type="project", project_id="p")


def test_what_waits_is_embedded_a_few_at_a_time(server, with_model, open_book, catch_up):
    with_model(server.url, timeout=30, query_timeout=10)
    book = open_book()
    save_some(book, 20)
    catch_up(book)
    assert book.index_pending().waiting == 0
    assert max(len(asked["input"]) for _, _, asked in server.seen) <= 8


def test_a_server_that_hangs_is_waited_for_once_and_no_longer_than_for_a_question(with_model, open_book, catch_up):
    """Whatever time it has for documents when nobody waits."""
    with Server(answering()) as server:
        with_model(server.url, timeout=30, query_timeout=0.5)
        book = open_book()
        save_some(book)
        assert book.index_pending().embedded == 1
        save_some(book, 3)
        server.replies[:] = ["hang"]
        asked_before = len(server.seen)
        taken = seconds(lambda: (catch_up(book), book.search("a vehicle"), catch_up(book), book.search("vehicles")))
        assert taken < 10.0
        assert len(server.seen) - asked_before == 1
        assert book.search("red car")[0].record.content.endswith("is red.")


def test_a_server_that_is_slow_with_documents_still_answers_the_question(with_model, open_book, catch_up):
    quick = answering()

    def slow_with_documents(asked):
        if asked["input"][0].startswith("document: "):
            server.done.wait(25)
        return quick(asked)

    with Server(quick) as server:
        with_model(server.url, timeout=30, query_timeout=1.0, document_prefix="document: ")
        book = open_book()
        save_some(book)
        assert book.index_pending().embedded == 1
        save_some(book, 30)
        server.replies[:] = [slow_with_documents]
        assert seconds(lambda: catch_up(book)) < 10.0
        streams = {stream.name: stream.searched for stream in book.search("a vehicle").streams}
        assert streams["semantic"]


def test_with_nothing_to_do_nobody_is_asked(server, with_model, open_book, catch_up):
    with_model(server.url)
    catch_up(open_book())
    assert server.seen == []
