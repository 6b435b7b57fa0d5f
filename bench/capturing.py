"""The close of a session: one capture of a megabyte beside one durable insert of the same bytes, whatever the extractor does.

Plain: apsw, WAL, synchronous FULL, one `INSERT` of the text, one commit. Ours: `Book.capture_session`, with reader, scan for
secrets, the source, the event, the journal entry that holds the source again, and the job. The extractor hangs. The scan alone
is timed too, because it is most of the price. All take turns on the same disk.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
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
    for name, text_of in (("plain text", _talk), ("a session file, JSONL", _session)):
        yield from _measured(folder / name.split()[-1], name, [text_of(n) for n in range(ROUNDS + 2)])


def _measured(folder: Path, name: str, texts: list[str]) -> Iterator[str]:
    folder.mkdir()
    plain = apsw.Connection(str(folder / "plain.sqlite"))
    plain.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (stored TEXT)").fetchall()
    ours, theirs, scans = [], [], []
    with commonplace.open(f"sqlite:{folder / 'book.sqlite'}", actor="bench", extractor=Hanging()) as book:  # type: ignore[arg-type]
        for text in texts:
            ours.append(_timed(lambda text=text: book.capture_session(text)))
            theirs.append(_timed(lambda text=text: plain.execute("INSERT INTO t VALUES (?)", (text,))))
            scans.append(_timed(lambda text=text: redact(text)))
    ours, theirs, scans = ours[2:], theirs[2:], scans[2:]
    yield f"  {name}: median {median(ours) * 1e3:.1f} ms, best {min(ours) * 1e3:.1f}; plain insert {median(theirs) * 1e3:.1f} ms"
    yield f"        of which the scan for secrets: median {median(scans) * 1e3:.1f} ms, best {min(scans) * 1e3:.1f}"
    yield verdict("        milliseconds for 1 MB, the best of the run (others share this machine)", min(ours) * 1e3, 50)
    yield f"        ratio to the plain insert, medians: {median(ours) / median(theirs):.1f}"


def _timed(call: object) -> float:
    started = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - started


def _said(seed: int) -> list[str]:
    return [*sentences(SIZE // 190, seed)]


def _talk(seed: int) -> str:
    turns = (f"{('User', 'Assistant')[n % 2]}: {text}." for n, text in enumerate(_said(seed)))
    return "\n".join(turns)[:SIZE]


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
