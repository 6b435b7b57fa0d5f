"""Numbers: none is given out twice, and a journal whose end was cut off is missed, whatever its last entry did."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

SAMPLES = Path(__file__).parent.parent / "samples"


def run(path, *statements):
    """SQL behind the book's back, and the answers of the last statement."""
    db = apsw.Connection(str(path))
    try:
        return [db.execute(statement).fetchall() for statement in statements][-1]
    finally:
        db.close()


def number_of(path, record):
    return run(path, f"SELECT n FROM memories WHERE id = '{record.id}'")[0][0]


@pytest.mark.parametrize("between", ["nothing", "reopened", "repaired", "taken in"])
def test_the_number_of_a_purged_memory_is_never_given_to_another(open_book, path, between):
    """R12: what an index or a vector still believed of the old one would be said of the new one."""
    book = open_book()
    book.save("Tea at four.", type="episode")
    gone = book.save("The falcon lands at dawn.", type="episode")
    assert number_of(path, gone) == 2
    book.purge(gone.id)
    if between == "reopened":
        book = open_book()
    elif between == "repaired":
        book.doctor(repair=True)
    elif between == "taken in":
        book._scribe.canon.settle(5.0)
    new = book.save("The heron lands at noon.", type="episode")
    assert number_of(path, new) == 3
    assert [found.record.id for found in book.search("heron")] == [new.id]
    assert book.doctor(full=True).ok


def test_numbers_go_on_behind_many_that_were_purged_at_once(open_book, path, tmp_path):
    """Single saves, an import of many, and a purge of all of the last."""
    book = open_book()
    book.save("Tea at four.", type="episode")
    other = open_book(at=tmp_path / "other.sqlite")
    theirs = [other.save(f"Page {number}.", type="episode") for number in range(5)]
    other.export(str(tmp_path / "pages.jsonl"))
    book.import_(str(tmp_path / "pages.jsonl"))
    assert sorted(number_of(path, record) for record in theirs) == [2, 3, 4, 5, 6]
    for record in theirs:
        book.purge(record.id)
    assert number_of(path, book.save("Coffee at five.", type="episode")) == 7


def saved(book):
    book.save("The last of all.", type="episode")


def linked(book):
    one, other = book.save("One.", type="episode"), book.save("Another.", type="episode")
    book.link(one.id, other.id, "supports")


def evolved(book):
    book.evolve(book.save("The port is 80.", type="project", project_id="shop").id, "The port is 90.", reason="moved")


def archived(book):
    book.archive(book.save("Old.", type="episode").id, reason="old")


def purged(book):
    book.purge(book.save("The falcon lands at dawn.", type="episode").id)


def brought_in(book):
    book.capture_session("Alice: I prefer tabs.\nClaude: Noted.", "project", project_id="atlas")
    book.process_pending()


@pytest.mark.parametrize("last", [saved, linked, evolved, archived, purged, brought_in])
@pytest.mark.parametrize("lost", [1, 2])
def test_an_end_that_was_cut_off_is_missed(open_book, path, last, lost):
    """Row 135: nothing is left in the journal that could tell; the book and its memories do, without the lock file's help."""
    book = open_book()
    book.save("Tea at four.", type="episode")
    last(book)
    entries = len(book.journal(limit=100))
    assert book.verify().findings == ()
    book.close()
    Path(f"{path}.lock").unlink()
    run(path, f"DELETE FROM journal WHERE seq > {entries - lost}")
    cut = [finding for finding in open_book().verify().findings if finding.code == "journal_cut"]
    assert [finding.message for finding in cut] == [f"{lost} entries are missing at the end"]


def test_a_journal_that_is_gone_is_missed(open_book, path):
    book = open_book()
    saved(book)
    book.close()
    Path(f"{path}.lock").unlink()
    run(path, "DELETE FROM journal")
    assert "journal_cut" in {finding.code for finding in open_book().verify().findings}


class TestFormat3:
    """There SQLite kept the highest numbers in a table of its own; they are taken over."""

    @pytest.fixture
    def older(self, path):
        shutil.copy(SAMPLES / "v3.sqlite", path)
        return path

    def test_a_cut_off_end_is_still_missed(self, older, open_book):
        run(older, "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)")
        assert "journal_cut" in {finding.code for finding in open_book().verify().findings}

    def test_a_number_that_was_given_out_is_not_given_out_again(self, older, open_book):
        run(older, "UPDATE sqlite_sequence SET seq = 100 WHERE name = 'memories'")
        assert number_of(older, open_book().save("Tea at four.", type="episode")) == 101

    def test_nothing_is_left_of_that_table_and_the_file_is_sound(self, older, open_book):
        open_book().save("Tea at four.", type="episode")
        assert run(older, "SELECT name FROM sqlite_schema WHERE name LIKE '%sequence'") == []
        assert run(older, "PRAGMA integrity_check") == [("ok",)]
