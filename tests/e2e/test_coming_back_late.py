"""A hook that has no time for an answer still brings a killed daemon back: that is when it is needed most (A28, A42)."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from serving import PROGRAM, Daemon


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start()
    made.run("save", "We deploy Atlas on Tuesdays.", "--type", "decision", "--rationale", "fewer surprises")
    made.kill()
    yield made
    subprocess.run([*PROGRAM, "serve", "--stop"], env=made.environment, capture_output=True, check=True, timeout=60)


@pytest.mark.parametrize("seconds", ["0.3", "1.5"])
def test_a_hook_that_could_not_answer_brings_it_back(killed: Daemon, seconds: str) -> None:
    """Whether the book kept it waiting until its time was up, or it gave up just before."""
    state = killed.data / "daemon.json"
    former = json.loads(state.read_text())["pid"]
    given = json.dumps({"session_id": "s", "cwd": str(killed.home), "prompt": "When do we deploy Atlas?"})
    deadline = time.monotonic() + 60
    with closing(apsw.Connection(str(killed.data / "book.sqlite"))) as held:
        held.execute("PRAGMA locking_mode = EXCLUSIVE")
        held.execute("BEGIN EXCLUSIVE")
        while not (killed.data / "daemon.log").exists() and time.monotonic() < deadline:  # a busy machine: once more
            done = subprocess.run(
                [*PROGRAM, "hook", "prompt", "--within", seconds], env=killed.environment, cwd=killed.home, input=given,
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stdout) == (0, ""), "the book was not to be had"
    while _pid(state) == former and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _pid(state) not in (None, former)


def _pid(state: Path) -> int | None:
    try:
        return int(json.loads(state.read_text())["pid"])
    except FileNotFoundError:
        return None
