"""How the benches measure: side by side in one run, medians and ratios, because absolute times on a shared machine say little."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from commonplace.engine.exchange import End, Manifest, line_of
from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TYPES = ("project", "decision", "episode", "artifact")


def vocabulary(size: int = 5_000, seed: int = 7) -> list[str]:
    """Made-up words; the k-th is asked for about 1/k as often as the first."""
    chance = random.Random(seed)
    return ["".join(chance.choices(_LETTERS, k=chance.randint(3, 9))) for _ in range(size)]


def sentences(count: int, seed: int = 1, words: int = 30) -> Iterator[str]:
    """Texts of about 200 characters, no two alike."""
    chance, known = random.Random(seed), vocabulary()
    weights = [1 / (rank + 10) for rank in range(len(known))]
    for number in range(count):
        yield " ".join(chance.choices(known, weights, k=words)) + f" {number}"


def records(count: int, seed: int = 1) -> Iterator[MemoryRecord]:
    """Memories of twenty projects, one second apart."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number, text in enumerate(sentences(count, seed)):
        at = start + timedelta(seconds=number)
        yield MemoryRecord(
            id=new_id(),
            type=_TYPES[number % 4],  # type: ignore[arg-type]
            scope="project",  # type: ignore[arg-type]
            project_id=f"project-{number % 20}",
            status="active",  # type: ignore[arg-type]
            content=text,
            created_at=at,
            updated_at=at,
            kind="workflow",
            tags=(f"tag-{number % 50}",),
            fingerprint=fingerprint(text),
            trust="operator",  # type: ignore[arg-type]
            tier="T2",  # type: ignore[arg-type]
            evidence_ref="bench",
        )


def write_records(path: Path, count: int) -> None:
    """An export without a journal: what another program would hand over."""
    with path.open("wb") as file:
        file.write(line_of("manifest", Manifest(book_id="bench", exported_at=datetime.now(UTC))))
        for record in records(count):
            file.write(line_of("memory", record))
        file.write(line_of("end", End(lines=count + 1, sha256="")))


def median(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def cpu_of(*commands: list[str], rounds: int = 15) -> list[float]:
    """The least CPU seconds of each process, user and system, over several starts in turn: a machine that changes its pace
    changes it for all of them."""
    return [
        min(spent) for spent in zip(*([_cpu_once(command) for command in commands] for _ in range(rounds)), strict=True)
    ]


def _cpu_once(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def machine() -> str:
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}"


def verdict(name: str, value: float, bound: float, *, at_least: bool = False) -> str:
    met = value >= bound if at_least else value <= bound
    sign = ">=" if at_least else "<="
    return f"  {'ok  ' if met else 'MISS'}  {name}: {value:.2f}  (goal {sign} {bound:g})"
