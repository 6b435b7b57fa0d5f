"""A disk that is full at every level, and one without inodes (rows 13, 14, 24; R1, R7).

Each verb meets each fill level on a tiny disk: it works, or it answers `disk_full` and has changed nothing; the book can
be read all the while, and the same verb works once there is room again.
"""

from __future__ import annotations

import random
import resource
import signal
from pathlib import Path

import pytest

from commonplace import CommonplaceError

from . import children
from .books import (
    Template,
    every_memory,
    in_files,
    keep_catalogs_in,
    on_every_canon,
    on_file_canons,
    open_book,
    open_warm,
    remove,
)
from .children import Say
from .mounts import TinyDisk, mount
from .verbs import BY_NAME, LARGE, WriteVerb, asked_of, every_verb_on_every_canon

PAGE = 4096
CATALOG = 1 << 20  # as much as the catalog of a small file book may take
ROOM = 640 * 1024  # as much as the hungriest verb (a purge rewrites the whole file) needs beside the book


class FullDisk:
    """One verb on a disk that is filled anew for each level. The catalog of a file book lies there too, or elsewhere."""

    def __init__(self, place: Path, template: Template, *, with_catalog: bool = False) -> None:
        self._template = template
        book = sum(-(-path.stat().st_size // PAGE) * PAGE for path in template.folder.rglob("*"))
        self.disk = TinyDisk(place / "tiny", book + ROOM + 64 * 1024 + CATALOG * with_catalog)
        self._folder = self.disk.root / "book"
        self.refused = 0
        if with_catalog:
            keep_catalogs_in(self.disk.root / "cache")

    def meet(self, verb: WriteVerb, leave: int) -> list[str]:
        self.disk.empty()
        remove(self._folder)
        self._template.copy(self._folder)
        said = children.run(lambda say: self._try(verb, leave, say))
        self.disk.empty()
        answered = any("answer" in line for line in said)
        problems = children.troubles(said) + self._wrong_answers(said)
        problems += verb.problems(self._template, self._folder, acknowledged=answered)
        return [f"{verb.name} with {leave // 1024} KiB left: {problem}" for problem in problems]

    def _try(self, verb: WriteVerb, leave: int, say: Say) -> None:
        with open_warm(self._folder, timeout=2.0) as book:
            self.disk.fill(leave)
            try:
                say({"answer": str(verb.do(book, self._template, self._folder))})
            except CommonplaceError as cause:
                say({"error": cause.code})
                say({"readable": every_memory(book) == self._template.truth})
                self.disk.empty()
                verb.do(book, self._template, self._folder)  # the same book, without opening it again
                say({"worked": True})

    def _wrong_answers(self, said: list[dict]) -> list[str]:
        error = next((line["error"] for line in said if "error" in line), None)
        if error is None:
            return []
        self.refused += 1
        problems = [] if error == "disk_full" else [f"answered {error}"]
        if {"readable": True} not in said:
            problems.append("not readable while the disk was full")
        if {"worked": True} not in said:
            problems.append("did not work once there was room again")
        return problems


@pytest.mark.parametrize("verb", asked_of("sqlite"), ids=lambda verb: verb.name)
def test_a_full_disk_is_said_and_nothing_is_lost(
    verb: WriteVerb, place: Path, template: Template, rng: random.Random
) -> None:
    full = FullDisk(place, template)
    levels = {0, PAGE, *(rng.randrange(ROOM // PAGE) * PAGE for _ in range(14 if verb.name in LARGE else 4))}
    problems = [problem for leave in sorted(levels) for problem in full.meet(verb, leave)]
    assert problems == []
    assert full.refused, "the disk was never full: the harness proves nothing"


@on_file_canons
@pytest.mark.parametrize("with_catalog", [False, True], ids=["the books disk", "the catalogs disk too"])
def test_a_full_disk_is_said_and_nothing_is_lost_in_files(
    scheme: str, place: Path, template: Template, rng: random.Random, with_catalog: bool
) -> None:
    full = FullDisk(place, template, with_catalog=with_catalog)
    verbs = asked_of(scheme)
    sure = () if with_catalog else (0,)  # with nothing left at all, the book's own files already say so
    meetings = [(verb, leave) for verb in verbs for leave in (*sure, rng.randrange(24) * PAGE)]
    problems = [problem for verb, leave in meetings for problem in full.meet(verb, leave)]
    assert problems == []
    assert full.refused > len(verbs) // 4, "the disk was hardly ever full: the harness proves nothing"


@pytest.mark.nightly
@pytest.mark.parametrize("with_catalog", [False, True], ids=["the books disk", "the catalogs disk too"])
@every_verb_on_every_canon
def test_a_disk_that_is_full_at_any_level_is_said_and_nothing_is_lost(
    verb: WriteVerb, place: Path, template: Template, with_catalog: bool
) -> None:
    full = FullDisk(place, template, with_catalog=with_catalog)
    problems = [problem for leave in range(0, ROOM, PAGE) for problem in full.meet(verb, leave)]
    assert problems == []


@on_every_canon
@pytest.mark.parametrize("leave", [0, 4, 9, 20])
def test_a_book_can_be_opened_and_read_on_a_full_disk(place: Path, template: Template, leave: int) -> None:
    disk = TinyDisk(place / "tiny", 2 << 20)
    folder = template.copy(disk.root / "book")
    disk.fill(leave * PAGE)

    def read(say: Say) -> None:
        with open_book(folder, timeout=2.0) as book:
            say({"readable": every_memory(book) == template.truth})
            try:
                book.save("long " * 12_000, type="project", project_id="atlas")
            except CommonplaceError as cause:
                say({"error": cause.code})
            disk.empty()
            book.save("There is room again.", type="project", project_id="atlas")
            say({"worked": True})

    assert children.run(read) == [{"readable": True}, {"error": "disk_full"}, {"worked": True}]


@on_every_canon
@pytest.mark.parametrize("leave", [0, 1, 8, 40, 120])
def test_a_book_that_does_not_fit_is_not_half_created(place: Path, leave: int) -> None:
    disk = TinyDisk(place / "tiny", 1 << 20)
    disk.fill(leave * PAGE)

    def create(say: Say) -> None:
        try:
            with open_book(disk.root) as book:
                if in_files():  # which begins with its first memory
                    book.save("The first.", type="project", project_id="atlas")
            say({"answer": True})
        except CommonplaceError as cause:
            left = [path.name for path in disk.root.rglob("*") if ".new-" in path.name or ".partial-" in path.name]
            say({"error": cause.code, "left": left})

    said = children.run(create)
    assert children.troubles(said) == []
    assert said[0] in ({"answer": True}, {"error": "disk_full", "left": []})
    disk.empty()
    with open_book(disk.root) as book:
        assert book.save("There is room again.", type="project", project_id="atlas").status == "active"


@on_every_canon
@pytest.mark.parametrize("inodes", range(2, 9))
def test_a_disk_without_inodes_is_a_full_disk(place: Path, template: Template, inodes: int) -> None:
    disk = TinyDisk(place / "tiny", 4 << 20)
    folder = template.copy(disk.root / "book")
    used = 2 + len([*disk.root.rglob("*")])
    mount("-o", f"remount,nr_inodes={used + inodes - 2}", str(disk.root))

    def write(say: Say) -> None:
        try:
            with open_book(folder, timeout=2.0) as book:
                BY_NAME["save"].do(book, template, folder)
                say({"answer": True})
        except CommonplaceError as cause:
            say({"error": cause.code})

    said = children.run(write)
    assert children.troubles(said) == []
    assert said[0] in ({"answer": True}, {"error": "disk_full"})
    mount("-o", "remount,nr_inodes=200", str(disk.root))
    assert BY_NAME["save"].problems(template, folder, acknowledged="answer" in said[0]) == []


@on_every_canon
@pytest.mark.parametrize("verb", ["export", "backup"])
@pytest.mark.parametrize("inodes", range(4))
def test_a_copy_to_a_disk_without_inodes_is_refused(place: Path, template: Template, inodes: int, verb: str) -> None:
    disk = TinyDisk(place / "tiny", 4 << 20, inodes=1 + inodes)
    folder = template.copy(place / "book")

    def copy(say: Say) -> None:
        with open_book(folder) as book:
            try:
                getattr(book, verb)(str(disk.root / "copy"))
                say({"answer": True})
            except CommonplaceError as cause:
                say({"error": cause.code})

    said = children.run(copy)
    assert said in ([{"answer": True}], [{"error": "disk_full"}])
    left = [path.name for path in disk.root.iterdir()]
    assert [name for name in left if "partial" in name] == []


@on_every_canon
def test_a_file_size_limit_refuses_and_changes_nothing(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")

    def write(say: Say) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = max(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 3 * PAGE, resource.RLIM_INFINITY))
        try:
            with open_book(folder, timeout=2.0) as book:
                for n in range(200):
                    book.save(f"{n} " + "long " * 500, type="project", project_id="atlas")
        except CommonplaceError as cause:
            say({"error": cause.code})

    said = children.run(write)
    assert said in ([{"error": "disk_full"}], [{"error": "too_large"}])
    with open_book(folder) as book:
        assert every_memory(book).items() >= template.truth.items()
        assert book.verify().ok
        book.save("Without the limit it works.", type="project", project_id="atlas")


def test_the_control_that_writes_in_place_is_found_to_lose_on_a_full_disk(place: Path) -> None:
    """A file that is truncated and rewritten is gone when the disk is full; so the tiny disk does bite."""
    disk = TinyDisk(place / "tiny", 1 << 20)
    file = disk.root / "notes"
    file.write_bytes(b"x" * 40 * PAGE)
    disk.fill(0)
    with pytest.raises(OSError, match="No space"):
        file.write_bytes(b"y" * 60 * PAGE)
    assert len(file.read_bytes()) < 60 * PAGE
    assert b"x" not in file.read_bytes()
