"""A hook from a cold process, as an agent starts it: the installed command, a payload on stdin, until the process has ended.

Wall clock, and beside it the least processor time of the process itself. With the daemon: `commonplace hook prompt` in turns with
`python -c pass` of the same interpreter, a hundred times each; a new session each time, so that each is a whole answer; a book of
10,000 memories. Without the daemon: as many memories in each canon. Where others share the machine, what counts are ratios, and
the p95 without the daemon is to be read beside that of `python -c pass` in the same minutes.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import commonplace
from bench.files import _write_notes
from bench.measure import median, verdict, write_records
from commonplace.surfaces.cli.install import own_program

MEMORIES = 10_000
ROUNDS, FEWER = 100, 20
_ASKED = "On which weekday do we deploy the harbour service, and why?"
_KNOWN = "We deploy the harbour service on Tuesdays, because the vendor freezes on Fridays."


def run(folder: Path) -> Iterator[str]:
    names = {"XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
    os.environ.update({name: str(folder / of) for name, of in names.items()})
    os.environ.update({"COMMONPLACE_EMBEDDER": "none", "COMMONPLACE_RERANKER": "none"})
    os.environ["COMMONPLACE_BOOK"] = f"sqlite:{folder / 'of-sqlite'}"
    write_records(folder / "records.jsonl", MEMORIES)
    for scheme in ("sqlite", "jsonl", "ledger", "vault"):
        _build(folder, scheme)
    yield from _with_the_daemon(folder)
    yield from _without(folder)


def _build(folder: Path, scheme: str) -> None:
    if scheme == "vault":
        _write_notes(folder / "of-vault")
    with commonplace.open(f"{scheme}:{folder / f'of-{scheme}'}", actor="bench") as book:
        if scheme != "vault":
            book.import_(str(folder / "records.jsonl"))
        book.save(_KNOWN, type="project", scope="global")


def _with_the_daemon(folder: Path) -> Iterator[str]:
    daemon = subprocess.Popen([*_program(), "serve", "--port", "0", "--log", "troubles"], stdout=subprocess.PIPE)
    try:
        assert daemon.stdout is not None
        daemon.stdout.readline()
        pairs = [(_once([sys.executable, "-c", "pass"], b""), _hook(folder, "sqlite")) for _ in range(ROUNDS)]
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
    nothing, hook = ([pair[at] for pair in pairs] for at in (0, 1))
    yield f"  with the daemon, {MEMORIES:,} memories, {ROUNDS} starts each, milliseconds of wall clock (of processor):"
    yield f"        python -c pass      {_told(nothing)}"
    yield f"        commonplace hook    {_told(hook)}"
    yield verdict("        p95 of the hook / p95 of python -c pass", _p95(hook) / _p95(nothing), 3)
    yield verdict("        median / median", _middle(hook) / _middle(nothing), 3)
    yield verdict("        processor time / processor time", _least(hook) / _least(nothing), 3)


def _without(folder: Path) -> Iterator[str]:
    nothing = [_once([sys.executable, "-c", "pass"], b"") for _ in range(FEWER)]
    yield f"  without the daemon, {FEWER} starts each; python -c pass {_told(nothing)}"
    for scheme in ("sqlite", "jsonl", "ledger", "vault"):
        taken = [_hook(folder, scheme) for _ in range(FEWER)]
        yield f"        {scheme:<7} {_told(taken)}"
        yield verdict(f"        {scheme}: p95 in milliseconds", _p95(taken) * 1e3, 300)


Taken = tuple[float, float]
"""Wall clock and processor time of one process."""


def _hook(folder: Path, scheme: str) -> Taken:
    payload = {"session_id": f"s-{time.monotonic_ns()}", "cwd": str(folder), "prompt": _ASKED}
    words = ["hook", "prompt", "--host", "claude-code", f"--book={scheme}:{folder / f'of-{scheme}'}", "--within", "30"]
    return _once([*_program(), *words], json.dumps(payload).encode(), _KNOWN.encode())


def _once(command: list[str], given: bytes, expected: bytes = b"") -> Taken:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, input=given, capture_output=True, check=True)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert expected in done.stdout, done.stderr.decode()
    return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _program() -> list[str]:
    """As `install` writes it."""
    return shlex.split(own_program("user"))


def _p95(taken: list[Taken]) -> float:
    return sorted(wall for wall, _ in taken)[len(taken) * 95 // 100]


def _middle(taken: list[Taken]) -> float:
    return median(wall for wall, _ in taken)


def _least(taken: list[Taken]) -> float:
    return min(processor for _, processor in taken)


def _told(taken: list[Taken]) -> str:
    return f"median {_middle(taken) * 1e3:.0f}, p95 {_p95(taken) * 1e3:.0f} ({_least(taken) * 1e3:.0f})"
