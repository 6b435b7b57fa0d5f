"""One durable save beside one plain insert of the same bytes, in the same loop.

Plain: apsw, WAL, synchronous FULL, one `INSERT` of the id and the memory as JSON, one commit; and, for comparison, of the id
and the bare text. Ours: `Book.save`, with secret scan, duplicate check, journal entry, witness, indexes and full text. All on
the same disk, taking turns, so that load hits all.
"""

from __future__ import annotations

import time
from pathlib import Path

import apsw

import commonplace
from bench.measure import median, sentences, verdict

ROUNDS = 2_000


def run(folder: Path) -> list[str]:
    whole, bare = (_plain(folder / name) for name in ("whole.sqlite", "bare.sqlite"))
    ours: list[float] = []
    theirs: list[float] = []
    bares: list[float] = []
    with commonplace.open(f"sqlite:{folder / 'saving.sqlite'}", actor="bench") as book:
        for text in sentences(ROUNDS + 100):
            started = time.perf_counter()
            saved = book.save(text, type="episode")
            ours.append(time.perf_counter() - started)
            for times, db, stored in ((theirs, whole, saved.to_json()), (bares, bare, text)):
                started = time.perf_counter()
                db.execute("INSERT INTO t VALUES (?, ?)", (saved.id, stored))
                times.append(time.perf_counter() - started)
    ours, theirs, bares = ours[100:], theirs[100:], bares[100:]
    return [
        f"  {ROUNDS} saves of about 200 characters: median {median(ours) * 1e6:.0f} us, plain {median(theirs) * 1e6:.0f} us",
        verdict("save / plain insert of the same bytes, medians", median(ours) / median(theirs), 2.5),
        f"        ratio of the means: {sum(ours) / sum(theirs):.2f}; to the bare text: {median(ours) / median(bares):.2f}",
    ]


def _plain(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id TEXT PRIMARY KEY, stored TEXT)"
    ).fetchall()
    return db
