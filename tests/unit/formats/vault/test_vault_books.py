"""Real books in real vaults: what a person, an editor and a sync client do to the notes, and what becomes of the memories."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

import commonplace
from commonplace import Book, settings
from commonplace.errors import ConflictError, InvalidError, StaleError, UnavailableError
from commonplace.formats import steps
from commonplace.model.words import Status
from commonplace.storage import swap

EVERY = tuple(Status)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def book(vault: Path) -> Iterator[Book]:
    with commonplace.open(f"vault:{vault}", actor="alice") as opened:
        yield opened


def note_of(vault: Path, slug: str) -> Path:
    (found,) = vault.rglob(f"{slug}.md")
    return found


def written(path: Path, text: str) -> None:
    """As an editor saves: another file, put in its place."""
    aside = path.with_suffix(".tmp")
    aside.write_text(text)
    time.sleep(0.05)  # a person is slower than ten looks at the files, after which a write looks again
    os.replace(aside, path)


class TestAVaultThatIsOnlyRead:
    def test_no_byte_of_a_thousand_free_notes_is_changed(
        self, make_vault: Callable[..., Path], everything_in: Callable[[Path], object]
    ) -> None:
        """Rows 31, 32, 35, 36, 48-50, 55: plugins' files, attachments, odd notes; nothing is created either."""
        vault = make_vault(1000)
        before = everything_in(vault)
        with commonplace.open(f"vault:{vault}", actor="alice") as book:
            assert book.stats().memories > 900
            assert "Met Ann" in book.search("Who owns the plan? Ann?").results[0].record.content
            assert book.get("Atlas plan").title == "Atlas: the plan"
            assert {*book.get("Atlas plan").aliases} == {"The Plan", "atlas"}
            book.doctor()
            assert book.verify().ok
        with commonplace.open(f"vault:{vault}", actor="alice") as book:
            book.list(limit=1000)
        assert everything_in(vault) == before

    def test_links_between_notes_are_links_between_memories(self, make_vault: Callable[..., Path]) -> None:
        """A27, A49: by name, by part of a note, in the frontmatter; a typed one by its word."""
        with commonplace.open(f"vault:{make_vault()}", actor="alice") as book:
            home, plan, day = (book.get(name) for name in ("Home", "Atlas plan", "2026-05-03"))
            links = {(one.from_id, one.relation, one.to_id) for one in book.explain(plan.id).links}
        assert links == {
            (home.id, "related_to", plan.id),
            (day.id, "related_to", plan.id),
            (plan.id, "related_to", home.id),
            (plan.id, "supports", home.id),
        }

    def test_deleting_the_catalog_gives_the_same_memories_again(
        self, make_vault: Callable[..., Path], tmp_path: Path
    ) -> None:
        """X-1, X-14: notes without an id of their own are known by where they lie."""
        vault = make_vault(50)

        def seen() -> list[object]:
            with commonplace.open(f"vault:{vault}", actor="alice") as book:
                return sorted((one.id, one.content, one.created_at) for one in book.list(limit=1000, statuses=EVERY))

        before = seen()
        shutil.rmtree(tmp_path / "cache")
        assert seen() == before
        assert len(before) > 40


