"""Nothing found and could not look are different answers; what is damaged is made anew, and the answers are the same (rfc 27)."""

from __future__ import annotations

import apsw
import pytest

from commonplace.catalog.sqlite.view import SqliteView
from commonplace.errors import NotSearchedError

SAID = [
    "The car is red.",
    "A physician comes on Friday.",
    "Postgres keeps the tables.",
    *(f"Note {n}." for n in range(12)),
]
QUERIES = ("the red car", "medical help", "tables", "note 7", "vehicle")


@pytest.fixture
def full(understood):
    for content in SAID:
        understood.save(content, type="project", project_id="p")
    understood.index_pending()
    understood.search("settle")
    return understood


def answers(book):
    return [[(result.record.id, result.score) for result in book.search(query)] for query in QUERIES]


def stream(results, name):
    return next(each for each in results.streams if each.name == name)


def damage(path, *statements):
    db = apsw.Connection(str(path))
    for statement in statements:
        db.execute(statement)
    db.close()


LOST_WORDS = {"dropped": "DROP TABLE memories_fts", "shadow dropped": "DROP TABLE memories_fts_data"}
LOST_VECTORS = {
    "dropped": "DROP TABLE memory_vectors",
    "models dropped": "DROP TABLE vector_models",
    "emptied": "DELETE FROM memory_vectors",
    "garbled": "UPDATE memory_vectors SET vectors = x'00ff00ff'",
    "a bit flipped": "UPDATE memory_vectors SET vectors = zeroblob(length(vectors))",
}


@pytest.mark.parametrize("how", LOST_WORDS)
def test_without_words_and_without_meaning_it_could_not_look(full, open_book, path, how, monkeypatch):
    full.close()
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "none")
    damage(path, LOST_WORDS[how])
    book = open_book()
    with pytest.raises(NotSearchedError) as refused:
        book.search("the car")
    assert "doctor" in refused.value.hint
    receipt = book.receipts()[0]
    assert (receipt.outcome, receipt.chosen) == ("not_searched", ())
    assert len(book.list()) == 15  # no memory is lost (rfc 27)


def test_who_could_not_look_for_words_does_not_say_that_nothing_is_there(full, open_book, path):
    """Though the other stream looked, and found nothing behind this filter."""
    full.close()
    damage(path, LOST_WORDS["dropped"])
    book = open_book()
    with pytest.raises(NotSearchedError):
        book.search("the car", types=["decision"])


@pytest.mark.parametrize("how", LOST_WORDS)
def test_lost_words_leave_the_meaning_and_are_made_anew(full, open_book, path, how):
    before = answers(full)
    full.close()
    damage(path, LOST_WORDS[how])
    book = open_book()
    results = book.search("a vehicle")
    assert results[0].record.content == "The car is red."
    assert stream(results, "semantic").searched
    assert not stream(results, "lexical").searched
    assert book.doctor(repair=True)
    assert answers(book) == before


@pytest.mark.parametrize("how", LOST_VECTORS)
def test_lost_vectors_leave_the_words_and_are_made_anew(full, open_book, path, how):
    before = answers(full)
    full.close()
    damage(path, LOST_VECTORS[how])
    book = open_book()
    results = book.search("the red car")
    assert results[0].record.content == "The car is red."
    assert stream(results, "lexical").searched
    book.doctor(repair=True)
    report = book.index_pending()
    assert (report.waiting, report.note) == (0, None)
    assert answers(book) == before
    assert [finding.code for finding in book.doctor(full=True) if finding.code == "index_damaged"] == []


def test_a_garbled_full_text_is_found_by_the_doctor_and_mended(full, open_book, path):
    before = answers(full)
    full.close()
    damage(path, "UPDATE memories_fts_data SET block = x'00ff00ff'")
    book = open_book()
    assert any(finding.code == "index_damaged" for finding in book.doctor(full=True))
    book.doctor(repair=True)
    assert answers(book) == before


def test_rebuilding_what_is_whole_changes_no_answer(full):
    before = answers(full)
    full.doctor(repair=True)
    full.index_pending()
    assert answers(full) == before


def test_a_fresh_memory_and_a_settled_one_answer_alike(understood, open_book):
    """Where a memory waits makes no difference to its score."""
    for content in SAID:
        understood.save(content, type="project", project_id="p")
    understood.index_pending()
    canon = understood._scribe.canon
    settle, canon.settle = canon.settle, lambda timeout: None
    fresh = answers(understood)
    canon.settle = settle
    settled = answers(understood)
    assert [[id for id, _ in each] for each in fresh] == [[id for id, _ in each] for each in settled]
    for one, other in zip(fresh, settled, strict=True):
        assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-4)
    assert open_book().search("car")


def test_asking_again_in_vain_is_not_the_same_as_finding_nothing(full, open_book, path, monkeypatch):
    """rfc 34: what cannot be looked for now says nothing about what was found then."""
    asked = [full.search("the car").receipt_id, full.search("zebra", profile="words").receipt_id]
    full.close()
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "none")
    damage(path, LOST_WORDS["dropped"])
    book = open_book()
    told = [book.explain(receipt) for receipt in asked]
    assert [(each.again, each.same) for each in told] == [(None, None), (None, None)]
    assert all("could not be searched" in each.because for each in told)


def test_what_could_not_be_looked_for_then_is_compared_with_nothing(full, open_book, path, monkeypatch):
    full.close()
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "none")
    damage(path, LOST_WORDS["dropped"])
    book = open_book()
    with pytest.raises(NotSearchedError):
        book.search("zebra")
    book.doctor(repair=True)
    told = book.explain(book.receipts()[0].id)
    assert (told.receipt.outcome, told.again, told.same) == ("not_searched", (), None)


def test_words_that_cannot_be_counted_count_in_full(full, monkeypatch):
    def share():
        scores = full.search("which shiny old vehicle of hers is red?", rerank=False)[0].scores
        return scores["lexical"] / scores["semantic"]

    def fails(*_):
        raise NotSearchedError("its index cannot be read", hint="Run `commonplace doctor --repair`.")

    counted = share()
    monkeypatch.setattr(SqliteView, "held_by", fails)
    assert share() > counted
