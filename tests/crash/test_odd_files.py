"""Things that are not ordinary files where one is expected (rows 43, 44; R6, R8): each is answered in time, none is harmed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError, settings

from . import children
from .books import Template, book_in, every_memory, in_files, on_every_canon, on_file_canons, open_book, open_warm
from .children import Said, Say

SECONDS = 8.0


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_PATH)  # a socket's own name must be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def _device(name: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(f"/dev/{name}")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


ODD = {
    "pipe": _pipe,
    "socket": _socket,
    "folder": Path.mkdir,
    "endless device": _device("zero"),
    "full device": _device("full"),
    "null device": _device("null"),
    "link to itself": _loop,
    "terabyte of nothing": _sparse,
}


# What stands in each canon's folder where memories are kept, or beside them.
FILES = {"jsonl": "memories.jsonl", "ledger": "ledger.jsonl", "vault": "Agent/projects/atlas/project/odd.md"}


def _in_time(work: Callable[[], object]) -> list[Said]:
    def answer(say: Say) -> None:
        try:
            say({"answer": str(work())[:200]})
        except CommonplaceError as cause:
            say({"error": cause.kind})

    return children.run(answer, timeout=SECONDS)


@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_a_book_is_not_opened_on_something_that_is_no_file(place: Path, make: Callable[[Path], None]) -> None:
    make(place / "book.sqlite")
    before = os.lstat(place / "book.sqlite")
    said = _in_time(lambda: open_book(place))
    assert children.troubles(said) == []
    assert said[0]["error"] in ("corrupt", "unavailable", "invalid", "conflict")
    after = os.lstat(place / "book.sqlite")
    assert (before.st_ino, before.st_size, before.st_mode) == (after.st_ino, after.st_size, after.st_mode)


@on_file_canons
@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_something_odd_among_a_books_files_is_named_or_left_alone_and_the_others_are_served(
    place: Path, template: Template, scheme: str, make: Callable[[Path], None]
) -> None:
    """Rows 43, 44: never followed, never waited for, never read whole."""
    folder = template.copy(place / "book")
    open_warm(folder).close()
    odd = book_in(folder) / FILES[scheme]
    odd.unlink(missing_ok=True)
    make(odd)
    before = os.lstat(odd)
    said = _in_time(lambda: _served(folder, template))
    assert children.troubles(said) == []
    assert said[0].get("error") in (None, "corrupt", "unavailable", "invalid", "conflict", "too_large", "stale"), said
    after = os.lstat(odd)
    assert (before.st_ino, before.st_size, before.st_mode) == (after.st_ino, after.st_size, after.st_mode)


def _served(folder: Path, template: Template) -> int:
    with open_book(folder) as book:
        known = every_memory(book)
        assert known.keys() >= template.truth.keys(), "some are not served"
        return len(known)


@on_file_canons
@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_something_odd_in_the_journals_place_is_not_followed(
    place: Path, template: Template, make: Callable[[Path], None]
) -> None:
    folder = template.copy(place / "book")
    (journal,) = (book_in(folder) / ".commonplace").glob("journal-*.jsonl")
    journal.unlink()
    make(journal)
    before = os.lstat(journal)
    said = _in_time(lambda: open_book(folder).save("Into the book only.", type="project", project_id="atlas"))
    assert children.troubles(said) == []
    assert "error" in said[0]
    after = os.lstat(journal)
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)


@on_every_canon
@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_an_import_from_something_odd_ends_and_changes_nothing(
    place: Path, template: Template, make: Callable[[Path], None]
) -> None:
    folder = template.copy(place / "book")
    make(place / "odd")
    said = _in_time(lambda: open_book(folder).import_(str(place / "odd")))
    assert children.troubles(said) == []
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
        assert book.verify().ok


@on_every_canon
@pytest.mark.parametrize("verb", ["export", "backup"])
@pytest.mark.parametrize("make", ODD.values(), ids=ODD.keys())
def test_a_copy_never_goes_where_something_is(
    place: Path, template: Template, make: Callable[[Path], None], verb: str
) -> None:
    folder = template.copy(place / "book")
    make(place / "odd")
    said = _in_time(lambda: getattr(open_book(folder), verb)(str(place / "odd")))
    assert said == [{"error": "conflict"}]


@on_every_canon
@pytest.mark.parametrize("verb", ["export", "backup"])
def test_a_copy_into_a_folder_that_is_not_there_is_refused(place: Path, template: Template, verb: str) -> None:
    folder = template.copy(place / "book")
    said = _in_time(lambda: getattr(open_book(folder), verb)(str(place / "nowhere" / "copy")))
    assert said == [{"error": "unavailable"}]


def test_a_lock_file_that_is_a_link_is_not_followed(place: Path, template: Template) -> None:
    """Row 84: somebody put a link where our lock file goes; what it points to stays as it is."""
    folder = template.copy(place / "book")
    (place / "victim").write_bytes(b"precious")
    (folder / "book.sqlite.lock").unlink()
    (folder / "book.sqlite.lock").symlink_to(place / "victim")

    def write() -> str:
        with open_book(folder, timeout=1.0) as book:
            return book.save("Into the book only.", type="project", project_id="atlas").id

    said = _in_time(write)
    assert children.troubles(said) == []
    assert (place / "victim").read_bytes() == b"precious"


@on_every_canon
def test_the_temporary_folder_plays_no_part(place: Path, template: Template, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 22: unfinished files lie beside their target, so a TMPDIR that is elsewhere, full or gone does not matter."""
    folder = template.copy(place / "book")
    for name in ("TMPDIR", "SQLITE_TMPDIR"):
        monkeypatch.setenv(name, str(place / "not there"))

    def work() -> str:
        with open_book(folder) as book:
            book.export(str(place / "export.jsonl"))
            book.backup(str(place / "backup.sqlite"))
            return str(book.purge(template.ids[3]).complete)

    assert _in_time(work) == [{"answer": "True"}]


