"""Backups made while others write, restored and compared (rows 133, 134; G10): a backup counts only once it was restored."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest

from commonplace import CommonplaceError

from .books import Template, book_in, every_memory, on_every_canon, open_book, remove, what_is_wrong
from .children import Child, Say
from .damage import look


def _load(folder: Path, say: Say) -> None:
    """A busy writer that says what it has just saved, until it is stopped."""
    with open_book(folder, actor="busy") as book:
        for n in range(100_000):
            saved = book.save(f"Under load {n}.", type="project", project_id="atlas")
            say({"seq": n, "id": saved.id})
            if n % 7 == 3:
                book.archive(saved.id, reason="load")
            time.sleep(0.001)


def _drill(place: Path, template: Template, backups: int) -> None:
    folder = template.copy(place / "book")
    writer = Child(lambda say: _load(folder, say))
    try:
        for n in range(backups):
            assert writer.listen(lambda said, least=10 * n: len(said) > least, 30.0)
            acknowledged = [line["id"] for line in writer.said]
            target = place / f"backup-{n}"
            target.mkdir()
            with open_book(folder) as book:
                report = book.backup(str(book_in(target)))
            assert report.verified
            _restores(folder, target, acknowledged, report.operations)
            remove(target)
    finally:
        writer.kill()
        writer.close()


def _restores(folder: Path, target: Path, acknowledged: list[str], operations: int) -> None:
    """The restored book is the live one at one moment: after the last acknowledged write, before any later one."""
    with open_book(target, create=False) as copy, open_book(folder) as live:
        assert what_is_wrong(copy) == []
        restored = every_memory(copy)
        assert set(acknowledged) <= restored.keys()
        told = copy.journal(limit=10**6)
        assert [op.id for op in told] == [op.id for op in live.journal(limit=10**6)][: len(told)]
        assert len(told) == operations
        assert copy.id == live.id
        for id, one in restored.items():
            now = live.get(id).to_dict()
            assert now == one or now["updated_at"] > one["updated_at"]


@on_every_canon
def test_five_backups_under_load_are_each_restored_and_compared(place: Path, template: Template) -> None:
    _drill(place, template, 5)


@pytest.mark.nightly
@on_every_canon
def test_a_hundred_backups_under_load_are_each_restored_and_compared(place: Path, template: Template) -> None:
    _drill(place, template, 100)


def test_the_control_that_copies_the_file_of_a_busy_book_is_found_incomplete(place: Path, template: Template) -> None:
    """`cp` takes the file without its log: what was acknowledged a moment ago is not in it."""
    folder = template.copy(place / "book")
    writer = Child(lambda say: _load(folder, say))
    assert writer.listen(lambda said: len(said) > 20, 30.0)
    acknowledged = {line["id"] for line in writer.said}
    (place / "copy").mkdir()
    shutil.copy(folder / "book.sqlite", place / "copy" / "book.sqlite")
    writer.kill()
    writer.close()
    with open_book(place / "copy") as copy:
        assert not acknowledged <= every_memory(copy).keys()


def test_a_backup_with_a_flipped_byte_is_found_out(place: Path, template: Template, rng: random.Random) -> None:
    """As with the book itself: found when it is opened or examined, or the byte meant nothing; the live book is untouched."""
    folder = template.copy(place / "book")
    (place / "backup").mkdir()
    with open_book(folder) as book:
        book.backup(str(place / "backup" / "book.sqlite"))
    whole = (place / "backup" / "book.sqlite").read_bytes()
    words = template.truth[template.ids[0]]["content"].encode()
    offsets = [whole.find(words) + 9, 20, *(rng.randrange(len(whole)) for _ in range(30))]
    found = 0
    for offset in offsets:
        spoilt = bytearray(whole)
        spoilt[offset] ^= rng.randrange(1, 256)
        (place / "backup" / "book.sqlite").write_bytes(spoilt)
        verdict = look(place / "backup", template.truth)
        assert verdict.problems == []
        found += verdict.detected
    assert found >= 2
    with open_book(folder) as book:
        assert every_memory(book) == template.truth


@pytest.mark.parametrize("length", [0, 1, 100, 4096, 100_000])
def test_a_truncated_backup_is_refused(place: Path, template: Template, length: int) -> None:
    (place / "backup").mkdir()
    with open_book(template.copy(place / "book")) as book:
        book.backup(str(place / "backup" / "book.sqlite"))
    whole = (place / "backup" / "book.sqlite").read_bytes()
    (place / "backup" / "book.sqlite").write_bytes(whole[:length])
    verdict = look(place / "backup", template.truth)
    assert verdict.problems == []
    assert verdict.detected


def test_a_restored_backup_is_the_same_kind_of_book(place: Path, template: Template) -> None:
    """Bytes 18 and 19 say how the file is written to: 2 is a write-ahead log, which all our promises rest on."""
    (place / "backup").mkdir()
    with open_book(template.copy(place / "book")) as book:
        book.backup(str(place / "backup" / "book.sqlite"))
    with open_book(place / "backup") as book:
        book.save("Life goes on in the copy.", type="project", project_id="atlas")
        assert (place / "backup" / "book.sqlite-wal").exists()
    assert (place / "backup" / "book.sqlite").read_bytes()[18:20] == b"\2\2"


@on_every_canon
def test_a_backup_never_replaces_what_is_there(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")
    (place / "precious").write_bytes(b"somebody's work")
    (place / "dangling").symlink_to(place / "nowhere")
    with open_book(folder) as book:
        for target in (place / "precious", place / "dangling", book_in(folder)):
            with pytest.raises(CommonplaceError) as refused:
                book.backup(str(target))
            assert refused.value.kind == "conflict"
    assert (place / "precious").read_bytes() == b"somebody's work"
    assert not (place / "nowhere").exists()
