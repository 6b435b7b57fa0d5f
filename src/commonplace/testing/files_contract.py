"""What every book in files promises beyond the canon's own contract: people may edit it, the catalog may be deleted.

class TestMine(FilesContract):
    def format(self):
        return MyFormat()
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from commonplace.catalog.sqlite.derived import CatalogHome
from commonplace.engine.book import Book
from commonplace.engine.scribe import Scribe
from commonplace.errors import CommonplaceError, TooLargeError, UnavailableError
from commonplace.formats.canon import FileCanon
from commonplace.formats.journal_file import Intent, JournalFile
from commonplace.formats.steps import Files
from commonplace.model.words import Entity, Status
from commonplace.seam.format import Format
from commonplace.storage.atomic_write import LocalFiles
from commonplace.testing.canon_contract import CanonContract
from commonplace.testing.state import state_of


class FilesContract(CanonContract):
    """Subclass, provide `format`, and you are done."""

    def format(self) -> Format:
        raise NotImplementedError

    def open_canon(self, where: Path) -> FileCanon:
        home = CatalogHome(str(where / "cache"), str(where / "book"), 5.0)
        return FileCanon(str(where / "book"), self.format(), home)

    def raw(self, where: Path) -> dict[str, bytes]:
        return {str(path.relative_to(where)): path.read_bytes() for path in where.rglob("*") if path.is_file()}

    def opened(self, where: Path) -> Book:
        return Book(Scribe(self.open_canon(where), files=LocalFiles))

    @pytest.fixture
    def book(self, tmp_path: Path) -> Iterator[Book]:
        with self.opened(tmp_path) as opened:
            yield opened

    @staticmethod
    def save(book: Book, content: str, **fields: Any) -> str:
        return book.save(content, type="project", scope="global", **fields).id

    @staticmethod
    def edit(where: Path, old: str, new: str) -> None:
        """As a person would in an editor: in whichever file of the book it stands."""
        touched = 0
        for path in (where / "book").rglob("*"):
            if path.is_file() and ".commonplace" not in path.parts and old.encode() in path.read_bytes():
                path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))
                touched += 1
        assert touched

    def test_a_persons_edit_is_honoured_on_the_next_call_and_journalled(self, book: Book, tmp_path: Path) -> None:
        """V19, X-2."""
        id = self.save(book, "The gate opens at seven.")
        self.edit(tmp_path, "at seven", "at eight")
        assert book.get(id).content == "The gate opens at eight."
        edit = book.history(id)[-1]
        assert (edit.verb, edit.actor, edit.surface) == ("edit", "operator", "files")
        assert book.search("gate eight").results[0].record.id == id

    def test_what_a_person_edited_can_be_seen_as_it_was_and_reverted(self, book: Book, tmp_path: Path) -> None:
        id = self.save(book, "The gate opens at seven.")
        self.edit(tmp_path, "at seven", "at eight")
        edit = book.history(id)[-1]
        book.revert(edit.id)
        assert book.get(id).content == "The gate opens at seven."
        assert b"at seven" in b"".join(self.files(tmp_path).values())

    @staticmethod
    def files(where: Path) -> dict[str, bytes]:
        """The book's own files, without the journal beside them."""
        return {
            str(path.relative_to(where)): path.read_bytes()
            for path in (where / "book").rglob("*")
            if path.is_file() and ".commonplace" not in path.parts
        }

    def test_a_deleted_catalog_is_rebuilt_with_the_same_answers(self, tmp_path: Path) -> None:
        """X-1."""
        with self.opened(tmp_path) as book:
            one = self.save(book, "The gate opens at seven.", idempotency_key="k")
            two = self.save(book, "The gate closes at nine.", tags=["hours"])
            book.link(one, two, "supports")
            three = book.evolve(two, "The gate closes at ten.", reason="summer").id
            book.forget(one)
            self.edit(tmp_path, "at ten", "at eleven")
            before = state_of(book._scribe.canon)
            found = [result.record.id for result in book.search("gate closes")]
        shutil.rmtree(tmp_path / "cache")
        with self.opened(tmp_path) as book:
            assert state_of(book._scribe.canon) == before
            assert [result.record.id for result in book.search("gate closes")] == found == [three]
            assert book.verify().ok
            assert book.save("The gate opens at seven.", type="project", scope="global", idempotency_key="k").id == one

    def test_looking_again_opens_no_file(self, book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
        self.save(book, "The gate opens at seven.")
        book.list()
        with monkeypatch.context() as blind:
            blind.setattr(Files, "read", None)
            assert len(book.list()) == 1

    def test_reading_a_folder_changes_no_byte_of_it(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
            self.save(book, "The gate closes at nine.")
        shutil.rmtree(tmp_path / "book" / ".commonplace")
        shutil.rmtree(tmp_path / "cache")
        before = self.raw(tmp_path)
        with self.opened(tmp_path) as book:
            assert sorted(record.content for record in book.list()) == [
                "The gate closes at nine.",
                "The gate opens at seven.",
            ]
            assert book.search("gate opens").results
            book.doctor()
        after = {name: raw for name, raw in self.raw(tmp_path).items() if not name.startswith("cache")}
        assert after == before

    def test_what_was_found_has_the_same_id_after_a_rebuild(self, tmp_path: Path) -> None:
        """Also where nothing but the files is left."""
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
        ids = []
        for _ in range(2):
            shutil.rmtree(tmp_path / "cache")
            shutil.rmtree(tmp_path / "book" / ".commonplace", ignore_errors=True)
            with self.opened(tmp_path) as book:
                ids.append([record.id for record in book.list()])
        assert ids[0] == ids[1] != []

    def test_a_new_entry_where_another_once_stood_is_another_memory(self, tmp_path: Path) -> None:
        """Also where nothing but their places tells them apart, and the first lives on."""
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
        shutil.rmtree(tmp_path / "cache")
        shutil.rmtree(tmp_path / "book" / ".commonplace")
        with self.opened(tmp_path) as book:
            kept = self.files(tmp_path)
            ids = [[record.id for record in book.list()]]
            for hour in ("eight", "nine"):
                self.take_out(tmp_path, b"The gate")
                book.list()
                for name, raw in kept.items():
                    (tmp_path / name).write_bytes(raw.replace(b"seven", hour.encode()))
                ids.append([record.id for record in book.list()])
            assert all(len(one) == 1 for one in ids)
            assert book.verify().ok

    def test_what_a_person_takes_out_is_deleted_and_comes_back_when_put_back(self, book: Book, tmp_path: Path) -> None:
        id = self.save(book, "The gate opens at seven.")
        self.save(book, "The lamp is green.")
        book.list()
        kept = self.files(tmp_path)
        self.take_out(tmp_path)
        assert book.get(id).status is Status.DELETED
        assert [record.content for record in book.list()] == ["The lamp is green."]
        for name, raw in kept.items():
            (tmp_path / name).write_bytes(raw)
        assert book.get(id).status is Status.ACTIVE

    def test_a_file_that_is_suddenly_empty_takes_nothing_out(self, book: Book, tmp_path: Path) -> None:
        """R4, row 50."""
        id = self.save(book, "The gate opens at seven.")
        book.list()
        kept = self.files(tmp_path)
        for name in kept:
            (tmp_path / name).write_bytes(b"")
        assert book.get(id).status is Status.ACTIVE
        for name, raw in kept.items():
            (tmp_path / name).write_bytes(raw)
        assert [operation.verb for operation in book.history(id)] == ["save"]

    def take_out(self, where: Path, words: bytes = b"seven") -> None:
        """Everything that says so."""
        for name, raw in self.files(where).items():
            lines = [line for line in raw.splitlines(keepends=True) if words not in line]
            if name.endswith(".jsonl"):
                (where / name).write_bytes(b"".join(lines) or b"\n")
            elif words in raw:
                (where / name).unlink()

    def test_a_change_that_was_cut_off_behind_the_journal_is_finished_by_whoever_comes_next(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Row 2."""
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
            with monkeypatch.context() as broken:
                broken.setattr(Files, "carry_out", _cut_off)
                with pytest.raises(KeyboardInterrupt):
                    self.save(book, "The gate closes at nine.")
            assert b"at nine" not in b"".join(
                raw for name, raw in self.files(tmp_path).items() if "partial" not in name
            )
        with self.opened(tmp_path) as book:
            assert len(book.list()) == 2
            assert book.verify().ok
        assert b"at nine" in b"".join(self.files(tmp_path).values())
        assert not [name for name in self.raw(tmp_path) if "partial" in name]

    @pytest.mark.parametrize("catalog", ["kept", "lost"])
    @pytest.mark.parametrize("done", [0, 1, 2])
    @pytest.mark.parametrize("verb", ["evolve", "archive", "forget", "restore"])
    def test_whoever_finishes_what_was_cut_off_adds_nothing_of_their_own(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, done: int, catalog: str
    ) -> None:
        """Rows 2, 4: also where the catalog, which is not flushed, went with the power. Nobody edited anything."""
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
            id = self.save(book, "The gate closes at nine.")
            if verb == "restore":
                book.archive(id)
            with monkeypatch.context() as broken:
                broken.setattr(Files, "_done", _cut_off_after(done))
                with suppress(KeyboardInterrupt):
                    asked = {"content": "The gate closes at ten."} if verb == "evolve" else {}
                    getattr(book, verb)(id, reason="summer", **asked)
        if catalog == "lost":
            shutil.rmtree(tmp_path / "cache")
        with self.opened(tmp_path) as book:
            verbs = [str(operation.verb) for operation in book.journal(limit=10)]
            assert sorted(verbs) == sorted(["save", "save", *["archive"] * (verb == "restore"), verb])
            assert book.verify().ok
            assert not [one for one in book.doctor().findings if one.severity == "error"]
        assert not [name for name in self.raw(tmp_path) if "partial" in name]

    def test_a_purge_whose_journal_stands_but_could_not_be_flushed_is_finished_by_whoever_comes_next(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """R2, R12: the error was told, and the words are gone all the same."""
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
            id = self.save(book, "The gate closes at nine.")
            with monkeypatch.context() as broken:
                broken.setattr("commonplace.storage.atomic_write.flush_folder", _fail)
                with pytest.raises(UnavailableError):
                    book.purge(id)
        with self.opened(tmp_path) as book:
            assert [str(operation.verb) for operation in book.journal()] == ["save", "save", "purge"]
            assert not book.doctor().findings
        assert b"at nine" not in b"".join(self.raw(tmp_path / "book").values())

    def test_an_interrupt_right_behind_the_journal_leaves_what_the_next_one_needs(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """R2."""
        with self.opened(tmp_path) as book:
            id = self.save(book, "The gate closes at nine.")
            with monkeypatch.context() as broken:
                broken.setattr(JournalFile, "append", _and_interrupted(JournalFile.append))
                with pytest.raises(KeyboardInterrupt):
                    book.evolve(id, "The gate closes at ten.", reason="summer")
            assert [record.content for record in book.list()] == ["The gate closes at ten."]
            assert [str(operation.verb) for operation in book.journal()] == ["save", "evolve"]
            assert book.verify().ok

    def test_a_change_that_was_cut_off_before_the_journal_said_it_never_happened(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
            before = self.raw(tmp_path / "book")
            with monkeypatch.context() as broken:
                broken.setattr("commonplace.formats.journal_file.append_lines", _cut_off)
                with pytest.raises(KeyboardInterrupt):
                    self.save(book, "The gate closes at nine.")
            assert len(book.list()) == 1
            assert self.raw(tmp_path / "book") == before
            self.save(book, "The gate closes at nine.")
            assert book.verify().ok

    @pytest.mark.parametrize("length", [2, 40, 400])
    def test_a_torn_end_of_the_journal_is_left_out_and_named(self, tmp_path: Path, length: int) -> None:
        """Row 27."""
        with self.opened(tmp_path) as book:
            id = self.save(book, "The gate opens at seven.")
        journal = next((tmp_path / "book" / ".commonplace").glob("journal-*.jsonl"))
        journal.write_bytes(journal.read_bytes() + journal.read_bytes()[-length:-1])
        with self.opened(tmp_path) as book:
            assert [record.id for record in book.list()] == [id]
            assert book.verify().ok
            other = self.save(book, "The gate closes at nine.")
            assert {finding.code for finding in book.doctor().findings} & {"left_over", "corrupt"}
        shutil.rmtree(tmp_path / "cache")
        with self.opened(tmp_path) as book:
            assert [record.id for record in book.list()] == [other, id]
            assert book.verify().ok

    def test_what_would_be_too_large_to_be_read_again_is_refused_and_the_book_goes_on(
        self, book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Row 10."""
        id = self.save(book, "The gate opens at seven.")
        before = self.raw(tmp_path / "book")
        with monkeypatch.context() as small:
            format = book._scribe.canon._format  # type: ignore[attr-defined]
            small.setattr(format, "largest", max(map(len, self.files(tmp_path).values())) + 500, raising=False)
            with pytest.raises(TooLargeError):
                self.save(book, "The gate. " * 200)
            assert [record.id for record in book.list()] == [id]
        assert self.raw(tmp_path / "book") == before
        self.save(book, "The gate closes at nine.")

    def test_a_purge_leaves_nothing_in_any_file(self, book: Book, tmp_path: Path) -> None:
        """R12, row 126."""
        id = self.save(book, "The xylophonecanary sings.", idempotency_key="k")
        self.save(book, "The gate opens at seven.")
        self.edit(tmp_path, "xylophonecanary", "xylophonecanaryagain")
        book.list()
        book.purge(id)
        assert not [name for name, raw in self.raw(tmp_path).items() if b"xylophonecanary" in raw]
        assert len(book.list()) == 1
        assert book.verify().ok

    def test_what_was_purged_stays_purged_after_a_rebuild(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as book:
            id = self.save(book, "The xylophonecanary sings.")
            book.purge(id)
        shutil.rmtree(tmp_path / "cache")
        with self.opened(tmp_path) as book:
            assert not book.list()
            with book._scribe.reading() as view:
                assert view.is_purged(id)
                assert [*view.ids(Entity.MEMORY)] == []

    def test_the_history_of_what_was_purged_is_the_same_after_a_rebuild(self, book: Book, tmp_path: Path) -> None:
        """The catalog is derived, also here: an entry without its payload still names what it was about."""
        id, other, third = (self.save(book, f"The gate opens at {hour}.") for hour in ("seven", "eight", "nine"))
        book.link(id, other, "supports")
        book.contradict(other, id, reason="two hours")
        later = book.evolve(third, "The gate opens at noon.", reason="it was changed").id
        book.purge(id)
        book.purge(later)
        asked = (id, other, third, later)
        before = [book.history(one) for one in asked]
        assert [str(entry.verb) for entry in before[0]] == ["save", "link", "contradict", "purge"]
        assert [str(entry.verb) for entry in before[2]] == ["save", "evolve"]
        shutil.rmtree(tmp_path / "cache")
        with self.opened(tmp_path) as again:
            assert [again.history(one) for one in asked] == before
            assert again.verify().ok

    def test_whoever_reads_while_somebody_purges_does_not_throw_the_catalog_away(
        self, book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The journal is told of a purge before the catalog is. Receipts and vectors lie in the catalog alone."""
        id = self.save(book, "The xylophonecanary sings.")
        self.save(book, "The gate opens at seven.")
        kept = book.search("gate").receipt_id
        carry_out, seen = Files.carry_out, []

        with self.opened(tmp_path) as other:
            reader = threading.Thread(target=lambda: seen.append(len(other.list())))

            def carried_out_while_somebody_reads(files: Files, intents: Any) -> Any:
                monkeypatch.setattr(Files, "carry_out", carry_out)
                reader.start()
                reader.join(0.2)
                return carry_out(files, intents)

            monkeypatch.setattr(Files, "carry_out", carried_out_while_somebody_reads)
            book.purge(id)
            reader.join()
            assert seen in ([1], [2])
            assert len(other.list()) == 1
            assert [receipt.id for receipt in other.receipts()] == [kept]
        assert [receipt.id for receipt in book.receipts()] == [kept]

    def test_a_catalog_that_was_taken_away_is_let_go_of(self, book: Book, tmp_path: Path) -> None:
        id = self.save(book, "The gate opens at seven.")
        shutil.rmtree(tmp_path / "cache")
        assert book.get(id).content == "The gate opens at seven."
        mine = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_open(fd)]
        assert not [path for path in mine if path.startswith(str(tmp_path)) and path.endswith("(deleted)")]

    def test_what_was_purged_does_not_come_back_by_a_file_that_was_put_back(self, book: Book, tmp_path: Path) -> None:
        """R12: not by import, sync or restore."""
        id = self.save(book, "The xylophonecanary sings.")
        self.save(book, "The gate opens at seven.")
        kept = self.files(tmp_path)
        book.purge(id)
        for name, raw in kept.items():
            (tmp_path / name).write_bytes(raw)
        assert [record.content for record in book.list()] == ["The gate opens at seven."]
        assert any("purged" in finding.message for finding in book.doctor().findings)

    @pytest.mark.parametrize("verb", ["purge", "forget", "archive"])
    def test_another_who_writes_to_a_shared_file_at_the_same_moment_loses_nothing_and_undoes_nothing(
        self, book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
    ) -> None:
        """Row 47, where one file holds many memories: somebody edits one of them while we change another."""
        id = self.save(book, "The xylophonecanary sings.")
        other = self.save(book, "The gate opens at seven.")
        stage = Files.stage

        def staged_while_somebody_writes(files: Files, steps: Any) -> Any:
            done = stage(files, steps)
            if steps:
                monkeypatch.setattr(Files, "stage", stage)
                self.edit(tmp_path, "at seven", "at eight")
            return done

        monkeypatch.setattr(Files, "stage", staged_while_somebody_writes)
        getattr(book, verb)(id)
        if Files.stage is not stage:  # this format writes nothing for it
            self.edit(tmp_path, "at seven", "at eight")
        assert book.get(other).content == "The gate opens at eight."
        assert [record.id for record in book.list()] == [other]
        assert not [name for name in self.files(tmp_path) if "conflicted" in name]
        if verb == "purge":
            assert not [name for name, raw in self.raw(tmp_path).items() if b"xylophonecanary" in raw]

    def test_a_lost_journal_is_written_anew_from_what_is_known(self, book: Book, tmp_path: Path) -> None:
        id = self.save(book, "The gate opens at seven.")
        shutil.rmtree(tmp_path / "book" / ".commonplace")
        self.save(book, "The gate closes at nine.")
        assert len(book.history(id)) == 1
        shutil.rmtree(tmp_path / "cache")
        with self.opened(tmp_path) as again:
            assert len(again.list()) == 2
            assert [operation.verb for operation in again.history(id)] == ["save"]

    def test_a_folder_that_vanished_is_not_taken_for_a_new_book(self, tmp_path: Path) -> None:
        """R4."""
        with self.opened(tmp_path) as book:
            self.save(book, "The gate opens at seven.")
        (tmp_path / "book").rename(tmp_path / "elsewhere")
        if self.format().may_vanish:  # V19, V20
            with self.opened(tmp_path) as book:
                assert not book.list()
            return
        with pytest.raises(UnavailableError) as refused:
            self.open_canon(tmp_path)
        assert refused.value.code == "missing"
        assert not (tmp_path / "book").exists()

    def test_a_folder_that_was_moved_keeps_its_ids_and_its_history(self, tmp_path: Path) -> None:
        """Row 52."""
        with self.opened(tmp_path) as book:
            id = self.save(book, "The gate opens at seven.")
        (tmp_path / "there").mkdir()
        (tmp_path / "book").rename(tmp_path / "there" / "book")
        with self.opened(tmp_path / "there") as book:
            assert [record.id for record in book.list()] == [id]
            assert [operation.verb for operation in book.history(id)] == ["save"]

    def test_another_device_begins_with_the_history_that_is_there(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with self.opened(tmp_path) as book:
            id = self.save(book, "The gate opens at seven.")
        shutil.rmtree(tmp_path / "cache")
        monkeypatch.setattr("commonplace.formats.journal_file.device", lambda: "deadbeef")
        monkeypatch.setattr("commonplace.formats.canon.device", lambda: "deadbeef")
        with self.opened(tmp_path) as book:
            assert [record.id for record in book.list()] == [id]
            self.save(book, "The gate closes at nine.")
            assert [operation.verb for operation in book.history(id)] == ["save"]
            assert book.verify().ok
        assert len([*(tmp_path / "book" / ".commonplace").glob("journal-*.jsonl")]) == 2

    def test_a_damaged_catalog_is_put_aside_and_made_anew(self, tmp_path: Path) -> None:
        """Row 39."""
        with self.opened(tmp_path) as book:
            id = self.save(book, "The gate opens at seven.")
        for path in (tmp_path / "cache").rglob("catalog.sqlite"):
            path.write_bytes(b"garbage")
        with self.opened(tmp_path) as book:
            assert [record.id for record in book.list()] == [id]

    def test_a_backup_is_the_folder_as_it_was(self, book: Book, tmp_path: Path) -> None:
        self.save(book, "The gate opens at seven.")
        report = book.backup(str(tmp_path / "copy"))
        assert report.verified
        assert report.memories == 1
        assert {name.partition("/")[2]: raw for name, raw in self.files(tmp_path).items()} == {
            str(path.relative_to(tmp_path / "copy")): path.read_bytes()
            for path in (tmp_path / "copy").rglob("*")
            if path.is_file() and ".commonplace" not in path.parts
        }

    def test_odd_bytes_in_its_files_never_stop_the_others(self, book: Book, tmp_path: Path) -> None:
        """Rows 28, 29, 32."""
        self.save(book, "The gate opens at seven.")
        for name, raw in self.files(tmp_path).items():
            for odd in (b"\xff\xfe\x00garbage", b"null\n", b"[]\n", b"\xe9\n", b"{" * 5000 + b"\n"):
                (tmp_path / name).write_bytes(raw + odd)
                try:
                    book.list()
                except CommonplaceError as refused:
                    pytest.fail(f"{name}: {refused.message}")
            (tmp_path / name).write_bytes(raw)
        assert [record.content for record in book.list()] == ["The gate opens at seven."]


def _cut_off(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _fail(path: str) -> None:
    raise OSError(5, "no flush here", path)


def _and_interrupted(write: Callable[..., int]) -> Callable[..., int]:
    def written(*arguments: Any) -> int:
        write(*arguments)
        raise KeyboardInterrupt

    return written


def _cut_off_after(steps: int) -> Callable[[Files, Intent], bool]:
    """The first so many steps are done, and then there is no power."""
    done = Files._done
    left = iter(range(steps))

    def step(files: Files, intent: Intent) -> bool:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return done(files, intent)

    return step


def _is_open(fd: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{fd}")
