"""One durable save beside one plain insert of the same bytes, in the same loop.

Plain: apsw, WAL, synchronous FULL, `INSERT INTO t (id, content)`, one statement, one commit. Ours: `Book.save`, with secret
scan, duplicate check, journal entry, indexes and full text. Both on the same disk, taking turns, so that load hits both.
"""

from __future__ import annotations

import time
from pathlib import Path

import apsw

import commonplace
from bench.measure import median, sentences, verdict

ROUNDS = 2_000


def run(folder: Path) -> list[str]:
    plain = apsw.Connection(str(folder / "plain.sqlite"))
    plain.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id TEXT PRIMARY KEY, content TEXT)"
    ).fetchall()
    ours, theirs = [], []
    with commonplace.open(f"sqlite:{folder / 'saving.sqlite'}", actor="bench") as book:
        for text in sentences(ROUNDS + 100):
            started = time.perf_counter()
            saved = book.save(text, type="episode")
            middle = time.perf_counter()
            plain.execute("INSERT INTO t VALUES (?, ?)", (saved.id, text))
            ended = time.perf_counter()
            ours.append(middle - started)
            theirs.append(ended - middle)
    ours, theirs = ours[100:], theirs[100:]
    return [
        f"  {ROUNDS} saves of about 200 characters: median {median(ours) * 1e6:.0f} us, plain {median(theirs) * 1e6:.0f} us",
        f"        ratio of the means: {sum(ours) / sum(theirs):.2f}",
        verdict("save / plain insert, medians", median(ours) / median(theirs), 2.5),
    ]
