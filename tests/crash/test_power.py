"""Power cuts on a disk of our own (rows 4, 5; R1): what was acknowledged before the cut is there after it.

The file system is shut down under the running writer, so everything that was not flushed is gone. The call during which
the cut falls may have been answered and still be lost; so acknowledgements count by their time stamp.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from pathlib import Path

import pytest

from commonplace import CommonplaceError

from . import children
from .books import book_in, keep_catalogs_in, on_every_canon, on_file_canons, open_book, what_is_wrong
from .broken import PlainRows, RenamedFile
from .children import Said, Say
from .interrupt import BookUnderFire, cut_again_and_again
from .mounts import Disk

SYSTEMS = ["ext4", *(["xfs"] if shutil.which("mkfs.xfs") else [])]


def _survives(place: Path, rng: random.Random, cuts: int, system: str) -> None:
    disk = Disk(place, system)
    keep_catalogs_in(disk.root / "cache")
    _cut(disk, rng, cuts, system)


def _cut(disk: Disk, rng: random.Random, cuts: int, system: str) -> None:
    book = BookUnderFire(disk.root, rotate=10)
    problems = cut_again_and_again(book, disk, rng, cuts)
    print(f"{cuts} cuts on {system}, {book.acknowledged} acknowledged writes, {sum(map(bool, problems))} cuts lost")
    assert [found for found in problems if found] == []
    assert book.acknowledged > cuts, "the writer hardly got anywhere: the harness proves nothing"


@on_every_canon
@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_acknowledged_is_lost_in_50_power_cuts(place: Path, rng: random.Random, system: str) -> None:
    _survives(place, rng, 50, system)


@on_file_canons
def test_nothing_is_lost_where_only_the_books_disk_loses_its_power(place: Path, rng: random.Random) -> None:
    """A stick is pulled out: its catalog, on the machine's own disk, then knows of the last changes as well or better."""
    _cut(Disk(place), rng, 12, "ext4")


@pytest.mark.nightly
@on_every_canon
@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_acknowledged_is_lost_in_1_000_power_cuts(place: Path, rng: random.Random, system: str) -> None:
    _survives(place, rng, 1_000, system)


def test_the_control_without_a_flush_per_commit_loses_in_most_cuts(place: Path, rng: random.Random) -> None:
    disk = Disk(place)
    (disk.root / "plain").mkdir()
    PlainRows(disk.root / "plain", "FULL").check([], None)
    control = PlainRows(disk.root / "plain", "NORMAL")
    lost = [bool(found) for found in cut_again_and_again(control, disk, rng, 30, fewest=3)]
    print(f"synchronous=NORMAL lost acknowledged rows in {sum(lost)} of {len(lost)} cuts")
    assert sum(lost) > len(lost) / 2


def test_the_control_without_a_folder_flush_brings_the_old_file_back(place: Path, rng: random.Random) -> None:
    disk = Disk(place)
    control = RenamedFile(disk.root, flush_folder=False)
    lost = [bool(found) for found in cut_again_and_again(control, disk, rng, 12, fewest=3)]
    assert sum(lost) > len(lost) / 2


def test_the_same_file_with_a_folder_flush_stays(place: Path, rng: random.Random) -> None:
    """So the control above fails for the reason we think."""
    disk = Disk(place)
    assert not any(cut_again_and_again(RenamedFile(disk.root, flush_folder=True), disk, rng, 12, fewest=3))


@on_every_canon
@pytest.mark.parametrize("verb", ["export", "backup"])
def test_a_copy_that_was_acknowledged_is_whole_after_a_power_cut(place: Path, verb: str) -> None:
    disk = Disk(place)
    with open_book(disk.root) as book:
        saved = book.save("What the copy must hold.", type="project", project_id="atlas")
        getattr(book, verb)(str(disk.root / "copy"))
        disk.cut()
    disk.restart()
    if verb == "backup":
        with open_book(disk.root, create=False) as book:
            assert book.get(saved.id) == saved
        (disk.root / "restored").mkdir()
        (disk.root / "copy").rename(book_in(disk.root / "restored"))
        with open_book(disk.root / "restored", create=False) as book:
            assert book.get(saved.id) == saved
            assert what_is_wrong(book) == []
    else:
        with open_book(place / "new") as book:
            report = book.import_(str(disk.root / "copy"))
            assert report.complete
            assert book.get(saved.id) == saved


def test_a_book_that_was_opened_once_exists_after_a_power_cut(place: Path) -> None:
    disk = Disk(place)
    book = open_book(disk.root)
    id = book.id
    disk.cut()
    book.close()
    disk.restart()
    with open_book(disk.root, create=False) as book:
        assert book.id == id


class Pages:
    """A ledger whose digest changes with every line: the line is there first, whatever happens in between (row 6; V17)."""

    def __init__(self, where: Path) -> None:
        self._where = where
        self.acknowledged = self.torn = 0

    def work(self, seed: int, say: Say) -> None:
        try:
            with open_book(self._where) as book:
                for n in range(40):
                    book.retain([f"Line {n} of {seed}."], digest=f"Page {n} of {seed}.")
                    say({"ack": time.monotonic_ns(), "page": f"Page {n} of {seed}."})
        except CommonplaceError as cause:
            say({"failed": cause.to_dict(), "at": time.monotonic_ns()})

    def check(self, said: list[Said], before: int | None) -> list[str]:
        certain = [line["page"] for line in said if "ack" in line and (before is None or line["ack"] < before)]
        self.acknowledged += len(certain)
        problems = [*children.troubles(said), *self._newer_page_than_line()]
        problems += [json.dumps(line) for line in said if "failed" in line and (before is None or line["at"] < before)]
        with open_book(self._where) as book:
            problems += what_is_wrong(book)
            shown = next((one.content for one in book.list(kinds=["digest"])), None)
        page = (book_in(self._where) / "digest.md").read_text(encoding="utf-8").rstrip("\n") if shown else None
        problems += [] if page == shown else [f"the book says {shown}, the page {page}"]
        lines = self._digests()
        problems += [f"LOST: {page}" for page in certain if page not in lines]
        return problems + ([] if not lines or shown == lines[-1] else [f"TORN: {shown} stands, {lines[-1]} was last"])

    def _newer_page_than_line(self) -> list[str]:
        """Before anybody mends anything: what a reader of the bare files sees."""
        page = book_in(self._where) / "digest.md"
        if not page.exists() or not page.read_text(encoding="utf-8").strip():
            return []
        shown, lines = page.read_text(encoding="utf-8").rstrip("\n"), self._digests()
        self.torn += bool(lines) and shown != lines[-1]
        return [] if shown in lines else [f"TORN: {shown} has no line"]

    def _digests(self) -> list[str]:
        ledger = book_in(self._where) / "ledger.jsonl"
        whole = ledger.read_bytes().split(b"\n")[:-1] if ledger.exists() else []
        return [line["digest"] for line in map(json.loads, filter(None, whole)) if "digest" in line]


@pytest.mark.parametrize("scheme", ["ledger"], indirect=True)
@pytest.mark.parametrize("cuts", [20, pytest.param(500, marks=pytest.mark.nightly)])
def test_a_page_is_never_newer_than_its_line(place: Path, rng: random.Random, cuts: int) -> None:
    disk = Disk(place)
    keep_catalogs_in(disk.root / "cache")
    pages = Pages(disk.root / "book")
    problems = cut_again_and_again(pages, disk, rng, cuts, fewest=1)
    print(f"{cuts} cuts, {pages.acknowledged} acknowledged pages, {pages.torn} cuts between a line and its page")
    assert [found for found in problems if found] == []
    assert pages.acknowledged > cuts
