"""The write-ahead log beside the book: deleted, cut, foreign, stale, or left behind (row 38; R1, R4).

SQLite trusts whatever lies beside the file under the right name. So the book has to notice what SQLite cannot. What the log
is to a database, the journal is to a book in files: as long as the catalog is there nothing of it can be lost.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError

from . import children
from .books import Template, every_memory, forget_catalog, on_file_canons, open_book, what_is_wrong
from .damage import look
from .damage_files import flip, journal_in, let_settle, own_files


@pytest.fixture
def left(place: Path, template: Template) -> Path:
    """A book whose last writer is gone without closing: ten memories lie only in the log."""
    folder = template.copy(place / "book")
    said = children.run(lambda say: _write_and_die(folder, say))
    (place / "states.json").write_text(json.dumps([line["state"] for line in said]), encoding="utf-8")
    assert (folder / "book.sqlite-wal").stat().st_size > 40_000
    return folder


def _write_and_die(folder: Path, say: children.Say) -> None:
    book = open_book(folder)
    for n in range(10):
        say({"state": _ids(book)})
        book.save(f"Only in the log, {n}.", type="project", project_id="atlas")
    say({"state": _ids(book)})
    os._exit(0)


def _ids(book: Book) -> list[str]:
    return sorted(every_memory(book))


def _states(folder: Path) -> list[list[str]]:
    """What the book held after each write, oldest first."""
    states: list[list[str]] = json.loads((folder.parent / "states.json").read_text(encoding="utf-8"))
    return states


def test_a_log_that_was_left_is_read(left: Path) -> None:
    with open_book(left) as book:
        assert _ids(book) == _states(left)[-1]
        assert what_is_wrong(book) == []


def test_a_stale_index_of_the_log_is_made_anew(left: Path, template: Template, rng: random.Random) -> None:
    (left / "book.sqlite-shm").write_bytes(rng.randbytes(32768))
    with open_book(left) as book:
        assert _ids(book) == _states(left)[-1]
        assert what_is_wrong(book) == []


def test_a_book_whose_log_was_deleted_says_that_something_is_missing(left: Path) -> None:
    """What is left is a sound book of an hour ago. Whoever acknowledged the rest must not call that fine."""
    (left / "book.sqlite-wal").unlink()
    (left / "book.sqlite-shm").unlink()
    assert _says_so(left)


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_log_leaves_an_earlier_state_and_says_so(left: Path, seed: int) -> None:
    rng = random.Random(seed)
    log = bytearray((left / "book.sqlite-wal").read_bytes())
    if seed % 2:
        del log[rng.randrange(32, len(log)) :]
    else:
        log[rng.randrange(32, len(log))] ^= rng.randrange(1, 256)
    (left / "book.sqlite-wal").write_bytes(log)
    with open_book(left) as book:
        now = _ids(book)
        assert now in _states(left)
        assert [one for one in book.verify().findings if one.code.startswith("journal_a")] == []
    if now != _states(left)[-1]:
        assert _says_so(left)


def test_a_file_copied_without_its_log_is_an_earlier_state_and_sound(left: Path, place: Path) -> None:
    """Copied elsewhere there is nothing to compare with; but it is never a mixture."""
    (place / "elsewhere").mkdir()
    shutil.copy(left / "book.sqlite", place / "elsewhere" / "book.sqlite")
    with open_book(place / "elsewhere") as book:
        assert _ids(book) in _states(left)
        assert what_is_wrong(book) == []


def test_the_log_of_another_book_is_noticed_and_does_not_destroy_this_one(left: Path, place: Path) -> None:
    other = place / "other"
    children.run(lambda say: _write_and_die(other, say))
    folder = place / "mixed"
    shutil.copytree(left, folder, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
    shutil.copy(other / "book.sqlite-wal", folder / "book.sqlite-wal")
    before = (folder / "book.sqlite").read_bytes()
    try:
        with open_book(folder) as book:
            found = book.doctor(full=True).findings
        assert found, "another book's pages were taken for ours"
    except CommonplaceError as cause:
        found = (cause.kind,)
    assert (folder / "book.sqlite").read_bytes() == before, "the other book's pages were written into this file"


def test_an_emptied_file_with_its_log_is_not_a_new_book(left: Path, template: Template) -> None:
    (left / "book.sqlite").write_bytes(b"")
    log = (left / "book.sqlite-wal").read_bytes()
    verdict = look(left, template.truth)
    assert verdict.refused == "corrupt"
    assert (left / "book.sqlite-wal").read_bytes() == log


def test_a_deleted_file_with_its_log_is_not_a_new_book(left: Path) -> None:
    (left / "book.sqlite").unlink()
    for leftover in ("book.sqlite-wal", "book.sqlite.lock"):
        with pytest.raises(CommonplaceError) as refused:
            open_book(left)
        assert refused.value.code == "missing"
        assert not (left / "book.sqlite").exists()
        (left / leftover).unlink()


def _says_so(folder: Path) -> bool:
    try:
        with open_book(folder) as book:
            return bool(book.doctor(full=True).findings or book.verify().findings)
    except CommonplaceError as cause:
        return cause.kind == "corrupt"


@on_file_canons
class TestTheJournalOfABookInFiles:
    """It is the truth of all that the files do not hold; the catalog knows the same (rows 27, 38, 42)."""

    @pytest.fixture
    def folder(self, place: Path, template: Template) -> Path:
        """A book whose last writer is gone without closing: ten memories more."""
        folder = template.copy(place / "book")
        said = children.run(lambda say: _write_and_die(folder, say))
        (place / "states.json").write_text(json.dumps([line["state"] for line in said]), encoding="utf-8")
        return folder

    def test_what_was_acknowledged_is_there_with_and_without_the_catalog(self, folder: Path) -> None:
        for _ in range(2):
            with open_book(folder) as book:
                assert _ids(book) == _states(folder)[-1]
                assert what_is_wrong(book) == []
            forget_catalog(folder)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_journal_that_was_cut_is_written_anew_from_what_is_known(self, folder: Path, seed: int) -> None:
        """R4: never silently shortened, also not by a catalog that is made anew afterwards."""
        said = journal_in(folder).read_bytes()
        with journal_in(folder).open("r+b") as file:
            file.truncate(random.Random(seed).randrange(len(said.split(b"\n", 1)[0]) + 1, len(said)))
        with open_book(folder) as book:
            assert _ids(book) == _states(folder)[-1]
        assert journal_in(folder).read_bytes().count(b'{"journal":') == said.count(b'{"journal":')
        forget_catalog(folder)
        with open_book(folder) as book:
            assert _ids(book) == _states(folder)[-1]
            assert what_is_wrong(book) == []

    def test_a_journal_that_was_deleted_is_written_anew_from_what_is_known(self, folder: Path) -> None:
        path = journal_in(folder)
        path.unlink()
        with open_book(folder) as book:
            assert _ids(book) == _states(folder)[-1]
        assert path.exists()
        forget_catalog(folder)
        with open_book(folder) as book:
            assert _ids(book) == _states(folder)[-1]
            assert what_is_wrong(book) == []

    @pytest.mark.parametrize("seed", range(3))
    def test_a_journal_that_was_cut_where_no_catalog_is_left_loses_no_word_of_any_file(
        self, folder: Path, template: Template, seed: int
    ) -> None:
        """It is an earlier history, and says so wherever the cut fell; the files tell the rest."""
        with open_book(folder) as book:
            before = {record["content"] for record in every_memory(book).values() if record["status"] == "active"}
        said, rng = journal_in(folder).read_bytes(), random.Random(seed)
        with journal_in(folder).open("r+b") as file:
            file.truncate(rng.randrange(len(said.split(b"\n", 1)[0]) + 1, len(said)))
        forget_catalog(folder)
        let_settle(folder)
        files = own_files(folder)
        with open_book(folder) as book:
            now = {record["content"] for record in every_memory(book).values() if record["status"] == "active"}
            assert now >= before
            assert "journal_cut" in {one.code for one in book.verify().findings}
            book.doctor(repair=True)  # let it be as it is from here on
            assert "journal_cut" not in {one.code for one in book.verify().findings}
        assert {name: raw for name, raw in own_files(folder).items() if name in files and "_index" not in name} == {
            name: raw for name, raw in files.items() if "_index" not in name
        }

    @pytest.mark.parametrize("seed", range(4))
    def test_a_line_that_was_changed_is_named_and_repair_writes_it_anew(self, folder: Path, seed: int) -> None:
        """Row 42: the catalog still knows what was written, and throwing it away must not be the repair."""
        rng = random.Random(seed)
        with open_book(folder) as book:
            truth = every_memory(book)
        path = journal_in(folder)
        harmed = flip(path, rng.randrange(path.read_bytes().index(b"\n") + 1, path.stat().st_size), 1)
        with open_book(folder) as book:
            found = book.doctor().findings
            assert [one.code for one in found if one.severity == "error"] != [], harmed
            assert every_memory(book) == truth
            book.doctor(repair=True)
            assert what_is_wrong(book) == []
            assert every_memory(book) == truth
        forget_catalog(folder)
        with open_book(folder) as book:
            assert every_memory(book) == truth
            assert what_is_wrong(book) == []

    def test_a_journal_whose_beginning_is_damaged_does_not_cost_the_catalog_too(self, folder: Path) -> None:
        """While the book is open: it says so as often as it is asked, and once the journal is moved away all is there."""
        with open_book(folder) as book:
            truth = every_memory(book)
            flip(journal_in(folder), 3, 1)
            with journal_in(folder).open("ab") as file:
                file.write(b"more\n")
            for _ in range(3):
                with pytest.raises(CommonplaceError) as refused:
                    book.list()
                assert (refused.value.kind, bool(refused.value.hint)) == ("corrupt", True)
        journal_in(folder).rename(folder / "damaged")
        with open_book(folder) as book:
            assert every_memory(book) == truth
            assert what_is_wrong(book) == []

    def test_the_control_that_throws_the_catalog_away_first_loses_what_the_line_said(self, folder: Path) -> None:
        path = journal_in(folder)
        words = path.read_bytes().index(b"Only in the log, 9.")
        flip(path, words, 1)
        forget_catalog(folder)
        with open_book(folder) as book:
            assert what_is_wrong(book) != []
