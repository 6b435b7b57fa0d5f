"""One durable save beside one plain insert of the same bytes, in the same loop.

Plain: apsw, WAL, synchronous FULL, one `INSERT` of the id and the memory as JSON, one commit; and, for comparison, of the id
and the bare text. Ours: `Book.save`, with secret scan, duplicate check, journal entry, witness, indexes and full text. All on
the same disk, taking turns, so that load hits all. Processor time and pages written are printed beside it: where a flush is
quick, they are what a save costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

import commonplace
from bench.measure import median, sentences, verdict

ROUNDS = 2_000
_WARM = 100


class Clocked:
    """What one way of writing took: seconds of every call, and those in which the processor was at it."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._passed: list[float] = []
        self._busy: list[float] = []

    def __call__(self, *given: Any, **named: Any) -> Any:
        worked, started = time.thread_time(), time.perf_counter()
        answer = self._call(*given, **named)
        self._passed.append(time.perf_counter() - started)
        self._busy.append(time.thread_time() - worked)
        return answer

    @property
    def passed(self) -> list[float]:
        return self._passed[_WARM:]

    def __str__(self) -> str:
        return f"{median(self.passed) * 1e6:.0f} us, {median(self._busy[_WARM:]) * 1e6:.0f} of them processor"


def run(folder: Path) -> list[str]:
    whole, bare = (_plain(folder / name) for name in ("whole.sqlite", "bare.sqlite"))
    with commonplace.open(f"sqlite:{folder / 'saving.sqlite'}", actor="bench") as book:
        ours, theirs, bares = Clocked(book.save), Clocked(_insert(whole)), Clocked(_insert(bare))
        for text in sentences(ROUNDS + _WARM):
            saved = ours(text, type="episode")
            theirs(saved.id, saved.to_json())
            bares(saved.id, text)
        with book._scribe.canon.reading() as view:
            pages = _pages(view.connection), _pages(whole)
    means, to_bare = sum(ours.passed) / sum(theirs.passed), median(ours.passed) / median(bares.passed)
    return [
        f"  {ROUNDS} saves of about 200 characters, medians: {ours}; plain {theirs}",
        f"  pages written to the log by one, on average: {pages[0]:.1f}; plain {pages[1]:.1f}",
        verdict("save / plain insert of the same bytes, medians", median(ours.passed) / median(theirs.passed), 2.5),
        f"        ratio of the means: {means:.2f}; to the bare text: {to_bare:.2f}",
    ]


def _plain(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id TEXT PRIMARY KEY, stored TEXT)"
    ).fetchall()
    return db


def _insert(db: apsw.Connection) -> Callable[[str, str], object]:
    return lambda *row: db.execute("INSERT INTO t VALUES (?, ?)", row)


def _pages(db: apsw.Connection) -> float:
    """In a log, SQLite counts a page as written when it goes there."""
    return db.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0] / (ROUNDS + _WARM)
