"""The close of a session: one capture of a megabyte beside one durable insert of the same bytes, whatever the extractor does.

Plain: apsw, WAL, synchronous FULL, one `INSERT` of the text, one commit. Ours: `Book.capture_session`, with reader, scan for
secrets, the source, the event, the journal entry that holds the source again, and the job. The extractor hangs. The scan alone
is timed too, because it was most of the price. All take turns on the same disk. Of each the time that passes and the processor
time are taken; the goal is asked of the best of the run, because others share this machine and only ever add.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

import commonplace
from bench.measure import median, sentences, verdict
from commonplace.guard.secrets import redact

ROUNDS = 12
SIZE = 1_000_000


class Hanging:
    """An extractor that never answers. Nobody asks it when something is captured."""

    name = "hanging"

    def proposals(self, _: object) -> list[object]:
        threading.Event().wait()
        return []


def run(folder: Path) -> Iterator[str]:
    for name, text_of in MATERIAL.items():
        yield from _measured(folder / name.replace(" ", "-"), name, [text_of(n) for n in range(ROUNDS + 2)])


def _measured(folder: Path, name: str, texts: list[str]) -> Iterator[str]:
    folder.mkdir()
    plain = apsw.Connection(str(folder / "plain.sqlite"))
    plain.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (stored TEXT)").fetchall()
    ours, theirs, scans = Timed(), Timed(), Timed()
    with commonplace.open(f"sqlite:{folder / 'book.sqlite'}", actor="bench", extractor=Hanging()) as book:  # type: ignore[arg-type]
        for text in texts:
            ours(lambda text=text: book.capture_session(text))
            theirs(lambda text=text: plain.execute("INSERT INTO t VALUES (?)", (text,)))
            scans(lambda text=text: redact(text))
    yield f"  {name}: {ours}; plain insert {theirs}; the scan for secrets alone {scans}"
    yield verdict("        milliseconds for 1 MB, the best of the run", min(ours.passed), 50)
    yield verdict("        of processor time, the same", min(ours.used), 50)
    yield f"        ratio to the plain insert, medians: {median(ours.passed) / median(theirs.passed):.1f}"


class Timed:
    """Milliseconds of many calls, the first two left out: passed, and used by the processor."""

    def __init__(self) -> None:
        self._both: list[tuple[float, float]] = []

    def __call__(self, call: Callable[[], object]) -> None:
        passed, used = time.perf_counter(), time.process_time()
        call()
        self._both.append(((time.perf_counter() - passed) * 1e3, (time.process_time() - used) * 1e3))

    @property
    def passed(self) -> list[float]:
        return [both[0] for both in self._both[2:]]

    @property
    def used(self) -> list[float]:
        return [both[1] for both in self._both[2:]]

    def __str__(self) -> str:
        passed, used = self.passed, self.used
        return f"median {median(passed):.1f} ms, best {min(passed):.1f} (processor {median(used):.1f}, {min(used):.1f})"


def _said(seed: int, words: int = 30) -> list[str]:
    return [*sentences(SIZE // (6 * words), seed, words)]


def _talk(seed: int, words: int = 30) -> str:
    turns = (f"{('User', 'Assistant')[n % 2]}: {text}." for n, text in enumerate(_said(seed, words)))
    return "\n".join(turns)[:SIZE]


def _short_turns(seed: int) -> str:
    return _talk(seed, 10)


def _session(seed: int) -> str:
    lines = (
        {
            "type": ("user", "assistant")[n % 2],
            "sessionId": "s",
            "timestamp": "2026-05-03T10:00:00Z",
            "message": {"content": [{"type": "text", "text": text}]},
        }
        for n, text in enumerate(_said(seed))
    )
    return "\n".join(json.dumps(line) for line in lines)[:SIZE]


MATERIAL = {"plain text": _talk, "plain text, short turns": _short_turns, "a session file, JSONL": _session}
