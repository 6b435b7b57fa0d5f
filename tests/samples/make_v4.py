"""Makes the sample book of format version 4: that of version 3, more entries, some of whose names wait. Run it once.

python tests/samples/make_v4.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import commonplace
from commonplace.testing.clocks import TickingClock

sys.path.insert(0, str(Path(__file__).parent))
import make_v1
import make_v2

HERE = Path(__file__).parent


def make(folder: Path) -> None:
    """Write `v4.sqlite` and `v4.jsonl` into a folder."""
    clock = TickingClock()
    with commonplace.open(f"sqlite:{folder / 'v4.sqlite'}", actor="alice", clock=clock) as book:
        live(book, folder, clock)
        book.export(str(folder / "v4.jsonl"))


def live(book, folder: Path, clock: TickingClock) -> None:
    """What happened in it."""
    make_v1.live(book)
    make_v1.elsewhere(book, folder, clock)
    book.save("Set maxInjectChars before you open 東京都庁.", type="artifact")
    make_v2.embed(book)
    book.capture_session("Alice: I prefer tabs.\nClaude: Noted.", "project", project_id="atlas")
    book.process_pending()
    book.capture_conversation("Bob: And I like tea.\nClaude: Noted.", capture_mode="transcript")
    with commonplace.open(book.url, actor="agent:claude", clock=clock) as agent:
        agent.save("Alice likes tea.", type="profile")
        agent.evolve(book.get("m-1").id, "The port is 7070.", reason="saw it in the log")
    for number in range(50):
        book.save(f"Page {number} of the diary.", type="episode")


if __name__ == "__main__":
    if (HERE / "v4.sqlite").exists():
        sys.exit("the sample is there already; it is kept for ever")
    make(HERE)
    (HERE / "v4.sqlite.lock").unlink()
