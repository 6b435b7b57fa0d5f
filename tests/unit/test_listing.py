"""Listing and searching: every filter, every page, any query."""

from __future__ import annotations

import pytest

from commonplace.errors import InvalidError, NotFoundError
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
        by_summary = book.save("Something else.", type="episode", summary="a falcon")
        by_content = book.save("There is a falcon here.", type="episode", evidence_ref="chat/1")
        found = book.search("which falcon?")
        assert {result.record.id for result in found} == {by_title.id, by_summary.id, by_content.id}
        assert found[0].record.id == by_title.id
        assert [result.score for result in found] == sorted((result.score for result in found), reverse=True)
        for result in found:
            assert result.scores
            assert "falcon" in result.explanation
            assert result.evidence_ref
            assert result.matched_scope == "global"

    def test_other_forms_of_a_word_are_found(self, book):
        saved = book.save("She deployed twice.", type="episode")
        assert [result.record.id for result in book.search("deploying")] == [saved.id]

    def test_a_changed_memory_is_found_by_its_new_words_only(self, book):
        old = book.save("A falcon.", type="episode")
        new = book.evolve(old.id, "A sparrow.", reason="r")
        assert book.search("falcon") == []
        assert [result.record.id for result in book.search("sparrow")] == [new.id]

    def test_it_is_narrowed_by_the_same_filters(self, book, many):
        assert {*numbers(r.record for r in book.search("statement", project="p1"))} == {0, 3, 6}
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
        assert isinstance(book.search(query), list)

    @pytest.mark.parametrize("text", ["C++ is fast", "a foo/bar path", "Ubuntu 20.04", "don't panic", "x:y pairs"])
    def test_words_with_signs_in_them_are_found(self, book, text):
        saved = book.save(text, type="episode")
        assert [result.record.id for result in book.search(text)] == [saved.id]
