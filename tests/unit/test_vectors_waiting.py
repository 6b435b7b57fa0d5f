"""Who waits for vectors: after every verb that changes words, nobody is forgotten and nobody waits for nothing."""

from __future__ import annotations

import numpy as np
import pytest

MODEL = "m"


@pytest.fixture(autouse=True)
def _words_only(monkeypatch):
    """No model is loaded here: the tests hand in the vectors."""
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "none")


def embed(book):
    """What a model would do, until nobody waits; returns whom it was for."""
    done = []
    while True:
        with book._scribe.canon.writing(5.0) as draft:
            waiting = draft.unembedded(MODEL, 3)
            assert (draft.count_unembedded(MODEL) > 0) is bool(waiting)
            if not waiting:
                return done
            rows = np.random.default_rng(len(done)).normal(size=(len(waiting), 1, 8)).astype(np.float32)
            draft.keep_vectors(MODEL, [(r.id, r.fingerprint, row) for r, row in zip(waiting, rows, strict=True)])
        done += [record.id for record in waiting]


def test_every_new_memory_waits_once(book):
    saved = [book.save(f"Statement {i}.", type="episode").id for i in range(8)]
    assert (embed(book), embed(book)) == (saved, [])


def test_what_a_verb_makes_waits_and_what_it_only_marks_does_not(book):
    first = book.save("The port is 8080.", type="project", project_id="p")
    other = book.save("The port is 9090.", type="project", project_id="p")
    embed(book)
    new = book.evolve(first.id, "The port is 7070.", reason="moved")
    assert embed(book) == [new.id]
    book.contradict(new.id, other.id, reason="which?")
    book.link(new.id, other.id, "related_to")
    book.archive(other.id)
    book.restore(other.id)
    book.save("the port is  9090.", type="project", project_id="p")  # said again
    assert embed(book) == []


def test_what_was_deleted_does_not_wait_until_it_comes_back(book):
    kept, gone = book.save("Kept.", type="episode"), book.save("Gone.", type="episode")
    book.forget(gone.id)
    assert embed(book) == [kept.id]
    book.revert(book.journal()[-1])
    assert embed(book) == [gone.id]
    book.forget(gone.id)
    book.revert(book.journal()[-1])
    assert embed(book) == []  # its vectors were still there, and still of its words


def test_undoing_a_change_of_words_brings_its_vectors_back(book):
    first = book.save("The port is 8080.", type="episode")
    embed(book)
    book.evolve(first.id, "The port is 7070.", reason="moved")
    embed(book)
    book.revert(book.journal()[-1])
    assert embed(book) == []
    with book._scribe.canon.reading() as view:
        assert view.count_unembedded(MODEL) == 0


def test_what_an_import_brings_waits(book, open_book, tmp_path):
    theirs = open_book(at=tmp_path / "other.sqlite")
    for i in range(5):
        theirs.save(f"Their statement {i}.", type="episode")
    theirs.export(str(tmp_path / "other.jsonl"))
    book.save("Mine.", type="episode")
    embed(book)
    book.import_(str(tmp_path / "other.jsonl"))
    assert len(embed(book)) == 5
    adopted = open_book(at=tmp_path / "new.sqlite")
    adopted.import_(str(tmp_path / "other.jsonl"))
    assert len(embed(adopted)) == 5


def test_a_purge_takes_the_vectors_and_the_waiting_along(book):
    one, two = book.save("One.", type="episode"), book.save("Two.", type="episode")
    embed(book)
    three = book.save("Three.", type="episode")
    book.purge(one.id)
    book.purge(three.id)
    with book._scribe.canon.reading() as view:
        assert view.connection.execute("SELECT count(*) FROM memory_vectors").get == 1
    assert embed(book) == []
    assert book.doctor(full=True).ok
    assert book.get(two.id).content == "Two."


def test_a_change_that_was_undone_half_way_leaves_nobody_waiting(book):
    first = book.save("The port is 8080.", type="episode")
    embed(book)
    with pytest.raises(RuntimeError):
        drop_and_fail(book)
    with book._scribe.canon.reading() as view:
        assert view.count_unembedded(MODEL) == 0
        assert [hit.id for hit in view.nearest(MODEL, np.ones(8, dtype=np.float32), _all(), 5)] == [first.id]


def drop_and_fail(book):
    with book._scribe.canon.writing(5.0) as draft:
        draft.drop_vectors(MODEL)
        assert draft.count_unembedded(MODEL) == 1
        raise RuntimeError


def _all():
    from commonplace.model.filter import Filter

    return Filter()


def test_vectors_are_no_part_of_the_journal_or_an_export(book, tmp_path, everything):
    book.save("One.", type="episode")
    before = everything(book)
    embed(book)
    assert everything(book) == before
    assert len(book.journal()) == 1
