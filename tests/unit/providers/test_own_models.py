"""A model of the caller's own that breaks its word costs its stream, and never a search (agentm 77, row 47)."""

from __future__ import annotations

import numpy as np
import pytest

from commonplace.errors import UnavailableError
from commonplace.providers.own import OwnEmbedder, OwnReranker

QUERY = "which port does Falcon use?"


class Letters:
    """One number for each of four letters."""

    model, dimensions, max_tokens = "letters/1", 4, 100

    def __init__(self, **broken):
        self.__dict__.update(broken)

    def query(self, text):
        return self.documents([text])[0]

    def documents(self, texts):
        rows = np.array([[1 + text.count(letter) for letter in "aeio"] for text in texts], dtype=np.float32)
        return rows.reshape(len(texts), 4) / np.linalg.norm(rows, axis=-1, keepdims=True)


class Lengths:
    model = "lengths/1"

    def __init__(self, answer):
        self._answer = answer

    def scores(self, query, passages):
        return self._answer(passages)


def raising(*_):
    raise RuntimeError("the key is sk-test-0123456789")


def full(value, rows=0, columns=4):
    return lambda texts: np.full((len(texts) + rows, columns), value, dtype=np.float32)


BROKEN_DOCUMENTS = {
    "raises": raising,
    "not a number": full(np.nan),
    "endless": full(np.inf),
    "nothing": full(0.0),
    "one too few": full(0.5, rows=-1),
    "one too many": full(0.5, rows=1),
    "no dimensions": full(0.5, columns=0),
    "no numbers": lambda texts: [["a"]] * len(texts),
    "none": lambda _: None,
}
BROKEN_QUERIES = {
    "raises": raising,
    "not a number": lambda _: np.full(4, np.nan),
    "nothing": lambda _: np.zeros(4),
    "empty": lambda _: np.zeros(0),
    "a table": lambda _: np.ones((1, 4)),
    "none": lambda _: None,
}
BROKEN_SCORES = {
    "raises": raising,
    "not a number": lambda passages: [float("nan")] * len(passages),
    "endless": lambda passages: [float("inf")] * len(passages),
    "one too few": lambda passages: [1.0] * (len(passages) - 1),
    "none": lambda _: None,
}


def save_some(book):
    for number in range(20):
        book.save(f"Falcon uses port {8000 + number} on day {number}.", type="project", project_id="p")


def reported(results, name):
    return next(stream for stream in results.streams if stream.name == name)


@pytest.mark.parametrize("how", BROKEN_DOCUMENTS)
def test_vectors_that_are_none_are_not_kept_and_the_report_says_why(open_book, how):
    book = open_book(embedder=Letters(documents=BROKEN_DOCUMENTS[how]))
    save_some(book)
    report = book.index_pending()
    assert (report.embedded, report.waiting) == (0, 20)
    assert "letters/1" in report.note
    assert len(book.search(QUERY)) == 10


@pytest.mark.parametrize("how", BROKEN_QUERIES)
def test_a_question_without_a_vector_is_answered_by_its_words(open_book, how):
    book = open_book(embedder=Letters(query=BROKEN_QUERIES[how]))
    save_some(book)
    assert book.index_pending().embedded == 20
    results = book.search(QUERY)
    assert len(results) == 10
    assert not reported(results, "semantic").searched
    assert "letters/1" in reported(results, "semantic").why_not


@pytest.mark.parametrize("how", BROKEN_SCORES)
def test_a_reranker_that_breaks_its_word_leaves_the_order_and_the_receipt(open_book, how):
    plain = open_book(reranker="none")
    save_some(plain)
    book = open_book(reranker=Lengths(BROKEN_SCORES[how]))
    results = book.search(QUERY)
    assert [one.record.id for one in results] == [one.record.id for one in plain.search(QUERY)]
    assert not reported(results, "rerank").searched
    assert book.explain(results.receipt_id).same is True


def test_what_somebody_elses_error_says_is_not_kept(open_book):
    """It may quote the question, or a key (V12)."""
    book = open_book(embedder=Letters(query=raising))
    save_some(book)
    book.index_pending()
    book.search(QUERY)
    assert "RuntimeError" in str(book.receipts()[0].to_dict())
    assert "sk-test" not in str(book.receipts()[0].to_dict())


def test_what_is_sound_is_passed_on_as_it_is():
    theirs = Letters()
    ours = OwnEmbedder(theirs)
    assert (ours.model, ours.dimensions, ours.max_tokens) == ("letters/1", 4, 100)
    assert ours.documents(["one", "other"]).tobytes() == theirs.documents(["one", "other"]).tobytes()
    assert ours.query("a").tobytes() == theirs.query("a").tobytes()
    assert OwnReranker(Lengths(lambda passages: [*map(len, passages)])).scores("q", ["a", "bb"]) == [1.0, 2.0]


def test_a_vector_of_another_length_is_made_a_unit():
    made = OwnEmbedder(Letters(documents=lambda texts: [[3.0, 0.0, 4.0, 0.0]] * len(texts))).documents(["a"])
    assert np.allclose(made, [[0.6, 0.0, 0.8, 0.0]])
    assert made.dtype == np.float32


def test_our_own_errors_keep_their_words():
    def resting(_):
        raise UnavailableError("it rests until Monday", code="resting")

    with pytest.raises(UnavailableError, match="until Monday"):
        OwnEmbedder(Letters(query=resting)).query("a")
