"""Properties of searching: nothing outside the filter, whatever is asked; scores that add up; the same answer twice."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.engine.book import Book
from commonplace.engine.scribe import Scribe
from commonplace.model.filter import PRIVATE, Circle
from commonplace.model.words import Entity, Relation
from commonplace.retrieve.diversity import said_in
from commonplace.retrieve.moments import spans_in
from commonplace.retrieve.passages import LENGTH, MOST, OVERLAP, passages_of
from commonplace.retrieve.understand import understand
from commonplace.testing.clocks import EPOCH, FixedClock
from commonplace.testing.makers import a_link, a_signature
from commonplace.testing.strategies import any_moment, circles, filters, records, statements, texts

ANY_TEXT = texts | st.text(max_size=60)
PROFILES = st.sampled_from(["hybrid", "vault", "recent", "words"])


class Topics:
    """A model that knows three things, and the book's own: made of the letters of a text, the same each time."""

    model, dimensions, max_tokens = "topics", 4, 512

    def documents(self, given):
        import numpy as np

        rows = np.array([[1.5, *((sum(map(ord, text)) >> shift) % 4 for shift in (0, 3, 6))] for text in given])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def query(self, text):
        return self.documents([text])[0]


class OneModel:
    def embedder(self):
        return Topics()

    def reranker(self):
        return None

    def fetch(self, progress=None):
        return progress is not None and False


@contextmanager
def a_book(held, links=(), *, embedded=True):
    folder = Path(tempfile.mkdtemp(prefix="commonplace-finding-"))
    book = Book(Scribe(SqliteCanon(str(folder / "book.sqlite"), timeout=5), clock=FixedClock(EPOCH), models=OneModel))
    try:
        with book._scribe.canon.writing(5) as draft:
            for record in held:
                draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
            for one, relation, other in links:
                from_, to = held[one % len(held)], held[other % len(held)]
                if from_ is not to and draft.noun(Entity.LINK, a_link(from_, relation, to).id) is None:
                    draft.commit(a_signature("link"), [(Entity.LINK, None, a_link(from_, relation, to))])
        if embedded:
            book.index_pending()
        yield book
    finally:
        book.close()
        shutil.rmtree(folder, ignore_errors=True)


libraries = st.lists(records(), min_size=1, max_size=20, unique_by=lambda record: record.id)
some_links = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from([*Relation]).map(str), st.integers(0, 30)), max_size=8
)


def asked_of(where, circle):
    """What `search` takes of a filter."""
    names = ("statuses", "types", "scopes", "kinds", "tags", "trusts", "since", "until")
    given = {name: getattr(where, name) for name in names if getattr(where, name) is not None}
    return given | {"project": circle.project_id, "repo": circle.repo_id, "agent": circle.agent_id}


def nothing_outside_the_filter_ever_comes_up_and_every_score_adds_up(held, links, asked):
    """rfc 34, 39, 40."""
    with a_book(held, links) as book:
        for where, circle, query, profile in asked:
            plain = msgspec.structs.replace(where, project_id=None, repo_id=None, agent_id=None, source_ref=None, tenant=None,
                                            always_load=None, within=None, beyond=None)  # fmt: skip
            results = book.search(query, profile=profile, limit=50, **asked_of(plain, circle))
            for result in results:
                assert plain.matches(result.record)
                assert (result.reach == "near") == circle.holds(result.record)
                assert result.reach == "near" or result.record.scope not in PRIVATE
                assert sum(result.scores.values()) == pytest.approx(result.score, abs=1e-5)
                assert 0 <= result.relevance <= 1
                start, end = result.evidence.start, result.evidence.end
                assert (
                    result.evidence.quoted_from == "source" or result.record.content[start:end] == result.evidence.quote
                )
            assert [r.score for r in results] == sorted((r.score for r in results), reverse=True)
            assert len({r.record.id for r in results}) == len(results)
            assert book.explain(results.receipt_id).same in (True, None)
            receipt = book.receipts(limit=1)[0]
            names = [one.memory_id for one in (*receipt.chosen, *receipt.near_misses)]
            assert len({*names}) == len(names)
            assert all(plain.matches(book.get(name)) for name in names)


def a_search_of_the_past_finds_only_what_the_book_had_then(held, links, query, moments):
    with a_book(held, links, embedded=False) as book:
        for moment in [EPOCH, *moments]:
            then = {record.id: record for record in book.list(as_of=moment, limit=1000)}
            for result in book.search(query, as_of=moment, limit=50):
                assert then[result.record.id] == result.record


def asking_changes_nothing_and_twice_is_the_same(held, query):
    with a_book(held) as book:
        first, second = (book.search(query, statuses="all") for _ in range(2))
        assert [*first] == [*second]
        assert (first.confidence, first.streams, first.outcome) == (second.confidence, second.streams, second.outcome)
        assert book.verify()


def what_holds_all_the_words_of_a_short_question_is_found(said, data):
    from commonplace.testing.makers import a_memory

    word = data.draw(st.sampled_from(["falcon", "max_inject_chars", "us-east-1", "数据库", "C++", "x9y"]))
    wanted = a_memory(f"{said[0]} {word} {said[-1]}")
    with a_book([wanted, *map(a_memory, said)], embedded=False) as book:
        found = [said_in(result.record.content) for result in book.search(word, limit=50)]
        assert said_in(wanted.content) in found  # it, or another that says the same: of those one is shown


@given(ANY_TEXT, any_moment)
def test_any_text_is_understood_at_any_moment(text, now):
    question = understand(text, now)
    assert len(question.words) <= 32
    for span in spans_in(text, now):
        assert span.since < span.until


@given(st.text(max_size=3000) | st.sampled_from(["a" * 5000, "ab " * 3000, "\n" * 2000, "数" * 3000]))
def test_passages_cover_a_text_in_order(content):
    passages = passages_of(content)
    assert passages[0].start == 0
    assert len(passages) <= MOST
    for one, other in pairwise(passages):
        assert one.start < other.start <= one.end < other.end
        assert one.end - other.start <= OVERLAP
    assert all(0 < passage.end - passage.start <= LENGTH for passage in passages) or content == ""
    assert passages[-1].end == len(content) or len(passages) == MOST


def test_a_circle_of_nobody_holds_everything():
    assert Circle().is_everything


PROOFS = {
    nothing_outside_the_filter_ever_comes_up_and_every_score_adds_up: (
        libraries,
        some_links,
        st.lists(st.tuples(filters, circles, ANY_TEXT, PROFILES), min_size=3, max_size=6),
    ),
    a_search_of_the_past_finds_only_what_the_book_had_then: (
        libraries,
        some_links,
        ANY_TEXT,
        st.lists(any_moment, max_size=2),
    ),
    asking_changes_nothing_and_twice_is_the_same: (
        libraries,
        ANY_TEXT,
    ),
    what_holds_all_the_words_of_a_short_question_is_found: (
        st.lists(statements, min_size=1, max_size=8),
        st.data(),
    ),
}


def proved(proof, examples):
    print(f"{proof.__name__}, {examples} examples")
    settings(settings.get_profile("quick"), max_examples=examples)(given(*PROOFS[proof])(proof))()


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_it_holds_for_any_book(proof):
    proved(proof, 10)


@pytest.mark.nightly
@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_it_holds_for_many_more_books(proof):
    proved(proof, 500)