class TestPeopleEdit:
    def test_an_edit_in_the_editor_is_the_memory(self, vault: Path, book: Book) -> None:
        saved = book.save("We ship on Fridays.", type="project", kind="workflow", title="Shipping")
        note = note_of(vault, "shipping")
        written(note, note.read_text().replace("Fridays", "Mondays").replace("tags: []", "tags: [work]"))
        now = book.get(saved.id)
        assert (now.content, now.tags, now.title) == ("We ship on Mondays.", ("work",), "Shipping")
        assert book.history(saved.id)[-1].verb == "edit"
        assert now.updated_at > saved.updated_at

    def test_an_edit_of_one_line_changes_nothing_else(self, vault: Path, book: Book) -> None:
        saved = book.save(
            "Line one.\r\n\nLine two.\n\n", type="decision", rationale="because", project_id="atlas", confidence=0.7,
            anchors=("commit:abc",), observed_at="2026-05-03T12:00:00Z", valid_from="2026-05-03T12:00:00Z",
        )  # fmt: skip
        (note,) = vault.rglob("line-one*.md")
        written(note, note.read_text().replace("tags: []", "tags: [x]"))
        now = book.get(saved.id)
        assert now.with_(tags=(), updated_at=saved.updated_at) == saved

    def test_a_note_whose_id_was_taken_out_is_still_the_same_memory(self, vault: Path, book: Book) -> None:
        """Row 54: with a BOM, CRLF and another order of the fields, too."""
        saved = book.save("We ship on Fridays.", type="project", kind="workflow", title="Shipping", tags=("work",))
        note = note_of(vault, "shipping")
        head = [line for line in note.read_text().split("---\n")[1].splitlines() if not line.startswith("id:")]
        text = (
            "\ufeff---\r\n" + "".join(f"{line}\r\n" for line in reversed(head)) + "---\r\n\r\nWe ship on Fridays!\r\n"
        )
        note.write_bytes(text.encode())
        now = book.get(saved.id)
        assert (now.content, now.tags, now.title) == ("We ship on Fridays!", ("work",), "Shipping")
        assert len(book.list(statuses=EVERY)) == 1
        book.forget(saved.id)
        assert note.read_bytes().startswith(b"\xef\xbb\xbf---\r\n")
        assert b"\r\nstatus: deleted\r\n" in note.read_bytes()

    def test_a_note_that_is_moved_or_renamed_keeps_its_memory(self, vault: Path, book: Book) -> None:
        """Row 52: ours by its id, a free one by its bytes."""
        saved = book.save("We ship on Fridays.", type="project", title="Shipping")
        (vault / "Free.md").write_text("A free note.\n")
        free = book.get("Free")
        (vault / "Elsewhere").mkdir()
        os.rename(note_of(vault, "shipping"), vault / "Agent" / "Memory" / "Renamed.md")
        os.rename(vault / "Free.md", vault / "Elsewhere" / "Freed.md")
        assert book.get("Renamed").id == saved.id
        assert book.get("Freed").id == free.id
        assert len(book.list(statuses=EVERY)) == 2

    def test_dragging_a_note_into_a_folder_means_what_the_folder_means(self, vault: Path, book: Book) -> None:
        """A19, A20, A-a."""
        saved = book.save("Be brief.", type="profile", kind="preference", title="Brief")
        for folder, status, always in (
            ("_archive", "archived", False), ("Memory/_inbox", "inbox", False), ("_always-load", "active", True),
        ):  # fmt: skip
            (vault / "Agent" / folder).mkdir(parents=True, exist_ok=True)
            os.rename(note_of(vault, "brief"), vault / "Agent" / folder / "brief.md")
            now = book.get(saved.id)
            assert (now.status, now.always_load) == (status, always)

    def test_a_copy_of_a_note_is_a_memory_of_its_own(self, vault: Path, book: Book) -> None:
        saved = book.save("We ship on Fridays.", type="project", title="Shipping")
        note = note_of(vault, "shipping")
        shutil.copy(note, vault / "Agent" / "Memory" / "second.md")
        both = book.list(statuses=EVERY)
        assert len(both) == len({one.id for one in both}) == 2
        assert saved.id in {one.id for one in both}


class TestSyncClients:
    def test_what_is_not_downloaded_is_not_deleted(self, vault: Path, book: Book) -> None:
        """Row 50: neither a stand-in nor an empty file."""
        one = book.save("We ship on Fridays.", type="project", title="Shipping")
        two = book.save("We rest on Sundays.", type="project", title="Resting")
        note = note_of(vault, "shipping")
        raw = note.read_bytes()
        note.unlink()
        (note.parent / f".{note.name}.icloud").write_bytes(b"bplist00")
        other = note_of(vault, "resting")
        other.write_bytes(b"")
        assert {record.id for record in book.list()} == {one.id, two.id}
        (note.parent / f".{note.name}.icloud").unlink()
        note.write_bytes(raw)
        assert book.get(one.id) == one

    def test_an_unresolved_merge_leaves_the_memory_as_it_was(self, vault: Path, book: Book) -> None:
        """Row 55: the others are served; writing to it is refused."""
        saved = book.save("We ship on Fridays.", type="project", title="Shipping")
        note = note_of(vault, "shipping")
        text = note.read_text().replace("We ship", "<<<<<<< ours\nWe ship\n=======\nThey ship\n>>>>>>> theirs\n")
        written(note, text)
        assert book.get(saved.id).content == "We ship on Fridays."
        with pytest.raises(ConflictError):
            book.forget(saved.id)
        assert note.read_text() == text

    def test_another_version_beside_a_note_is_no_memory_and_stays(self, vault: Path, book: Book) -> None:
        """Row 49."""
        book.save("We ship on Fridays.", type="project", title="Shipping")
        note = note_of(vault, "shipping")
        copy = note.with_name("shipping.sync-conflict-20261115-093612-ABCDEFG.md")
        copy.write_text(note.read_text().replace("Fridays", "Mondays"))
        assert [one.content for one in book.list()] == ["We ship on Fridays."]
        assert [one.code for one in book.doctor().findings if one.where and one.where.endswith(copy.name)] == [
            "conflict_copy"
        ]
        assert copy.exists()

    def test_another_branch_is_taken_in_before_anything_is_written(self, vault: Path, book: Book) -> None:
        """Row 56: files swapped under an open book."""
        one = book.save("We ship on Fridays.", type="project", title="Shipping")
        note = note_of(vault, "shipping")
        written(note, note.read_text().replace("Fridays", "Tuesdays"))
        new = book.evolve(one.id, "We ship on Mondays.", reason="changed", title="Shipping")
        kept = book.get(one.id)
        assert (kept.content, kept.status) == ("We ship on Tuesdays.", "superseded")
        assert "Tuesdays" in next(vault.rglob("shipping.md.*.md")).read_text()
        assert note.read_text().rstrip().endswith(new.content)


