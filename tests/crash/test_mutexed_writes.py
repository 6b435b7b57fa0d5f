"""What the file primitives leave behind when they are killed, refused or cut off (R1-R3; rows 2, 4, 5, 14, 16-19).

An append and a swap are struck at each system call they make; then a writer of both loses its power again and again.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from commonplace.seam.storage import content_hash
from commonplace.storage import swap
from commonplace.storage.append import append_line, read_lines
from commonplace.storage.atomic_write import is_partial
from commonplace.storage.swap import replace_checked
from commonplace.storage.synced_vault import SyncedVault

from . import syscalls
from .children import Child, Say
from .mounts import Disk
from .syscalls import Outcome, Point, Work

SYSTEMS = ["ext4", *(["xfs"] if shutil.which("mkfs.xfs") else [])]


CODES = {"EIO": ("io_error",), "ENOSPC": ("disk_full",), "EDQUOT": ("disk_full",), "EROFS": ("read_only",)}
"""What each fault is called (R7). An interrupted call is made again, and an error that can be lived with is lived with."""


class Deed(NamedTuple):
    """One way to write one file: what is there before, what is done, what is there afterwards."""

    name: str
    before: bytes | None
    do: Callable[[str], object]
    after: bytes

    def may_be(self, now: bytes | None, outcome: Outcome, point: Point) -> bool:
        if outcome.acknowledged:
            return now == self.after
        if now in (self.before, self.after):
            return True
        # Without its end a line is no line, and the next append leaves it alone. It may stay where cutting it off failed too.
        helpless = point.fault == "SIGKILL" or point.forever
        old = self.before or b""
        return (
            self.name.startswith("append")
            and helpless
            and now is not None
            and self.after.startswith(now)
            and now.startswith(old)
        )


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _in_the_vault(path: str) -> object:
    vault = SyncedVault(os.path.dirname(path))
    note = vault.resolve(os.path.basename(path))
    return vault.write(note, "new", content_hash("old")).key


def _without_exchange(path: str) -> object:
    swap._renameat2 = lambda: None  # type: ignore[assignment]  # in a forked child: nobody else sees it
    return replace_checked(path, b"new", _sha(b"old"))


DEEDS = [
    Deed("append", b"one\n", lambda path: append_line(path, b"two"), b"one\ntwo\n"),
    Deed("append to a torn line", b"one\ntor", lambda path: append_line(path, b"two"), b"one\ntor\ntwo\n"),
    Deed("append to nothing", None, lambda path: append_line(path, b"two"), b"two\n"),
    Deed("replace", b"old", lambda path: replace_checked(path, b"new", _sha(b"old")), b"new"),
    Deed("replace behind a link", b"old", _without_exchange, b"new"),
    Deed("create", None, lambda path: replace_checked(path, b"new", None), b"new"),
    Deed("write through the seam", b"old", _in_the_vault, b"new"),
]


@pytest.fixture(autouse=True)
def _cache(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(place / "cache"))


class Sweep:
    """One deed, struck at each of its system calls, each time in a fresh folder."""

    def __init__(self, deed: Deed, place: Path) -> None:
        self._deed, self._place, self._file = deed, place, place / "store" / "file.md"
        self._fresh()
        self._work = Work(lambda: str(self._file), lambda path: str(deed.do(path)), lambda _: None)
        self.points = syscalls.points(syscalls.count(self._work, place / "log"))

    def strike(self, chosen: list[Point]) -> list[str]:
        return [f"{self._deed.name} {point}: {found}" for point in chosen for found in self._struck(point)]

    def _struck(self, point: Point) -> list[str]:
        self._fresh()
        outcome = syscalls.strike(self._work, point, self._place / "log")
        now = self._file.read_bytes() if self._file.exists() else None
        wrong = []
        if outcome.hung or "crashed" in outcome.told:
            wrong.append(f"misbehaved: {outcome}")
        if outcome.code not in (None, *CODES.get(point.fault, ())):
            wrong.append(f"called it {outcome.code}")
        if not self._deed.may_be(now, outcome, point):
            wrong.append(f"left {now!r} after {outcome.told}")
        others = {path.name for path in self._file.parent.iterdir()} - {"file.md"}
        # What was replaced and cannot be read once more may hold what somebody wrote late: it stays, and doctor names it.
        unread = {name for name in others if name.endswith("-held") and now == self._deed.after}
        if others - unread and not (point.fault == "SIGKILL" or point.name in {"unlink", "close"} or point.forever):
            wrong.append(f"left over: {others}")
        if not all(is_partial(name) for name in others):
            wrong.append(f"unknown: {others}")
        return wrong + self._goes_on(now)

    def _goes_on(self, now: bytes | None) -> list[str]:
        """Whoever comes next can write, and finds what was there."""
        if self._deed.name.startswith("append"):
            append_line(str(self._file), b"next")
            lines = [line.raw for line in read_lines(str(self._file), 100)]
            return (
                []
                if lines[-1] == b"next" and b"\n".join(lines[:-1]) == (now or b"").removesuffix(b"\n")
                else [f"then {lines}"]
            )
        replace_checked(str(self._file), b"next", _sha(now) if now is not None else None)
        return [] if self._file.read_bytes() == b"next" else ["the next one cannot write"]

    def _fresh(self) -> None:
        shutil.rmtree(self._file.parent, ignore_errors=True)
        self._file.parent.mkdir()
        if self._deed.before is not None:
            self._file.write_bytes(self._deed.before)


@pytest.mark.parametrize("deed", DEEDS[:-1], ids=lambda deed: deed.name)
def test_a_fault_at_any_system_call_leaves_the_old_file_or_the_new_one(place: Path, deed: Deed) -> None:
    syscalls.needs_strace()
    sweep = Sweep(deed, place)
    problems = sweep.strike(sweep.points)
    print(f"{deed.name}: {len(sweep.points)} points")
    assert len(sweep.points) > 20
    assert problems == []


@pytest.mark.parametrize("faults", ["SIGKILL", pytest.param("all", marks=pytest.mark.nightly)])
def test_so_does_one_at_any_call_of_a_write_through_the_seam(place: Path, faults: str) -> None:
    """Lock, compare, stage, swap, let go."""
    syscalls.needs_strace()
    sweep = Sweep(DEEDS[-1], place)
    chosen = [point for point in sweep.points if faults in (point.fault, "all")]
    problems = sweep.strike(chosen)
    print(f"{len(chosen)} points")
    assert len(chosen) > 20
    assert problems == []


def _write_in_place(path: str) -> None:
    with open(path, "wb", buffering=0) as file:
        file.writelines(bytes([letter]) for letter in b"new")
        os.fsync(file.fileno())


def test_the_control_that_writes_in_place_is_found(place: Path) -> None:
    syscalls.needs_strace()
    sweep = Sweep(Deed("in place", b"old", _write_in_place, b"new"), place)
    assert len(sweep.strike(sweep.points)) > 3


def _write_on(root: Path, say: Say) -> None:
    """Append and replace by turns, and say each acknowledged number with its moment."""
    ledger, digest = str(root / "ledger.jsonl"), str(root / "digest.md")
    number = sum(1 for _ in read_lines(ledger, 100)) if os.path.exists(ledger) else 0
    while True:
        number += 1
        append_line(ledger, f"line {number}".encode())
        say({"line": number, "at": time.monotonic_ns()})
        before = Path(digest).read_bytes() if os.path.exists(digest) else None
        replace_checked(digest, f"digest {number}".encode() * 50, _sha(before) if before is not None else None)
        say({"digest": number, "at": time.monotonic_ns()})


def _lost(root: Path, said: list[dict[str, Any]], cut: int) -> list[str]:
    acknowledged = [line for line in said if line.get("at", cut) < cut]
    lines = max((line["line"] for line in acknowledged if "line" in line), default=0)
    digests = max((line["digest"] for line in acknowledged if "digest" in line), default=0)
    ledger, digest = root / "ledger.jsonl", root / "digest.md"
    there = [line.raw for line in read_lines(str(ledger), 100) if not line.is_torn] if ledger.exists() else []
    wrong = []
    if [f"line {number}".encode() for number in range(1, len(there) + 1)] != there or len(there) < lines:
        wrong.append(f"{lines} lines were acknowledged, {len(there)} are there: {there[-3:]}")
    text = digest.read_text() if digest.exists() else ""
    words = {*text.replace("digest", "\ndigest").split("\n")} - {""}
    if len(words) > 1 or (digests and not words):
        wrong.append(f"the digest is torn or gone: {sorted(words)[:3]}")
    if words and int(min(words).removeprefix("digest ")) < digests:
        wrong.append(f"digest {digests} was acknowledged, {words} is there")
    return wrong


@pytest.mark.parametrize("cuts", [8, pytest.param(300, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_was_acknowledged_survives_power_cuts(place: Path, rng: random.Random, system: str, cuts: int) -> None:
    """Rows 4 and 5."""
    disk = Disk(place, system)
    acknowledged, problems = 0, []
    for _ in range(cuts):
        child = Child(lambda say: _write_on(disk.root, say))
        child.listen(lambda said: len(said) > 8, 10.0)
        time.sleep(rng.random() * 0.05)
        moment = disk.cut()
        said = child.kill()
        child.close()
        disk.restart()
        acknowledged += sum(1 for line in said if line.get("at", moment) < moment)
        problems += _lost(disk.root, said, moment)
        _tidy(disk.root)
    print(f"{cuts} cuts on {system}, {acknowledged} acknowledged, {len(problems)} problems")
    assert problems == []
    assert acknowledged > cuts


def _tidy(root: Path) -> None:
    """So that the next round's lines can be counted; that a torn one is otherwise kept is shown elsewhere."""
    for name in os.listdir(root):
        if is_partial(name):
            (root / name).unlink()
    ledger = root / "ledger.jsonl"
    if ledger.exists() and not ledger.read_bytes().endswith(b"\n"):
        ledger.write_bytes(b"".join(line.raw + b"\n" for line in read_lines(str(ledger), 100) if not line.is_torn))