@on_every_canon
@pytest.mark.skipif(shutil.which("strace") is None, reason="NOT PROVED HERE: strace is not installed (row 23)")
def test_a_slow_disk_delays_only_its_own_writer(
    place: Path, template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 23: one writer's flush takes its time. Readers go by what is known, where files changed after a short wait; another
    writer is told at its own limit, and who asks again with the same key is told what became of it."""
    folder = template.copy(place / "book")
    open_warm(folder).close()
    flush = "fsync" if in_files() else "fdatasync"
    monkeypatch.setattr(settings, "FILE_LOOK_WAIT_SECONDS", 0.3)

    def slowly(book: Book) -> str:
        return book.save("Slowly.", type="project", project_id="atlas", idempotency_key="slowly").id

    def slow(say: Say) -> None:
        book = open_warm(folder)
        delay = ["-e", f"trace={flush}", "-e", f"inject={flush}:delay_enter=2500000:when=1"]
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", *delay, "-p", str(os.getpid())])
        while "TracerPid:\t0\n" in Path("/proc/self/status").read_text():
            pass
        say({"slow": True})
        say({"saved": slowly(book)})
        tracer.terminate()
        tracer.wait()

    writer = children.Child(slow)
    assert writer.listen(bool, 10.0)
    with open_book(folder, timeout=0.5) as book:
        time.sleep(0.3)  # until it is in its flush
        told = _in_time(lambda: slowly(book))
        with book._scribe.reading() as view:
            assert view.counts()["total"]["memories"] == len(template.truth)
        said = writer.finish(20.0)
        assert told == [{"error": "locked"}]
        assert said[-1]["saved"] in every_memory(book)
        assert slowly(book) == said[-1]["saved"]
        assert len(every_memory(book)) == len(template.truth) + 1
    writer.close()
