"""Listing and searching: every filter, every page, any query."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace.errors import InvalidError, NotFoundError, UnavailableError
from commonplace.testing.clocks import EPOCH


@pytest.fixture
def many(book):
    """Nine memories that differ in every field one can ask for."""
    made = []
    for n in range(9):
        made.append(
            book.save(
                f"Statement number {n}.",
                type=("episode", "artifact", "task_hint")[n % 3],
                project_id=("p1", "p10", None)[n % 3],
                repo_id=("r", None)[n % 2],
                agent_id=None if n % 4 else "claude",
                tenant=("t", None)[n % 2],
                kind=("log", "note")[n % 2],
                tags=[("a", "b")[n % 2], f"n{n}"],
                always_load=n % 5 == 0,
            )
        )
    book.archive(made[8].id)
    return made


def numbers(records):
    return [int(record.content.split()[-1].rstrip(".")) for record in records]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, [7, 6, 5, 4, 3, 2, 1, 0]),
        ({"statuses": "archived"}, [8]),
        ({"statuses": "all"}, [8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ({"statuses": ["archived", "active"]}, [8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ({"types": "artifact"}, [7, 4, 1]),
        ({"types": ["artifact", "task_hint"]}, [7, 5, 4, 2, 1]),
        ({"kinds": "log"}, [6, 4, 2, 0]),
        ({"project_id": "p1"}, [6, 3, 0]),
        ({"project_id": "p"}, []),
        ({"repo_id": "r", "types": "episode"}, [6, 0]),
        ({"agent_id": "claude"}, [4, 0]),
        ({"trusts": "agent"}, [4, 0]),
        ({"tenant": "t", "statuses": "all"}, [8, 6, 4, 2, 0]),
        ({"tags": "a"}, [6, 4, 2, 0]),
        ({"tags": ["a", "n4"]}, [4]),
        ({"tags": ["a", "b"]}, []),
        ({"tags": "%"}, []),
        ({"scopes": "repo"}, [6, 4, 2, 0]),
        ({"scopes": ["global", "project"]}, [7, 5, 3, 1]),
        ({"always_load": True}, [5, 0]),
        ({"always_load": False}, [7, 6, 4, 3, 2, 1]),
        ({"limit": 2}, [7, 6]),
    ],
)
def test_a_filter_gives_exactly_what_it_says_newest_first(book, many, asked, found):
    """rfc 38; rows 87 and 130: prefixes and wildcards are literal."""
    assert numbers(book.list(**asked)) == found


def test_since_and_until_are_half_open(book, many):
    assert numbers(book.list(since=many[5].created_at)) == [7, 6, 5]
    assert numbers(book.list(until=many[2].created_at)) == [1, 0]
    assert book.list(until=EPOCH) == []


@pytest.mark.parametrize("asked", [{}, {"tags": "a"}, {"types": ["episode", "artifact"]}, {"statuses": "all"}])
@pytest.mark.parametrize("limit", [1, 2, 5])
def test_paging_gives_each_once_and_in_order(book, many, asked, limit):
    pages, after = [], None
    while page := book.list(**asked, limit=limit, after=after):
        pages += page
        after = page[-1].id
    assert pages == book.list(**asked, limit=1000)


@pytest.mark.parametrize("asked", [{"statuses": ["active", "active"]}, {"types": ["artifact", "artifact"]}])
def test_asking_for_a_word_twice_is_asking_once(book, many, asked):
    found = book.list(**asked)
    assert len({record.id for record in found}) == len(found)


def test_going_on_behind_what_is_not_there_is_not_found(book, many):
    with pytest.raises(NotFoundError):
        book.list(after="nobody")


@pytest.mark.parametrize("name", ["sort", "order_by", "where", "id = id --"])
def test_there_is_no_filter_that_is_not_offered(book, name):
    """Row 86: filter names are a closed list."""
    with pytest.raises((TypeError, InvalidError)):
        book.list(**{name: "x"})


class TestSearching:
    def test_it_finds_by_title_summary_and_content_and_says_why(self, book):
        """rfc 34, 38, 41: works without embeddings, with scores and a reason."""
        by_title = book.save("Something.", type="episode", title="The falcon port")
        by_summary = book.save("Something else.", type="artifact", summary="a falcon")
        by_content = book.save("There is a falcon here.", type="task_hint", evidence_ref="chat/1")
        found = book.search("which falcon?")
        assert {result.record.id for result in found} == {by_title.id, by_summary.id, by_content.id}
        assert found[0].record.id == by_title.id
        assert [result.score for result in found] == sorted((result.score for result in found), reverse=True)
        for result in found:
            assert result.scores
            assert "falcon" in result.explanation
            assert result.evidence.ref
            assert result.matched_scope == "global"

    def test_other_forms_of_a_word_are_found(self, book):
        saved = book.save("She deployed twice.", type="episode")
        assert [result.record.id for result in book.search("deploying")] == [saved.id]

    def test_a_changed_memory_is_found_by_its_new_words_only(self, book):
        old = book.save("A falcon.", type="episode")
        new = book.evolve(old.id, "A sparrow.", reason="r")
        assert not book.search("falcon")
        assert [result.record.id for result in book.search("sparrow")] == [new.id]

    def test_it_is_narrowed_by_the_same_filters(self, book, many):
        # Of the project, and what belongs to no other one (rfc 40).
        assert {*numbers(r.record for r in book.search("statement", project="p1"))} == {0, 2, 3, 5, 6}
        assert {*numbers(r.record for r in book.search("statement", types="artifact", repo="r"))} == {4}
        assert {*numbers(r.record for r in book.search("statement", tags=["a", "n4"]))} == {4}
        assert {*numbers(r.record for r in book.search("statement", statuses="archived"))} == {8}
        assert len(book.search("statement", limit=3)) == 3

    @pytest.mark.parametrize(
        "query",
        ["a-b", "C++", "20.04", "don't", "foo/bar", "x:y", "AND", "OR NOT", "*", "", " ", '"', "'", "NEAR(a b)", "a*", "^a",
         "(", ")", "{a b}", "col:x", "title:x", "\\", "%", "_", ";--", "🦅", "\u202e", "\x00", "\ud800", "a" * 100_000,
         "word " * 10_000, "NOT", "+a", "-a", "a AND", "''", '""', "é", "ﬁ", "日本語"],
    )  # fmt: skip
    def test_any_text_is_a_legal_query(self, book, many, query):
        """Row 85: nothing in a query is syntax."""
        assert book.search(query).receipt_id

    @pytest.mark.parametrize("text", ["C++ is fast", "a foo/bar path", "Ubuntu 20.04", "don't panic", "x:y pairs"])
    def test_words_with_signs_in_them_are_found(self, book, text):
        saved = book.save(text, type="episode")
        assert [result.record.id for result in book.search(text)] == [saved.id]


@contextmanager
def readable_only(path):
    """A copy of the book where it may be read and nothing may be written, not even by root."""
    folder = Path(tempfile.mkdtemp(prefix="commonplace-shut-"))
    shutil.copy(path, folder / "book.sqlite")
    (folder / "book.sqlite").chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield folder / "book.sqlite"
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o700)
        shutil.rmtree(folder)


class TestWhatIsFreshIsFoundAtOnce:
    """New memories wait beside the index and are taken in together; no reader can tell."""

    def found(self, book, word="falcon", **asked):
        return {result.record.content for result in book.search(word, limit=1000, **asked)}

    @pytest.mark.parametrize("number", [1, 63, 64, 65, 130])
    def test_however_many_there_are(self, book, number):
        said = {f"Falcon number {n}." for n in range(number)}
        for text in sorted(said):
            book.save(text, type="episode", tags=["bird"])
        assert self.found(book) == said
        assert {record.content for record in book.list(tags="bird", limit=1000)} == said
        book._scribe.canon.settle(5)
        assert self.found(book) == said
        assert {record.content for record in book.list(tags="bird", limit=1000)} == said

    def test_while_somebody_else_is_writing(self, book, open_book):
        book.save("A falcon.", type="episode", tags=["bird"])
        reader = open_book("bob", timeout=0.1)
        with book._scribe.canon.writing(5):
            assert self.found(reader) == {"A falcon."}
            assert len(reader.list(tags="bird")) == 1

    def test_on_a_book_that_cannot_be_written(self, open_book, path):
        with open_book() as book:
            book.save("A falcon.", type="episode", tags=["bird"])
        with readable_only(path) as shut:
            reader = open_book(at=shut)
            assert self.found(reader) == {"A falcon."}
            assert len(reader.list(tags="bird")) == 1
            with pytest.raises(UnavailableError) as refused:
                reader.save("A sparrow.", type="episode")
            assert refused.value.code == "read_only"
            reader.close()

    def test_old_and_fresh_are_ranked_together(self, book):
        book.save("A falcon among many other birds, of which there is much to say.", type="episode")
        book._scribe.canon.settle(5)
        best = book.save("Falcon.", type="episode", title="Falcon")
        assert book.search("falcon")[0].record.id == best.id
        before = [result.record.id for result in book.search("falcon")]
        book._scribe.canon.settle(5)
        assert [result.record.id for result in book.search("falcon")] == before

    def test_a_change_to_what_is_fresh_is_seen_and_to_what_is_old_too(self, book):
        old = book.save("An old falcon.", type="episode")
        book._scribe.canon.settle(5)
        fresh = book.save("A fresh falcon.", type="episode")
        for record in (old, fresh):
            book.archive(record.id)
            assert record.content not in self.found(book)
            assert record.content in self.found(book, statuses="archived")
            book.restore(record.id)
            book.evolve(record.id, f"{record.content} Or a sparrow.", reason="r")
            assert record.content not in self.found(book)
        assert self.found(book, "sparrow") == {"An old falcon. Or a sparrow.", "A fresh falcon. Or a sparrow."}
        assert book.doctor(full=True).ok

    def test_after_reopening(self, open_book):
        with open_book() as book:
            book.save("A falcon.", type="episode")
        assert self.found(open_book()) == {"A falcon."}
