"""Makes the sample book of format version 5: that of version 4, and a memory of a repository of no project. Run it once.

python tests/samples/make_v5.py
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
    """Write `v5.sqlite` and `v5.jsonl` into a folder."""
    clock = TickingClock()
    with commonplace.open(f"sqlite:{folder / 'v5.sqlite'}", actor="alice", clock=clock) as book:
        make_v4.live(book, folder, clock)
        book.save("The linter runs before every commit.", type="project", scope="repo", repo_id="tools")
        book.export(str(folder / "v5.jsonl"))


if __name__ == "__main__":
    if (HERE / "v5.sqlite").exists():
        sys.exit("the sample is there already; it is kept for ever")
    make(HERE)
    (HERE / "v5.sqlite.lock").unlink()
