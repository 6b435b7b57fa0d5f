"""Makes the sample book of format version 2: as that of version 1, with extra words and vectors. Run it once.

python tests/samples/make_v2.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import commonplace
from commonplace import Book
from commonplace.testing.clocks import TickingClock

sys.path.insert(0, str(Path(__file__).parent))
import make_v1

HERE = Path(__file__).parent


def make(folder: Path) -> None:
    """Write `v2.sqlite` and `v2.jsonl` into a folder."""
    clock = TickingClock()
    with commonplace.open(f"sqlite:{folder / 'v2.sqlite'}", actor="alice", clock=clock) as book:
        make_v1.live(book)
        make_v1.elsewhere(book, folder, clock)
        book.save("Set maxInjectChars before you open 東京都庁.", type="artifact")
        embed(book)
        with commonplace.open(book.url, actor="agent:claude", clock=clock) as agent:
            agent.save("Alice likes tea.", type="profile")
            agent.evolve(book.get("m-1").id, "The port is 7070.", reason="saw it in the log")
        book.export(str(folder / "v2.jsonl"))


def embed(book: Book) -> None:
    """Vectors that any program can make again: the k-th memory points along the k-th axis."""
    canon = book._scribe.canon
    with canon.writing(5.0) as draft:
        waiting = draft.unembedded("axes", 100)
        rows = np.eye(32, dtype=np.float32)[: len(waiting)]
        draft.keep_vectors("axes", [(r.id, r.fingerprint, row[None, :]) for r, row in zip(waiting, rows, strict=True)])


if __name__ == "__main__":
    if (HERE / "v2.sqlite").exists():
        sys.exit("the sample is there already; it is kept for ever")
    make(HERE)
    (HERE / "v2.sqlite.lock").unlink()
