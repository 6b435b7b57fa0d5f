"""Types are read by many threads, so each is taken apart by one of them first (`model.base.taken_apart`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "commonplace"
_READS = re.compile(r"msgspec\.convert\([^\n]*|msgspec\.json\.decode\([^\n]*type=[^\n]*|msgspec\.json\.Decoder\([^\n]*")


def test_nothing_is_read_by_a_type_that_another_thread_may_have_half_taken_apart() -> None:
    reads = [
        (str(file.relative_to(SOURCE)), line)
        for file in sorted(SOURCE.rglob("*.py"))
        for line in _READS.findall(file.read_text(encoding="utf-8"))
        if "taken_apart(" not in line
    ]
    assert reads == [("model/base.py", "msgspec.json.Decoder(sort)")]


CROWD = """
import sys, threading
from importlib import import_module
module, _, name = sys.argv[1].partition(":")
sort = getattr(import_module(module), name)
sys.setswitchinterval(1e-6)
gate = threading.Barrier(8)
def one():
    gate.wait()
    try:
        sort.from_dict({})
    except Exception as cause:
        assert "required" in str(cause), cause
crowd = [threading.Thread(target=one) for _ in range(8)]
for thread in crowd: thread.start()
for thread in crowd: thread.join()
print("alive")
"""


@pytest.mark.parametrize("sort", ["engine.explain:Explanation", "model.result:SearchResults", "model.receipt:Receipt"])
def test_a_crowd_of_threads_that_read_a_type_for_the_first_time_live_on(sort: str) -> None:
    """Without the lock about a third of such processes ended in a segmentation fault, and a daemon once with them."""
    for _ in range(3):
        said = subprocess.run(
            [sys.executable, "-c", CROWD, f"commonplace.{sort}"], capture_output=True, text=True, check=False
        )
        assert (said.returncode, said.stdout) == (0, "alive\n"), said.stderr[-500:]
