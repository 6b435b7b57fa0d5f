"""What is the person's own (T1) is changed by one verb alone, at the operator's word (A12, A13, A61)."""

from __future__ import annotations

from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.errors import DeniedError, InvalidError, StaleError

_NOTE = "---\nmood: fine # a comment\n---\n# Monday\n\nSunny.\n"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "vault" / "Diary" / "Monday.md"
    path.parent.mkdir(parents=True)
    path.write_text(_NOTE)
    return path


def _open(note: Path, actor: str = "alice") -> Book:
    return commonplace.open(f"vault:{note.parents[1]}", actor=actor)


def test_a_note_outside_of_the_store_is_found_read_and_linked_to(note: Path) -> None:
    with _open(note) as book:
        own = book.get("Diary/Monday")
        assert (own.tier, own.trust) == ("T1", "operator")
        saved = book.save("It was sunny on the day of the launch.", type="project", scope="global")
        book.link(saved.id, own.id, "supports")
        assert [link.to_id for link in book.explain(saved.id).links] == [own.id]
    assert note.read_text() == _NOTE


@pytest.mark.parametrize("verb", ["evolve", "forget", "archive"])
def test_no_other_verb_may_change_it(note: Path, verb: str) -> None:
    with _open(note) as book:
        id = book.get("Diary/Monday").id
        with pytest.raises(DeniedError):
            book.evolve(id, "Rain.", reason="r") if verb == "evolve" else getattr(book, verb)(id)
        assert book.get(id).status == "active"
    assert note.read_text() == _NOTE


def test_the_one_verb_changes_the_words_and_nothing_else(note: Path) -> None:
    with _open(note) as book:
        book.write_personal("Diary/Monday", "# Monday\n\nRain all day.", authorisation="Ann: fix Monday")
        told = book.history("Diary/Monday")[-1]
        assert (told.verb, told.surface, told.reason) == ("edit", "library", "Ann: fix Monday")
    assert note.read_text() == _NOTE.replace("Sunny.", "Rain all day.")


def test_an_agent_may_not_even_with_words_of_authorisation(note: Path) -> None:
    with _open(note, "agent:helper") as book, pytest.raises(DeniedError):
        book.write_personal("Diary/Monday", "Rain.", authorisation="the operator said so")
    assert note.read_text() == _NOTE


def test_it_is_no_way_around_evolve(note: Path) -> None:
    with _open(note) as book:
        saved = book.save("The launch was on Monday.", type="project", scope="global")
        with pytest.raises(InvalidError):
            book.write_personal(saved.id, "The launch was on Tuesday.", authorisation="Ann")


def test_it_asks_for_an_authorisation_and_honours_what_was_read(note: Path) -> None:
    with _open(note) as book:
        with pytest.raises(InvalidError):
            book.write_personal("Diary/Monday", "Rain.", authorisation=" ")
        with pytest.raises(StaleError):
            book.write_personal("Diary/Monday", "Rain.", authorisation="Ann", expect="sha256:other")
    assert note.read_text() == _NOTE
