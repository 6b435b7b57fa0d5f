"""What every canon promises: durable or not at all, one writer at a time, readers never blocked, honest about itself.

A canon's test file is short:

    class TestMine(CanonContract):
        def open_canon(self, where):
            return MyCanon(where / "book")

        def raw(self, where):
            return files_under(where)

Where a canon cannot do something it declares so in `capabilities`, and the same test then asks that it says no properly:
`UnavailableError` with the code `unsupported`, or `NotSearchedError` for words, and nothing changed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.errors import ConflictError, LockedError, UnavailableError
from commonplace.model.filter import Filter
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.testing.journal_contract import CatalogContract
from commonplace.testing.makers import a_full_memory, a_link, a_memory, a_signature
from commonplace.testing.queue_contract import QueueContract
from commonplace.testing.reading_contract import ANY
from commonplace.testing.state import state_of
from commonplace.testing.verb_contract import VerbContract


class CanonContract(CatalogContract, QueueContract, VerbContract):
    """Subclass, provide `open_canon` and `raw`, and you are done."""

    def open_canon(self, where: Path) -> Canon:
        """The canon that lies in this folder; made if there is none, the same one if there is."""
        raise NotImplementedError

    def raw(self, where: Path) -> dict[str, bytes]:
        """Every byte the canon keeps in this folder, read behind its back."""
        raise NotImplementedError

    def open_catalog(self, where: Path) -> Canon:
        return self.open_canon(where)

    @pytest.fixture
    def canon(self, tmp_path: Path) -> Iterator[Canon]:
        opened = self.open_canon(tmp_path)
        yield opened
        opened.close()

    def test_what_was_written_is_there_after_reopening(self, tmp_path: Path) -> None:
        first = self.open_canon(tmp_path)
        self.put(first, a_full_memory(), a_memory())
        before = state_of(first)
        first.close()
        again = self.open_canon(tmp_path)
        assert state_of(again) == before
        again.close()

    def test_what_was_written_is_on_disk_when_writing_ends(self, canon: Canon, tmp_path: Path) -> None:
        """Not when the canon is closed."""
        self.put(canon, a_memory("xylophonecanary"))
        assert any(b"xylophonecanary" in content for content in self.raw(tmp_path).values())

    def test_an_interrupted_change_leaves_no_byte_that_a_reader_gets(self, canon: Canon, tmp_path: Path) -> None:
        self.put(canon, a_memory())
        before = state_of(canon)
        with pytest.raises(KeyboardInterrupt), canon.writing(5) as draft:  # noqa: PT012 - the block is what is undone
            draft.commit(a_signature(), [(Entity.MEMORY, None, a_memory())])
            raise KeyboardInterrupt
        other = self.open_canon(tmp_path)
        assert state_of(canon) == state_of(other) == before
        other.close()

    def test_writers_exclude_each_other(self, canon: Canon, tmp_path: Path) -> None:
        other = self.open_canon(tmp_path)
        with canon.writing(5), pytest.raises(LockedError) as refused, other.writing(0.05):
            pass  # pragma: no cover - nobody gets here
        assert (refused.value.kind, refused.value.retryable) == ("locked", True)
        self.put(other, a_memory())
        other.close()

    def test_a_waiting_writer_gets_its_turn(self, canon: Canon, tmp_path: Path) -> None:
        if not canon.capabilities.concurrent_writers:
            return
        other, waiting, done = self.open_canon(tmp_path), threading.Event(), threading.Event()

        def write() -> None:
            waiting.set()
            self.put(other, a_memory())
            done.set()

        with canon.writing(5):
            thread = threading.Thread(target=write)
            thread.start()
            waiting.wait(5)
            assert not done.wait(0.05)
        assert done.wait(5)
        thread.join()
        other.close()

    def test_many_writers_lose_nothing(self, canon: Canon, tmp_path: Path) -> None:
        if not canon.capabilities.concurrent_writers:
            return
        others = [self.open_canon(tmp_path) for _ in range(3)]
        records = [[a_memory() for _ in range(8)] for _ in others]

        def write(other: Canon, mine: list[object]) -> None:
            for record in mine:
                self.put(other, record)  # type: ignore[arg-type]

        threads = [threading.Thread(target=write, args=pair) for pair in zip(others, records, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with canon.reading() as view:
            order = [operation.changes[0].id for operation in view.operations()]
            assert all(entry.is_sound() for entry in view.chain())
        for mine in records:
            ids = [record.id for record in mine]
            assert [id for id in order if id in ids] == ids
        for other in others:
            other.close()

    def test_readers_are_not_blocked_by_a_writer(self, canon: Canon, tmp_path: Path) -> None:
        record, other = a_memory(), self.open_canon(tmp_path)
        self.put(canon, record)
        with canon.writing(5), other.reading() as view:
            assert view.memory(record.id) == record
        other.close()

    def test_it_knows_itself(self, canon: Canon, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        same, another = self.open_canon(tmp_path), self.open_canon(tmp_path / "elsewhere")
        assert canon.book_id == same.book_id != another.book_id
        assert canon.url == same.url != another.url
        assert ":" in canon.url
        assert canon.format_version >= 1
        assert canon.lost() == 0
        same.close()
        another.close()

    @pytest.mark.parametrize("full", [False, True])
    def test_a_healthy_book_has_nothing_to_complain_of(self, canon: Canon, full: bool) -> None:
        self.put(canon, a_full_memory(), a_memory())
        told: list[tuple[int, int]] = []
        assert [*canon.examine(full=full, progress=lambda done, total: told.append((done, total)))] == []
        assert told

    def test_making_the_index_anew_changes_no_answer(self, canon: Canon) -> None:
        self.put(canon, a_memory("A falcon."), a_full_memory())
        before = state_of(canon)
        canon.rebuild_index()
        assert state_of(canon) == before
        if canon.capabilities.full_text:
            with canon.reading() as view:
                assert len(view.words(("falcon",), ANY, 10)) == 1

    def test_settling_changes_no_answer(self, canon: Canon) -> None:
        """What waits beside the index is found like what is in it, in the same order."""
        if not canon.capabilities.full_text:
            return
        kept, moved, away = a_memory("A falcon."), a_memory("A falcon too."), a_memory("Another falcon.")
        self.put(canon, kept, moved, away)
        canon.settle(5)
        self.change(canon, moved, moved.with_(content="A sparrow."), "edit")
        self.change(canon, away, away.with_(status="archived"))
        self.put(canon, a_memory("The last falcon.", title="falcon"))
        found = []
        for _ in range(2):
            with canon.reading() as view:
                found.append([record.content for record, _ in view.words(("falcon",), Filter(), 10)])
            canon.settle(5)
        assert {*found[0]} == {*found[1]} == {"A falcon.", "The last falcon."}
        assert [*canon.examine(full=True)] == []

    def test_a_backup_is_the_whole_book(self, canon: Canon, tmp_path: Path) -> None:
        self.put(canon, a_full_memory(), a_memory())
        copy = canon.backup(str(tmp_path / "copy"))
        assert state_of(copy) == state_of(canon)
        assert copy.book_id == canon.book_id
        copy.close()

    def test_a_backup_replaces_nothing(self, canon: Canon, tmp_path: Path) -> None:
        (tmp_path / "copy").write_bytes(b"precious")
        with pytest.raises(ConflictError):
            canon.backup(str(tmp_path / "copy"))
        assert (tmp_path / "copy").read_bytes() == b"precious"

    def test_it_takes_room(self, canon: Canon) -> None:
        before = canon.size()
        self.put(canon, *(a_memory("word " * 2_000) for _ in range(20)))
        assert canon.size() > before >= 0

    def test_closing_twice_is_closing_once(self, tmp_path: Path) -> None:
        canon = self.open_canon(tmp_path)
        canon.close()
        canon.close()

    def test_what_was_erased_and_scrubbed_is_in_no_file(self, canon: Canon, tmp_path: Path) -> None:
        if not canon.capabilities.purge:
            return  # that it refuses is tested with erasing
        canary = "xylophonecanary"
        fields = {"title": canary, "summary": canary, "tags": (canary,), "aliases": (canary,), "evidence_ref": canary}
        gone = a_memory(f"The {canary}.", **fields)
        self.put(canon, gone, a_memory())
        self.change(canon, gone, gone.with_(status="archived", status_reason=canary))
        assert any(canary.encode() in content for content in self.raw(tmp_path).values())
        with canon.writing(5) as draft:
            draft.erase(a_signature("purge"), [gone.id], [])
        assert canon.scrub(5) == []
        assert [name for name, content in self.raw(tmp_path).items() if canary.encode() in content] == []

    def test_links_are_kept_or_refused(self, canon: Canon) -> None:
        one, other = a_memory(), a_memory()
        self.put(canon, one, other)
        if canon.capabilities.keeps_links:
            self.put(canon, a_link(one, "supports", other))
            return
        before = state_of(canon)
        with pytest.raises(UnavailableError) as refused:
            self.put(canon, a_link(one, "supports", other))
        assert refused.value.code == "unsupported"
        assert state_of(canon) == before
