"""Does the cost grow with what is not asked for? `get` and filtered lists at 1,000 and at 1,000,000 memories, and an export.

Both books are open in one process and asked in turns. Each list is the newest 20 of a filter that matches a fixed share of the
book. The export of the large book runs in a process of its own; its peak memory is compared with that of the small one.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import commonplace
from bench.measure import median, timed, verdict, write_records
from commonplace.engine.book import Book

SMALL = 1_000
LARGE = int(os.environ.get("COMMONPLACE_BENCH_LARGE", "1000000"))
ROUNDS = 400
Question = Callable[[Book, str], object]
Sample = tuple[Book, list[str]]

_EXPORT = """
import sys, commonplace
with commonplace.open(sys.argv[1], actor="bench") as book:
    book.export(sys.argv[2])
# Not getrusage: what that calls this process's peak begins with its parent's.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def run(folder: Path) -> list[str]:
    small, large = (_book(folder, count) for count in (SMALL, LARGE))
    lines = [f"  medians of {ROUNDS} calls each, in turns, at {SMALL:,} and {LARGE:,} memories"]
    for name, ask in _questions().items():
        here, there = _in_turns(ask, small, large)
        lines.append(f"        {name}: {here * 1e6:.0f} us and {there * 1e6:.0f} us")
        lines.append(verdict(f"{name}, large / small", there / here, 1.5))
    urls = [book.url for book, _ in (small, large)]
    for book, _ in (small, large):
        book.close()
    peaks = [_peak(url, folder / f"export-{number}.jsonl") for number, url in enumerate(urls)]
    lines.append(f"        peak memory of an export: {peaks[0] / 1024:.0f} MB and {peaks[1] / 1024:.0f} MB")
    lines.append(verdict("export's peak memory, large / small", peaks[1] / peaks[0], 1.5))
    return lines


def _in_turns(ask: Question, small: Sample, large: Sample) -> tuple[float, float]:
    """The medians of the same question to both books."""
    chance = random.Random(5)
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for times, (book, ids) in zip(taken, (small, large), strict=True):
            one = chance.choice(ids)
            times.append(timed(partial(ask, book, one)))
    return median(taken[0]), median(taken[1])


def _questions() -> dict[str, Question]:
    return {
        "get": lambda book, one: book.get(one),
        "list by project": lambda book, _: book.list(project_id="project-7"),
        "list by type": lambda book, _: book.list(types="decision"),
        "list by two types": lambda book, _: book.list(types=["decision", "episode"]),
        "list by tag": lambda book, _: book.list(tags="tag-7"),
        "list by tag and project": lambda book, _: book.list(tags="tag-7", project_id="project-7"),
        "list by trust and kind": lambda book, _: book.list(trusts="operator", kinds="workflow"),
        "list the inbox (empty)": lambda book, _: book.list(statuses="inbox"),
        "list before a day": lambda book, _: book.list(until="2026-01-01T00:10:00Z"),
        "journal of an actor": lambda book, _: book.journal(actor="bench", limit=20),
        "history": lambda book, one: book.history(one),
    }


def _book(folder: Path, count: int) -> Sample:
    """A book with `count` memories, and some of their ids."""
    lines = folder / f"records-{count}.jsonl"
    write_records(lines, count)
    book = commonplace.open(f"sqlite:{folder / f'scale-{count}.sqlite'}", actor="bench")
    report = book.import_(str(lines), progress=_dots(count))
    assert report.added["memory"] == count
    lines.unlink()
    ids = [record.id for day in (1, 5, 9) for record in book.list(since=f"2026-01-0{day}T00:00:00Z", limit=300)]
    return book, ids or [record.id for record in book.list(limit=300)]


def _dots(count: int) -> Callable[[int, int], None]:
    def tell(done: int, _: int) -> None:
        if count > 10_000 and done % 100_000 < 1_000 and sys.stderr.isatty():
            print(f"\r  building {count:,}: {done:,}", end="", file=sys.stderr, flush=True)

    return tell


def _peak(url: str, target: Path) -> int:
    said = subprocess.run([sys.executable, "-c", _EXPORT, url, str(target)], capture_output=True, check=True, text=True)
    target.unlink()
    return int(said.stdout.strip())
