"""The ranking profile `aegis`: the design's own formula, through the same search (G34-G36, X-8, X-9)."""

from __future__ import annotations

import pytest

from commonplace import Book
from commonplace.retrieve import aegis

_TEXTS = (
    "Alice prefers tabs over spaces in Python code.",
    "The database is PostgreSQL 16 on port 5433.",
    "Python code is formatted by ruff.",
    "Alice likes tea.",
)


@pytest.fixture
def filled(book: Book) -> Book:
    for text in _TEXTS:
        book.save(text, type="project", scope="global")
    return book


@pytest.mark.parametrize(
    "question", ["tabs in python code?", "Which database port?", "alice and her python tea", "nothing here"]
)
def test_what_is_found_and_its_order_are_those_of_the_formula(filled: Book, question: str) -> None:
    expected = {text: len(overlap) for text in _TEXTS if (overlap := aegis.words(text) & aegis.words(question))}
    found = filled.search(question, profile="aegis", limit=10).results
    assert {one.record.content for one in found} == expected.keys()
    assert [int(one.scores["lexical"]) for one in found] == sorted(expected.values(), reverse=True)
    for one in found:
        assert one.scores["recency"] == 1.0  # said within six minutes
        assert set(one.scores) == {"lexical", "recency"}


def test_of_equal_ones_the_newest_comes_first(filled: Book) -> None:
    found = filled.search("alice", profile="aegis", limit=10).results
    assert [one.record.content for one in found] == [_TEXTS[3], _TEXTS[0]]
