"""Vectors belong to passages, and passages to a way of cutting: another way, and long memories get new vectors (A45)."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from commonplace.catalog.sqlite import codes, held
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.engine import index_pending
from commonplace.model.filter import Filter
from commonplace.model.words import Entity
from commonplace.retrieve import passages
from commonplace.testing.makers import a_memory, a_signature

LINES = [f"Ann: line {n} of a long talk about the weather and the sea." for n in range(40)]
TELLING = "Bob: the automobile stands behind the house" + ", where it rains on it all the year" * 9 + "."
TALK = "\n".join([*LINES, TELLING, *LINES])
NAMES = {"lines, halves, conditions": "9ce0b4cb59b3"}
"""Ways of cutting, and how some texts are cut so."""


def cut_otherwise(content, length=100):
    """As somebody may have cut before: a hundred letters each."""
    starts = range(0, len(content), length)
    return [passages.Passage(start, min(start + length, len(content))) for start in starts]


@pytest.fixture
def old(understood, monkeypatch):
    """A book whose vectors were made of other passages."""
    understood.save(TALK, type="episode")
    understood.save("Dinner is at seven.", type="episode")
    with monkeypatch.context() as before:
        before.setattr(passages, "passages_of", cut_otherwise)
        before.setattr(index_pending, "CUT", "hundreds")
        assert understood.index_pending().embedded == 2
    return understood


def quoted(book):
    return book.search("which vehicle")[0].evidence.quote


def test_the_passage_that_is_quoted_is_the_one_that_was_meant(old):
    assert "automobile" not in quoted(old), "otherwise this test shows nothing"
    report = old.index_pending()
    assert (report.embedded, report.waiting, report.note) == (1, 0, None), "the short one has its vector already"
    assert "automobile" in quoted(old)


def test_a_book_is_cut_anew_once(old):
    old.index_pending()
    assert old.index_pending().embedded == 0


def test_an_instruction_of_before_gets_the_vector_of_its_condition(understood, monkeypatch):
    rule = understood.save("Always give three examples when I ask about automobiles.", type="profile")
    understood.save("Dinner is at seven.", type="episode")
    with monkeypatch.context() as before:
        before.setattr(passages, "condition_of", lambda content: None)
        before.setattr(index_pending, "CUT", "lines")
        assert understood.index_pending().embedded == 2
    report = understood.index_pending()
    assert (report.embedded, report.waiting) == (1, 0)
    with understood._scribe.reading() as view:
        place = view.order_of(rule.id)[1]
        assert [len(rows) for rows in view.vectors_of(report.model, [place]).values()] == [2]


def test_another_way_of_cutting_has_another_name():
    """If this fails, passages are cut otherwise than before: give `CUT` a new name, and note it here."""
    texts = [TALK, "A heading\n" + "One sentence of many. " * 60, "word " * 400, "図書館に行く。" * 90, "x" * 3_000]
    texts += ["Always name the units when I ask about distances.", "Ann: so it goes on and on.\n" * 40]
    told = sha256(repr([[*map(tuple, passages.embedded_passages(text))] for text in texts]).encode()).hexdigest()[:12]
    assert NAMES[passages.CUT] == told


@pytest.fixture
def canon(tmp_path):
    made = SqliteCanon(str(tmp_path / "book.sqlite"), timeout=5.0)
    yield made
    made.close()


@pytest.mark.parametrize("enough", [4, 10_000], ids=["with codes", "without"])
def test_long_memories_wait_again_and_are_not_near_to_anything_until_then(canon, monkeypatch, enough):
    monkeypatch.setattr(codes, "ENOUGH", enough)
    monkeypatch.setattr(held, "WHOLE", 0 if enough == 4 else held.WHOLE)
    monkeypatch.setattr(held, "MOST", 0)
    records = [a_memory(content=f"{n} " + "long " * (n % 2) * 100) for n in range(20)]
    rows = np.eye(20, dtype=np.float32)
    made = [(record.id, record.fingerprint, rows[n : n + 1]) for n, record in enumerate(records)]
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, record) for record in records])
        draft.recut("one", is_long)
        draft.keep_vectors("m", made[:15])
    for _ in range(2):
        assert near(canon, rows) == {record.id for record in records[:15]}
    with canon.writing(5.0) as draft:
        draft.recut("one", is_long)
        assert draft.count_unembedded("m") == 5, "it is the same way"
        draft.recut("other", is_long)
        waiting = [record.id for record in draft.unembedded("m", 100)]
        assert sorted(waiting) == sorted(record.id for n, record in enumerate(records) if n % 2 or n >= 15), (
            "each once, and no short one that had its vector"
        )
    assert near(canon, rows) == {record.id for n, record in enumerate(records[:15]) if not n % 2}
    with canon.writing(5.0) as draft:
        draft.keep_vectors("m", made)
        assert draft.cut() == "other"
    assert near(canon, rows) == {record.id for record in records}
    assert [*canon.examine(full=True)] == []


def is_long(content):
    return len(content) > 400


def near(canon, rows):
    """Whoever has vectors of its own, asked one by one."""
    with canon.reading() as view:
        best = [view.nearest("m", row, Filter(), 1) for row in rows]
    return {hit.id for hits in best for hit in hits if hit.score > 0.9}
