"""Makes the sample book of format version 6: that of version 5, and two searches with their receipts. Run it once.

python tests/samples/make_v6.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import commonplace
from commonplace.testing.clocks import TickingClock

sys.path.insert(0, str(Path(__file__).parent))
import make_v4

HERE = Path(__file__).parent


def make(folder: Path) -> None:
    """Write `v6.sqlite` and `v6.jsonl` into a folder."""
    clock = TickingClock()
    with commonplace.open(f"sqlite:{folder / 'v6.sqlite'}", actor="alice", clock=clock) as book:
        make_v4.live(book, folder, clock)
        book.save("The linter runs before every commit.", type="project", scope="repo", repo_id="tools")
        book.search("which port?", profile="words")
        book.context_for(task="the linter", session="s-1")
        book.export(str(folder / "v6.jsonl"))


if __name__ == "__main__":
    if (HERE / "v6.sqlite").exists():
        sys.exit("the sample is there already; it is kept for ever")
    make(HERE)
    (HERE / "v6.sqlite.lock").unlink()
