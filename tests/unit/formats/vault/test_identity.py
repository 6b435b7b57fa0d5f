"""Which memory is a note? People swap notes, put one over another, copy one and change the copy; another device evolves one.

Whatever they do, every note is one memory, and what stands in no note any more is out of sight (rows 30, 52, 54, 56).
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.model.words import Status

FOLDER = Path("Agent", "Memory", "project")
ARCHIVE = Path("Agent", "_archive")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def book(vault: Path, tmp_path: Path) -> Iterator[Book]:
    """When the book is closed, one whose catalog is made anew says the same."""
    with commonplace.open(f"vault:{vault}", actor="alice") as opened:
        yield opened
        before = said(opened)
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(f"vault:{vault}", actor="alice") as again:
        assert said(again) == before


def said(book: Book) -> dict[str, tuple[Status, str]]:
    return {one.id: (one.status, one.content) for one in book.list(statuses=tuple(Status))}


def alive(book: Book) -> dict[str, str]:
    return {id: content for id, (status, content) in said(book).items() if status is not Status.DELETED}


def kept(book: Book, title: str, content: str) -> str:
    return book.save(content, type="project", title=title).id


def written(path: Path, text: str) -> None:
    """As an editor saves: another file, put in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".tmp")
    aside.write_text(text)
    time.sleep(0.05)  # a person is slower than ten looks at the files, after which a write looks again
    os.replace(aside, path)


def test_two_notes_that_change_places_keep_their_memories(vault: Path, book: Book) -> None:
    one, two = kept(book, "one", "We ship on Fridays."), kept(book, "two", "We rest on Sundays.")
    first, second = vault / FOLDER / "one.md", vault / FOLDER / "two.md"
    os.rename(first, vault / "aside")
    os.rename(second, first)
    os.rename(vault / "aside", second)
    assert said(book) == {one: ("active", "We ship on Fridays."), two: ("active", "We rest on Sundays.")}
    assert (book.get(str(FOLDER / "one")).id, book.get(str(FOLDER / "two")).id) == (two, one)


def test_what_another_note_was_put_over_is_out_of_sight(vault: Path, book: Book) -> None:
    """It stands in no file any more: to go on serving it would be to believe a note that a person replaced."""
    one, two = kept(book, "one", "We ship on Fridays."), kept(book, "two", "We ship on Mondays.")
    os.replace(vault / FOLDER / "two.md", vault / FOLDER / "one.md")
    assert said(book) == {one: ("deleted", "We ship on Fridays."), two: ("active", "We ship on Mondays.")}
    assert book.restore(one).status == "active"
    assert alive(book) == {one: "We ship on Fridays.", two: "We ship on Mondays."}


def test_a_note_that_a_person_gave_another_id_is_one_memory(vault: Path, book: Book) -> None:
    old, new = kept(book, "one", "We ship on Fridays."), "01M7G1X7951CZ3GKZE87EK02FT"
    note = vault / FOLDER / "one.md"
    written(note, note.read_text().replace(old, new))
    assert alive(book) == {new: "We ship on Fridays."}


class TestACopy:
    """It names the id of its original, and goes on doing so."""

    @pytest.fixture
    def copy(self, vault: Path, book: Book) -> tuple[Path, str, str]:
        original = kept(book, "one", "We ship on Fridays.")
        path = vault / FOLDER / "second.md"
        shutil.copy(vault / FOLDER / "one.md", path)
        (id,) = alive(book).keys() - {original}
        return path, id, original

    def test_stays_the_same_memory_however_often_it_is_edited(self, book: Book, copy: tuple[Path, str, str]) -> None:
        path, id, original = copy
        for old, new in (("Fridays", "Mondays"), ("Mondays", "Sundays")):
            written(path, path.read_text().replace(old, new))
            assert alive(book) == {original: "We ship on Fridays.", id: f"We ship on {new}."}

    def test_stays_the_same_memory_when_its_original_goes(
        self, vault: Path, book: Book, copy: tuple[Path, str, str]
    ) -> None:
        path, id, _ = copy
        (vault / FOLDER / "one.md").unlink()
        assert alive(book) == {id: "We ship on Fridays."}
        written(path, path.read_text().replace("Fridays", "Mondays"))
        assert alive(book) == {id: "We ship on Mondays."}

    def test_stays_the_same_memory_when_it_is_renamed(self, book: Book, copy: tuple[Path, str, str]) -> None:
        path, id, original = copy
        os.rename(path, path.with_name("third.md"))
        assert alive(book).keys() == {original, id}
        assert book.get(str(FOLDER / "third")).id == id

    def test_over_another_note_is_an_edit_of_that_one(self, vault: Path, book: Book) -> None:
        one, two = kept(book, "one", "We ship on Fridays."), kept(book, "two", "We rest on Sundays.")
        shutil.copy(vault / FOLDER / "one.md", vault / FOLDER / "two.md")
        assert alive(book) == {one: "We ship on Fridays.", two: "We ship on Fridays."}
        assert book.history(two)[-1].verb == "edit"

    def test_can_be_archived_like_any_other_and_names_itself_then(
        self, vault: Path, book: Book, copy: tuple[Path, str, str]
    ) -> None:
        _, id, original = copy
        book.archive(id)
        assert f"id: {id}\n" in (vault / ARCHIVE / "second.md").read_text()
        assert said(book)[original] == ("active", "We ship on Fridays.")


