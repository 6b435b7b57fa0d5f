"""Faults at the n-th system call of one operation: a kill, or an error that the kernel could answer with.

A forked child gets everything ready and stops; `strace` is attached to it; then it does the one operation. So every call
that is counted belongs to the operation, and a run costs milliseconds. What the child has to tell, it tells through
shared memory: that needs no system call, so the faults cannot reach it.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_ALLOW_ANY_TRACER = 0x59616D61  # PR_SET_PTRACER: without root, only an invited process may trace
_HANG_SECONDS = 20.0
_READY, _GO = 1, 2

NAMING = ("link", "linkat", "rename", "renameat2", "mkdir")
CHANGING = ("openat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "fallocate", *NAMING, "unlink")
HOLDING = ("close", "flock", "fcntl", "read", "pread64")
NAMES = (*CHANGING, *HOLDING)

FAULTS: dict[str, tuple[str, ...]] = {
    "SIGKILL": NAMES,
    "EIO": (*CHANGING, "close", "read", "pread64"),
    "ENOSPC": ("openat", "write", "pwrite64", "ftruncate", "fallocate", *NAMING),
    "EDQUOT": ("openat", "write", "pwrite64"),
    "EROFS": ("openat", *NAMING, "unlink"),
    "EINTR": ("openat", "write", "pwrite64", "flock"),
}
"""Which calls can answer with which error. Locks by `fcntl` do not fail on a local disk, so there it is only the kill."""


class Point(NamedTuple):
    """Where a fault strikes: `fdatasync` number 2 answers EIO, once or from then on."""

    name: str
    number: int
    fault: str
    forever: bool = False

    @property
    def injection(self) -> str:
        what = "signal=SIGKILL" if self.fault == "SIGKILL" else f"error={self.fault}"
        return f"inject={self.name}:{what}:when={self.number}{'+' if self.forever else ''}"


@dataclass(frozen=True)
class Outcome:
    """What became of the child: the answer it got, whether it was killed or hung, and whether the fault struck at all."""

    told: dict[str, Any]
    signal: int
    hung: bool
    struck: bool

    @property
    def acknowledged(self) -> bool:
        return "answer" in self.told

    @property
    def went_on(self) -> bool:
        return bool(self.told.get("went on"))

    @property
    def code(self) -> str | None:
        """The finest word of the error, if it was one of ours."""
        error = self.told.get("error")
        return error.get("code", error["kind"]) if error else None


def needs_strace() -> None:
    if shutil.which("strace") is None:
        pytest.skip("NOT PROVED HERE: strace is not installed (rows 2, 16, 17, 19)")


class Work(NamedTuple):
    """Get ready (not traced), then do (traced), then let go (traced too)."""

    ready: Callable[[], Any]
    do: Callable[[Any], Any]
    let_go: Callable[[Any], object]
    go_on: Callable[[Any], object] = lambda state: None
    """What must work in the same process after an error that came once."""


def count(work: Work, log: Path) -> dict[str, int]:
    """How many calls of each name the operation makes."""
    outcome = _trace(work, [f"trace={','.join(NAMES)}"], log)
    assert outcome.acknowledged, outcome
    names = re.findall(r"^\d+\s+(\w+)\(", log.read_text(errors="replace"), re.MULTILINE)
    return {name: number for name, number in Counter(names).items() if name in NAMES}


def points(counts: dict[str, int]) -> list[Point]:
    """Every place where a fault can strike. What is answered with EINTR for ever is retried for ever, so only once."""
    return [
        Point(name, number, fault, forever)
        for fault, names in FAULTS.items()
        for name in names
        for number in range(1, counts.get(name, 0) + 1)
        for forever in ((False,) if fault in ("SIGKILL", "EINTR") else (False, True))
    ]


def strike(work: Work, point: Point, log: Path) -> Outcome:
    if point.forever:
        work = work._replace(go_on=lambda state: None)
    return _trace(work, [f"trace={point.name}", point.injection], log)


def _trace(work: Work, expressions: list[str], log: Path) -> Outcome:
    shared = mmap.mmap(-1, 1 << 16)
    pid = os.fork()
    if pid == 0:
        _perform(work, shared)
    tracer = None
    try:
        _wait_until(lambda: shared[0] == _READY, pid)
        options = [part for expression in expressions for part in ("-e", expression)]
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", str(log), *options, "-p", str(pid)])
        _wait_until(lambda: _is_traced(pid), pid)
        shared[0] = _GO
        hung, status = _end(pid)
        tracer.wait(10)
    finally:
        if tracer is not None and tracer.poll() is None:
            tracer.kill()
            tracer.wait()
    text = log.read_text(errors="replace")
    answer = bytes(shared[1:]).rstrip(b"\0")
    shared.close()
    return Outcome(
        told=json.loads(answer) if answer else {},
        signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        hung=hung,
        struck="(INJECTED)" in text or "killed by SIGKILL" in text,
    )


def _perform(work: Work, shared: mmap.mmap) -> None:
    from commonplace import CommonplaceError

    def tell(what: dict[str, Any]) -> None:
        shared[1:] = json.dumps(what).encode()[:60_000].ljust(len(shared) - 1, b"\0")

    try:
        ctypes.CDLL(None).prctl(_ALLOW_ANY_TRACER, -1, 0, 0, 0)
        state = work.ready()
        shared[0] = _READY
        while shared[0] != _GO:
            time.sleep(0.0002)
        try:
            tell({"answer": work.do(state)})
        except CommonplaceError as cause:
            tell(cause.to_dict())
            tell(cause.to_dict() | _next(work, state))
        work.let_go(state)
    except CommonplaceError as cause:
        tell(cause.to_dict())
    except BaseException as cause:
        tell({"crashed": f"{type(cause).__module__}.{type(cause).__name__}: {cause}"[:400]})
    finally:
        os._exit(0)


def _next(work: Work, state: Any) -> dict[str, Any]:
    """How the next call went."""
    from commonplace import CommonplaceError

    try:
        return {"went on": work.go_on(state)}
    except CommonplaceError as cause:
        return {"stuck": cause.to_dict()}


def _is_traced(pid: int) -> bool:
    with open(f"/proc/{pid}/status") as file:
        return "TracerPid:\t0\n" not in file.read()


def _wait_until(true: Callable[[], bool], pid: int) -> None:
    deadline = time.monotonic() + 10
    while not true():
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError("the traced child never got ready")
        time.sleep(0.0003)


def _end(pid: int) -> tuple[bool, int]:
    deadline = time.monotonic() + _HANG_SECONDS
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return False, status
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            return True, os.waitpid(pid, 0)[1]
        time.sleep(0.0003)
