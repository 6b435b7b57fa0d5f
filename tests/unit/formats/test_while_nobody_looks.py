"""What is done to a book's files while its catalog is gone, and by clocks and file systems that are not like ours."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

import commonplace
from commonplace.errors import UnavailableError
from commonplace.formats.looked import LARGEST, stamp_of

SCHEMES = ("vault", "ledger", "jsonl")
FILES = {"vault": "Agent/Memory/project/fact-2.md", "ledger": "ledger.jsonl", "jsonl": "memories.jsonl"}


def url_of(tmp_path: Path, scheme: str) -> str:
    url = f"{scheme}:{tmp_path / 'book'}"
    with commonplace.open(url, actor="alice") as book:
        for number in (1, 2, 3):
            book.save(f"Fact {number}.", type="project")
    return url


class TestTheCatalogIsGone:
    """X-1: the same answers, and people's edits are honoured, also those that were made before it was built anew."""

    def test_a_note_that_was_taken_away_meanwhile_is_not_served(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = url_of(tmp_path, "vault")
        (tmp_path / "book" / FILES["vault"]).unlink()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
        with commonplace.open(url, actor="alice") as book:
            assert sorted(one.content for one in book.list()) == ["Fact 1.", "Fact 3."]
            assert [one.content for one in book.list(statuses=("deleted",))] == ["Fact 2."]

    def test_a_note_that_was_edited_and_moved_meanwhile_is_the_same_memory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = url_of(tmp_path, "vault")
        with commonplace.open(url, actor="alice") as book:
            id = book.get("fact-2").id
        note = tmp_path / "book" / FILES["vault"]
        note.write_text(note.read_text().replace("Fact 2.", "Fact two."))
        note.rename(note.with_name("elsewhere.md"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
        with commonplace.open(url, actor="alice") as book:
            assert sorted(one.content for one in book.list()) == ["Fact 1.", "Fact 3.", "Fact two."]
            assert book.get("elsewhere").id == id

    def test_a_folder_without_any_of_its_files_is_not_taken_for_an_empty_book(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = url_of(tmp_path, "vault")
        for note in (tmp_path / "book").rglob("*.md"):
            note.unlink()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
        with commonplace.open(url, actor="alice") as book, pytest.raises(UnavailableError) as refused:
            book.list()
        assert refused.value.code == "missing"

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_the_first_thing_done_may_be_a_change(
        self, tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = url_of(tmp_path, scheme)
        with commonplace.open(url, actor="alice") as book:
            (id,) = [one.id for one in book.list() if one.content == "Fact 2."]
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another"))
        with commonplace.open(url, actor="alice") as book:
            assert book.save("Fact 2.", type="project").id == id
            assert len(book.list()) == 3


class TestClocksAndNumbers:
    @pytest.mark.parametrize("scheme", SCHEMES)
    @pytest.mark.parametrize("at", [-5, 2**33, 10_000_000_000], ids=["1969", "2242", "2286"])
    def test_a_file_from_another_century_is_read_like_any_other(self, tmp_path: Path, scheme: str, at: int) -> None:
        """Row 72: one such file must not make a book unusable, and nothing was written after now."""
        url = url_of(tmp_path, scheme)
        file = tmp_path / "book" / FILES[scheme]
        file.write_bytes(file.read_bytes().replace(b"Fact 2.", b"Fact two."))
        os.utime(file, (at, at))
        with commonplace.open(url, actor="alice") as book:
            (edited,) = [one for one in book.list() if one.content == "Fact two."]
            assert edited.updated_at <= datetime.now(UTC)
            book.save("Fact 4.", type="project")
            assert len(book.list()) == 4

    def test_a_number_that_no_database_holds_still_tells_files_apart(self, tmp_path: Path) -> None:
        """Some file systems mark their layers in the highest bits of a file's number."""
        (tmp_path / "file").write_text("x")
        usual = os.lstat(tmp_path / "file")
        odd = [os.stat_result((*usual[:1], 2**63 + n, *usual[2:]), {"st_mtime_ns": 2**66 * (-1) ** n}) for n in (1, 2)]
        stamps = [stamp_of(one) for one in (usual, *odd)]
        assert len({*stamps}) == 3
        assert all(-LARGEST <= number <= LARGEST for stamp in stamps for number in stamp)