class TestAnotherDeviceEvolvesANote:
    """A37, A69: its sync client brings the archived note and the one that took its place, together or one before the other."""

    @pytest.mark.parametrize("order", ["at once", "the new one first", "the old one first"])
    def test_the_old_text_is_not_served_as_a_fact_any_more(self, vault: Path, book: Book, order: str) -> None:
        old = kept(book, "one", "We ship on Fridays.")
        notes = self._evolved_elsewhere(vault, old)
        for path in sorted(notes, reverse=order == "the old one first"):
            written(vault / path, notes[path])
            if order != "at once":
                said(book)
        assert sorted(status for status, _ in said(book).values() if status != "deleted") == ["active", "superseded"]
        assert book.get(str(FOLDER / "one")).content == "We ship on Mondays."
        if order != "the old one first":
            assert said(book)[old] == ("superseded", "We ship on Fridays.")

    def _evolved_elsewhere(self, vault: Path, id: str) -> dict[Path, str]:
        other = vault.with_name("other")
        shutil.copytree(vault, other)
        with commonplace.open(f"vault:{other}", actor="alice") as there:
            there.evolve(id, "We ship on Mondays.", reason="the customer asked")
        notes = (path for folder in (FOLDER, ARCHIVE) for path in (other / folder).glob("*.md"))
        found = {path.relative_to(other): path.read_text() for path in notes}
        assert len(found) == 2
        assert all(re.search(r"^id: ", text, re.MULTILINE) for text in found.values())
        return found


def test_an_id_that_is_another_notes_name_leaves_that_note_alone(vault: Path, book: Book) -> None:
    """People number and name their notes: beside `slug` and `status` any word is an id, also the name of another note."""
    one = kept(book, "one", "We ship on Fridays.")
    other = vault / FOLDER / "other.md"
    written(other, "---\nstatus: active\nslug: other\nid: one\n---\n\nWe rest on Sundays.\n")
    (id,) = alive(book).keys() - {one}
    written(other, other.read_text().replace("Sundays", "Saturdays"))
    assert alive(book) == {one: "We ship on Fridays.", id: "We rest on Saturdays."}


@pytest.mark.parametrize("name", ["one 2.md", "one (1).md", "one copy.md"])
def test_a_sync_clients_copy_does_not_come_back_to_life_when_its_base_is_put_away(
    book: Book, vault: Path, name: str
) -> None:
    """Row 49: the copy was left alone as long as its base stood beside it, and is not a second memory after that either."""
    id = kept(book, "one", "The office is in Bern.")
    shutil.copy(vault / FOLDER / "one.md", vault / FOLDER / name)
    new = book.evolve(id, "The office is in Zurich.", reason="moved")
    book.archive(new.id)
    assert said(book) == {
        id: (Status.SUPERSEDED, "The office is in Bern."),
        new.id: (Status.ARCHIVED, "The office is in Zurich."),
    }
    assert (vault / FOLDER / name).exists()
    assert [finding.where for finding in book.doctor().findings] == [str(FOLDER / name)]


def test_under_a_name_of_its_own_such_a_copy_is_a_memory(book: Book, vault: Path) -> None:
    id = kept(book, "one", "The office is in Bern.")
    shutil.copy(vault / FOLDER / "one.md", vault / FOLDER / "one 2.md")
    book.archive(id)
    assert [*alive(book)] == [id]
    (vault / FOLDER / "one 2.md").rename(vault / FOLDER / "the other office.md")
    assert sorted(alive(book).values()) == ["The office is in Bern."] * 2
    assert book.doctor().findings == ()
