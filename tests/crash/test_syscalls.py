"""A fault at each system call of each verb that writes (rows 2, 14, 16, 17, 19; R1, R2, R6, R7).

After each one the book is opened without any fault: earlier memories are there, what was acknowledged is there, what was
not is whole or absent and can be done again, the journal says what an undisturbed run says or nothing, what is left over is
named, and `verify` and `doctor` find nothing wrong. After an error that came once, the same book takes the next memory.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonplace import Book, CommonplaceError

from . import syscalls
from .books import Template, in_files, on_file_canons, open_book, open_warm, remove, what_is_wrong
from .syscalls import Outcome, Point, Work
from .verbs import BY_NAME, LARGE, WriteVerb, asked_of, every_verb_on_every_canon, go_on

# SQLite tries to open a file in several ways and forgets why the first one failed. That real full, read-only and
# inode-less disks are called by their names is shown in `test_disk_full.py` and `test_read_only.py`.
_CODES = {
    "ENOSPC": ("disk_full",),
    "EDQUOT": ("disk_full",),
    "EROFS": ("read_only",),
    "EIO": ("io_error", "corrupt"),  # what the disk cannot read any more is damaged
}


@pytest.fixture(autouse=True)
def _strace() -> None:
    syscalls.needs_strace()


class Sweep:
    """One verb, struck at many points, each time on a fresh copy of the template."""

    def __init__(self, verb: WriteVerb, template: Template, place: Path) -> None:
        self._verb, self._template, self._place = verb, template, place
        self._folder = place / "struck"
        verb.undisturbed(template)  # what is imported lazily is imported now
        self._fresh()
        self.points = syscalls.points(syscalls.count(self._work(), place / "log"))

    def strike(self, chosen: list[Point]) -> list[str]:
        problems: list[str] = []
        for point in chosen:
            self._fresh()
            outcome = syscalls.strike(self._work(), point, self._place / "log")
            problems += [f"{self._verb.name} {point}: {found}" for found in self._judge(point, outcome)]
        return problems

    def _fresh(self) -> None:
        remove(self._folder)
        self._template.copy(self._folder)

    def _work(self) -> Work:
        return Work(
            lambda: open_warm(self._folder, timeout=2.0),
            lambda book: self._verb.do(book, self._template, self._folder),
            lambda book: book.close(),
            go_on,
        )

    def _judge(self, point: Point, outcome: Outcome) -> list[str]:
        problems = misbehaviour(point, outcome, self._verb.name)
        problems += [] if in_files() else leftovers(point, self._folder)
        try:
            problems += self._verb.problems(
                self._template, self._folder, acknowledged=outcome.acknowledged, went_on=outcome.went_on
            )
        except Exception as cause:
            problems.append(f"cannot be looked at afterwards: {cause!r}")
        # What the journal of a file book says is finished by whoever comes next, with the files that were staged for it.
        return problems + (leftovers(point, self._folder) if in_files() else [])


def misbehaviour(point: Point, outcome: Outcome, verb: str = "") -> list[str]:
    """How the call itself ended: an answer or one of our errors, with the right code, and in time."""
    problems = ["HUNG"] if outcome.hung else []
    if "stuck" in outcome.told:
        problems.append(f"the next call was refused: {outcome.told['stuck']}")
    if "crashed" in outcome.told:
        problems.append(f"not one of our errors: {outcome.told['crashed']}")
    if outcome.signal and point.fault != "SIGKILL":
        problems.append(f"killed by signal {outcome.signal}")
    # Python asks again for everything but the list of a folder; whoever copies one is told, and may ask again.
    copies = verb == "backup" and in_files() and point.name == "openat"
    if point.fault == "EINTR" and not outcome.acknowledged and not copies:
        problems.append(f"not retried: {outcome.told}")
    expected = (*_CODES.get(point.fault, ()), *(("io_error", "read_only") if point.name == "openat" else ()))
    if (verb == "backup" or in_files()) and point.fault == "EDQUOT" and not point.forever:
        # SQLite calls a quota an I/O error, and of the copy that VACUUM makes, or of pages written ahead of the commit, nobody
        # knows the errno afterwards; a quota that stays used up is found by asking again, one that was there for a single call
        # is not.
        expected = (*expected, "io_error")
    if outcome.code and expected and outcome.code not in expected:
        problems.append(f"answered {outcome.code} to {point.fault} of {point.name}")
    return problems


def leftovers(point: Point, folder: Path) -> list[str]:
    """Whoever was told of an error leaves nothing unfinished behind; unless it was killed, or may not delete."""
    if (
        point.fault == "SIGKILL"
        or point.name == "unlink"
        or (in_files() and point.name in ("openat", "close") and point.forever)
    ):
        return []  # a folder that cannot be looked through cannot be cleared away
    return [
        f"left behind: {path.name}" for path in folder.rglob("*") if ".new-" in path.name or ".partial" in path.name
    ]


def sample(points: list[Point], number: int, rng: random.Random) -> list[Point]:
    """At least one point of every (call, fault) pair, then more by chance."""
    shuffled = rng.sample(points, len(points))
    first = {(point.name, point.fault): point for point in shuffled}
    rest = [point for point in shuffled if first[point.name, point.fault] is not point]
    return [*first.values(), *rest[: max(0, number - len(first))]]


# Each has a way of its own to the disk; the others take one of these, and are struck less often by day.
_WAYS = ("save", "evolve", "link", "archive", "forget", "revert", "purge", "import", "backup", "export", "retain")


def _report(problems: list[str], struck: int) -> None:
    print(f"{struck} points, {len(problems)} problems")
    for text, number in Counter(problem.split(": ", 1)[1] for problem in problems).most_common(12):
        print(f"  {number:4d} x {text}")


def test_save_survives_a_fault_at_every_system_call(template: Template, place: Path) -> None:
    sweep = Sweep(BY_NAME["save"], template, place)
    problems = sweep.strike(sweep.points)
    _report(problems, len(sweep.points))
    assert problems == []


@pytest.mark.parametrize(
    "verb", [verb for verb in asked_of("sqlite") if verb.name != "save"], ids=lambda verb: verb.name
)
def test_every_verb_survives_a_fault_at_sampled_system_calls(
    verb: WriteVerb, template: Template, place: Path, rng: random.Random
) -> None:
    sweep = Sweep(verb, template, place)
    chosen = sample(sweep.points, 40 if verb.name in LARGE else 0, rng)[: None if verb.name in _WAYS else 6]
    problems = sweep.strike(chosen)
    _report(problems, len(chosen))
    assert problems == []


@on_file_canons
def test_every_verb_survives_a_fault_at_sampled_system_calls_in_files(
    scheme: str, template: Template, place: Path, rng: random.Random
) -> None:
    """Kills first: whatever a call answers, the next one has to find its way from what is there."""
    problems: list[str] = []
    struck = 0
    for verb in asked_of(scheme):
        sweep = Sweep(verb, template, place)
        kills = [point for point in sweep.points if point.fault == "SIGKILL" and point.name in syscalls.CHANGING]
        chosen = rng.sample(kills, 1)
        if verb.name in _WAYS:
            chosen += [*rng.sample(kills, 1), *rng.sample(sweep.points, 1)]
        problems += sweep.strike(chosen)
        struck += len(chosen)
    _report(problems, struck)
    assert problems == []


@on_file_canons
@pytest.mark.parametrize("verb", [BY_NAME["purge"]], ids=lambda verb: verb.name)
def test_a_change_that_rewrites_the_journal_survives_a_fault_at_each_of_its_own_calls(
    verb: WriteVerb, template: Template, place: Path
) -> None:
    """R12: behind the rename it has happened, whatever the disk answers then."""
    sweep = Sweep(verb, template, place)
    calls = ("fsync", "rename", "renameat2")
    chosen = [point for point in sweep.points if point.name in calls and point.fault in ("SIGKILL", "EIO")]
    problems = sweep.strike([point for point in chosen if not point.forever])
    _report(problems, len(chosen))
    assert problems == []


@pytest.mark.nightly
@every_verb_on_every_canon
def test_every_verb_survives_a_fault_at_every_system_call(verb: WriteVerb, template: Template, place: Path) -> None:
    sweep = Sweep(verb, template, place)
    problems = sweep.strike(sweep.points)
    _report(problems, len(sweep.points))
    assert problems == []


def test_opening_survives_a_fault_at_sampled_system_calls(template: Template, place: Path, rng: random.Random) -> None:
    """Also with a log to recover: the last writer was killed before it could copy its log back."""
    work = Work(lambda: None, lambda _: _look(place / "struck"), lambda _: None)
    problems = _strike(work, lambda: _left_open(template, place / "struck"), place, rng, 40)
    assert problems == []


def test_creating_survives_a_fault_at_sampled_system_calls(place: Path, rng: random.Random) -> None:
    def fresh() -> None:
        remove(place / "struck")
        (place / "struck").mkdir()

    work = Work(lambda: None, lambda _: _look(place / "struck"), lambda _: None)
    problems = _strike(work, fresh, place, rng, 50)
    assert problems == []


@on_file_canons
def test_building_a_catalog_survives_a_fault_at_sampled_system_calls(
    template: Template, place: Path, rng: random.Random
) -> None:
    """X-1: it was deleted, and is made anew from files and journal by whoever opens the book."""
    work = Work(lambda: None, lambda _: _look(place / "struck"), lambda _: None)
    problems = _strike(work, lambda: template.copy(place / "struck") and None, place, rng, 12)
    assert problems == []


def _look(folder: Path) -> int:
    with open_book(folder, timeout=2.0) as book:
        return len(book.list(limit=100))


def _left_open(template: Template, folder: Path) -> None:
    """The template with one more memory, which lies only in the log."""
    shutil.rmtree(folder, ignore_errors=True)
    with open_book(template.copy(folder.parent / "warm"), timeout=2.0) as book:
        book.save("Only in the log.", type="project", project_id="atlas")
        shutil.copytree(folder.parent / "warm", folder, ignore=shutil.ignore_patterns("*-shm"))
    shutil.rmtree(folder.parent / "warm")


def _strike(work: Work, fresh: Any, place: Path, rng: random.Random, number: int) -> list[str]:
    fresh()
    expected = _look(place / "struck")
    fresh()
    chosen = sample(syscalls.points(syscalls.count(work, place / "log")), number, rng)
    problems: list[str] = []
    for point in chosen:
        fresh()
        found = misbehaviour(point, syscalls.strike(work, point, place / "log"))
        found += leftovers(point, place / "struck")
        with open_book(place / "struck", timeout=2.0) as book:
            found += [] if len(book.list(limit=100)) == expected else ["LOST: memories are missing"]
            found += what_is_wrong(book)
        problems += [f"{point}: {one}" for one in found]
    _report(problems, len(chosen))
    return problems


def _swallow(book: Book, template: Template, folder: Path) -> str:
    try:
        return str(BY_NAME["save"].do(book, template, folder))
    except CommonplaceError:
        return "saved"  # what a store does that logs its errors instead of handing them back


def test_the_control_that_swallows_errors_is_found_to_lose(template: Template, place: Path, rng: random.Random) -> None:
    sweep = Sweep(replace(BY_NAME["save"], do=_swallow), template, place)
    failing = [point for point in sweep.points if point.fault == "ENOSPC" and point.name == "pwrite64"]
    assert any("LOST" in problem for problem in sweep.strike(sample(failing, 8, rng)))


def _in_two_steps(book: Book, template: Template, folder: Path) -> str:
    first = book.save("The first half.", type="project", project_id="atlas")
    return book.link(first.id, template.ids[1]).id


def test_the_control_that_writes_in_two_transactions_is_found_torn(
    template: Template, place: Path, rng: random.Random
) -> None:
    torn = WriteVerb("two steps", _in_two_steps, lambda book, template, folder: True)
    sweep = Sweep(torn, template, place)
    kills = [point for point in sweep.points if point.fault == "SIGKILL" and point.name in ("pread64", "fdatasync")]
    assert any("TORN" in problem for problem in sweep.strike(sample(kills, 25, rng)))