class TestTheVerbs:
    def test_forget_and_restore(self, vault: Path, book: Book) -> None:
        """A30."""
        saved = book.save("We ship on Fridays.", type="project", title="Shipping")
        note = note_of(vault, "shipping")
        before = note.read_text()
        book.forget(saved.id, reason="old")
        assert "\nstatus: deleted\n" in note.read_text()
        assert "\ndeleted_at: " in note.read_text()
        book.restore(saved.id)
        after = [line for line in note.read_text().splitlines() if not line.startswith("updated:")]
        assert after == [line for line in before.splitlines() if not line.startswith("updated:")]

    def test_evolving_twice_leaves_a_chain_that_can_be_read_and_undone(self, vault: Path, book: Book) -> None:
        """A37, A69."""
        first = book.save("Port 8080.", type="project", title="Port", kind="fix")
        second = book.evolve(first.id, "Port 9090.", reason="moved")
        third = book.evolve(second.id, "Port 7070.", reason="moved again")
        names = sorted(path.name for path in vault.rglob("port*.md"))
        day = third.created_at.strftime("%Y%m%d")
        assert names == ["port.md", f"port.md.{day}-2.md", f"port.md.{day}.md"]
        book.revert(book.history(third.id)[-1].id)
        assert book.get(second.id).status == "active"
        assert len([*vault.rglob("port*.md")]) == 3

    def test_purge_leaves_nothing_in_any_file(self, vault: Path) -> None:
        with commonplace.open(f"vault:{vault}", actor="alice") as book:
            saved = book.save("The xyzzy of Ann.", type="project", title="Xyzzy", tags=("xyzzy",))
        with commonplace.open(f"vault:{vault}", actor="alice") as book:
            book.purge(saved.id)
        left = [
            path
            for path in vault.rglob("*")
            if "xyzzy" in path.name or (path.is_file() and b"yzzy" in path.read_bytes())
        ]
        assert left == []

    def test_the_index_is_there_when_the_book_is_closed(self, vault: Path) -> None:
        """A17."""
        with commonplace.open(f"vault:{vault}", actor="alice") as book:
            book.save("We ship on Fridays.", type="project", title="Shipping", kind="workflow")
        index = (vault / "Agent" / "Memory" / "_index.md").read_text()
        assert "- [[Agent/Memory/workflow/shipping|Shipping]]" in index
        with commonplace.open(f"vault:{vault}", actor="alice") as book:
            assert book.stats().memories == 1

    def test_a_link_to_what_evolved_leads_to_its_successor(self, vault: Path, book: Book) -> None:
        """A27: in the note and in the memory."""
        old = book.save("Port 8080.", type="project", title="Port")
        other = book.save("See [[port]].", type="project", title="Other")
        new = book.evolve(old.id, "Port 9090.", reason="moved", title="New port")
        assert book.get(other.id).content == "See [[new-port]]."
        book.archive(other.id)
        assert "See [[new-port]]." in note_of(vault, "other").read_text()
        assert (other.id, new.id) in {(one.from_id, one.to_id) for one in book.explain(new.id).links}


def test_a_store_that_is_a_link_out_of_the_vault_is_not_written_through(
    vault: Path, book: Book, tmp_path: Path
) -> None:
    """R8, row 44: what is written there would not be seen again, because links are not followed when notes are read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (vault / "Agent").symlink_to(outside)
    with pytest.raises(InvalidError) as refused:
        book.save("We ship on Fridays.", type="project", title="Shipping")
    assert refused.value.code == "unsafe_path"
    assert [*outside.rglob("*")] == []
    assert book.list(statuses=EVERY) == []


def test_a_note_that_was_edited_since_the_last_look_is_not_written_over(
    vault: Path, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A36, A63, R3: also where the look before a write is left out because one was done a moment ago."""
    saved = book.save("We ship on Fridays.", type="project", title="Shipping")
    note = note_of(vault, "shipping")
    book.list()
    monkeypatch.setattr(settings, "FILE_LOOK_SHARE", 1e9)
    monkeypatch.setattr(settings, "FILE_LOOK_FEW", 0)
    written(note, note.read_text().replace("Fridays", "Mondays"))
    with pytest.raises(StaleError):
        book.archive(saved.id)
    assert "We ship on Mondays." in note.read_text()
    assert (book.get(saved.id).content, book.archive(saved.id).status) == ("We ship on Mondays.", "archived")
    assert "We ship on Mondays." in note_of(vault, "shipping").read_text()


def test_a_change_that_cannot_be_staged_whole_leaves_nothing_behind(
    vault: Path, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows 13, 14: the archived note was staged already when the disk was full."""
    saved = book.save("We ship on Fridays.", type="project", title="Shipping")
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    staged: list[str] = []

    def stage(path: str, data: BinaryIO) -> str:
        if staged:
            raise UnavailableError("the disk is full", code="disk_full")
        staged.append(swap.stage(path, data))
        return staged[0]

    monkeypatch.setattr(steps, "stage", stage)
    with pytest.raises(UnavailableError):
        book.evolve(saved.id, "We ship on Mondays.", reason="the customer asked")
    monkeypatch.setattr(steps, "stage", swap.stage)  # there is room again
    assert staged
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before
    assert book.evolve(saved.id, "We ship on Mondays.", reason="the customer asked").status == "active"
