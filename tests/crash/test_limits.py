"""Memory and descriptors that run out (rows 10, 20, 43; R6): work is bounded, or refused with a reason; nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError

from . import children
from .books import (
    IN_FILES,
    Template,
    every_memory,
    furnish,
    in_files,
    on_every_canon,
    open_book,
    open_warm,
    url_in,
    what_is_wrong,
)
from .children import Say

MEGABYTE = 1 << 20


def _peak() -> int:
    """The most memory this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _limit_memory(extra: int) -> None:
    """Allow this process so much more address space than it has now."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + extra, now + extra))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book whose texts together are much larger than what a bounded export may use: 40 MB of them."""
    folder = tmp_path_factory.mktemp("wide")
    lines = folder / "lines.jsonl"
    with open_book(folder) as book:
        furnish(book, 12)
        base = book.list(limit=1)[0].to_dict()
        _write_lines(lines, base, 700, 60_000)
        assert book.import_(str(lines)).added == {"memory": 700}
    lines.unlink()
    return folder


def _write_lines(target: Path, base: dict, number: int, size: int) -> None:
    from commonplace.model.fingerprint import fingerprint

    with target.open("w", encoding="utf-8") as file:
        for n in range(number):
            content = f"Wide {n}: " + "some words again and again " * (size // 27)
            made = {
                **base,
                "id": f"WIDE{n:022d}",
                "content": content,
                "fingerprint": fingerprint(content),
                "aliases": [],
            }
            file.write(json.dumps({"memory": made}) + "\n")


def test_an_export_needs_little_memory_however_big_the_book_is(wide: Path, place: Path) -> None:
    def work(say: Say) -> None:
        with open_book(wide) as book:
            book.list(limit=1)
            before = _resident()
            lines = book.export(str(place / "export.jsonl")).lines
            say({"lines": lines, "grew": _peak() - before if _peak() > before else 0})

    said = children.run(work, timeout=60.0)
    assert children.troubles(said) == []
    size = (place / "export.jsonl").stat().st_size
    print(f"{size / MEGABYTE:.0f} MB exported, memory grew by {said[0]['grew'] / MEGABYTE:.1f} MB")
    assert said[0]["lines"] > 1_400
    assert size > 60 * MEGABYTE
    assert said[0]["grew"] < 24 * MEGABYTE


def test_an_import_needs_little_memory_however_big_the_file_is(wide: Path, place: Path) -> None:
    with open_book(wide) as book:
        book.export(str(place / "export.jsonl"))
        expected = book.stats().memories

    def work(say: Say) -> None:
        with open_book(place / "new") as book:
            before = _resident()
            report = book.import_(str(place / "export.jsonl"))
            say({"complete": report.complete, "grew": max(0, _peak() - before), "memories": book.stats().memories})

    said = children.run(work, timeout=120.0)
    assert children.troubles(said) == []
    print(f"memory grew by {said[0]['grew'] / MEGABYTE:.1f} MB")
    assert said[0]["memories"] == expected
    assert said[0]["grew"] < 64 * MEGABYTE


def test_a_purge_needs_little_memory_however_big_the_book_is(wide: Path, place: Path) -> None:
    """It rewrites the whole file; that has to happen on the disk, not in memory."""
    shutil.copytree(wide, place / "wide")

    def work(say: Say) -> None:
        with open_book(place / "wide") as book:
            id = book.list(limit=1)[0].id
            before = _resident()
            say({"complete": book.purge(id).complete, "grew": max(0, _peak() - before)})

    said = children.run(work, timeout=60.0)
    assert children.troubles(said) == []
    print(f"memory grew by {said[0]['grew'] / MEGABYTE:.1f} MB")
    assert said[0]["complete"]
    assert said[0]["grew"] < 32 * MEGABYTE


def _endless_line(target: Path, good: bytes) -> None:
    """Good lines around one line of 200 MB, which costs the disk nothing."""
    with target.open("wb") as file:
        file.write(good.splitlines(keepends=True)[0])
        file.write(b'{"memory": {"content": "')
        file.seek(200 * MEGABYTE, os.SEEK_CUR)
        file.write(b'"}}\n')
        file.writelines(good.splitlines(keepends=True)[1:])


@pytest.mark.parametrize(
    "scheme", ["jsonl", *(pytest.param(one, marks=pytest.mark.nightly) for one in IN_FILES[1:])], indirect=True
)
def test_an_import_into_files_needs_little_memory_however_big_the_file_is(place: Path, template: Template) -> None:
    """Row 10: what was taken in is on disk and out of the way."""
    folder = template.copy(place / "book")
    _write_lines(place / "lines.jsonl", template.truth[template.ids[0]], 700, 60_000)

    def work(say: Say) -> None:
        with open_warm(folder) as book:
            _limit_memory(80 * MEGABYTE)
            say({"added": book.import_(str(place / "lines.jsonl")).added, "memories": book.stats().memories})

    said = children.run(work, timeout=120.0)
    assert (place / "lines.jsonl").stat().st_size > 40 * MEGABYTE
    assert said == [{"added": {"memory": 700}, "memories": len(template.truth) + 700}]


_IMPORT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
import commonplace
with commonplace.open(sys.argv[1]) as book:
    print(book.import_(sys.argv[2]).added["memory"])
"""


@pytest.mark.nightly
@on_every_canon
def test_500_megabytes_are_imported_with_300_of_memory(place: Path, template: Template) -> None:
    """Row 10 by the letter: `ulimit -v` of the whole process, the program itself included."""
    folder = template.copy(place / "book")
    _write_lines(place / "lines.jsonl", template.truth[template.ids[0]], 8_700, 60_000)
    assert (place / "lines.jsonl").stat().st_size > 500 * MEGABYTE
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, url_in(folder), str(place / "lines.jsonl")], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "8700\n", "")
    with open_book(folder) as book:
        assert book.stats().memories == len(template.truth) + 8_700
        assert {id: one for id, one in every_memory(book).items() if id in template.truth} == template.truth


@on_every_canon
def test_a_line_of_200_megabytes_is_refused_in_bounded_memory(place: Path, template: Template) -> None:
    """Row 10."""
    (place / "new").mkdir()
    _endless_line(place / "endless.jsonl", template.other_export.read_bytes())

    def work(say: Say) -> None:
        _limit_memory(96 * MEGABYTE)
        with open_book(place / "new") as book:
            report = book.import_(str(place / "endless.jsonl"))
            aside = [[one.code, one.where] for one in report.kept_aside if one.code == "too_large"]
            say({"aside": aside, "memories": book.stats().memories})

    said = children.run(work, timeout=60.0)
    assert said == [{"aside": [["too_large", "line 2"]], "memories": 12}]


def test_the_control_that_reads_the_whole_line_runs_out_of_memory(place: Path, template: Template) -> None:
    _endless_line(place / "endless.jsonl", template.other_export.read_bytes())

    def work(say: Say) -> None:
        _limit_memory(96 * MEGABYTE)
        try:
            with (place / "endless.jsonl").open("rb") as file:
                say({"lines": sum(1 for _ in file)})
        except MemoryError:
            say({"memory": "gone"})

    assert children.run(work, timeout=60.0) == [{"memory": "gone"}]


@on_every_canon
def test_a_process_without_memory_changes_nothing_or_everything(place: Path, template: Template) -> None:
    """Limits from hopeless to ample: whatever is refused is refused with one of our errors, or plainly for want of memory."""
    folder = template.copy(place / "book")
    acknowledged = 0
    for extra in (64, 256, 1024, 2048, 4096, 16384):

        def work(say: Say, extra: int = extra) -> None:
            with open_book(folder) as book:
                _limit_memory(extra * 1024)
                for n in range(6):
                    try:
                        book.save(f"{extra} {n}: " + "words " * 9_000, type="project", project_id="atlas")
                        say({"ack": True})
                    except (MemoryError, CommonplaceError) as cause:
                        say({"refused": getattr(cause, "code", "MemoryError")})

        said = children.run(work)
        assert children.troubles([line for line in said if "MemoryError" not in line.get("crashed", "")]) == []
        assert {line["refused"] for line in said if "refused" in line} <= {"MemoryError", "out_of_memory"}
        acknowledged += sum("ack" in line for line in said)
    with open_book(folder) as book:
        assert len(every_memory(book)) == len(template.truth) + acknowledged
        assert what_is_wrong(book) == []


@on_every_canon
def test_out_of_descriptors_is_said_and_passes(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")

    def work(say: Say) -> None:
        # Room for a few books beside what this process has open anyway. SQLite keeps the descriptors of closed connections for
        # as long as others to the same file are open, so they come back for it alone.
        room = len(os.listdir("/proc/self/fd")) + 18
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (room, limit))
        books: list[Book] = []
        try:
            for _ in range(200):
                books.append(open_warm(folder, timeout=2.0))
        except CommonplaceError as cause:
            say({"kind": cause.kind})
        if in_files():  # which are looked through before each answer
            resource.setrlimit(resource.RLIMIT_NOFILE, (room + 8, limit))
        say({"opened": len(books) > 0, "readable": len(every_memory(books[0])) == len(template.truth)})
        for book in books[1:]:
            book.close()
        books[0].save("Descriptors are back.", type="project", project_id="atlas")
        with open_book(folder) as book:
            say({"there": len(every_memory(book)) - len(template.truth)})

    assert children.run(work) == [{"kind": "unavailable"}, {"opened": True, "readable": True}, {"there": 1}]


@on_every_canon
def test_a_write_without_a_descriptor_left_is_refused_and_works_later(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")

    def work(say: Say) -> None:
        book = open_book(folder, timeout=2.0)
        taken = _take_all_descriptors()
        try:
            book.save("Without a descriptor.", type="project", project_id="atlas")
            say({"saved": True})
        except CommonplaceError as cause:
            say({"kind": cause.kind})
        for fd in taken:
            os.close(fd)
        book.save("With descriptors.", type="project", project_id="atlas")
        say({"saved": True})

    said = children.run(work)
    assert said in ([{"kind": "unavailable"}, {"saved": True}], [{"saved": True}, {"saved": True}])
    with open_book(folder) as book:
        assert what_is_wrong(book) == []


def _take_all_descriptors() -> list[int]:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    taken = []
    try:
        while True:
            taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return taken


@on_every_canon
def test_a_hundred_openings_leave_no_descriptor_and_no_thread_behind(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")

    def work(say: Say) -> None:
        import threading

        def round() -> int:
            with open_book(folder) as book:
                book.save(f"Round {time.monotonic_ns()}", type="project", project_id="atlas")
                book.list(limit=3)
            return len(os.listdir("/proc/self/fd"))

        first = round()
        for _ in range(100):
            last = round()
        say({"grew": last - first, "threads": threading.active_count()})

    assert children.run(work) == [{"grew": 0, "threads": 1}]
