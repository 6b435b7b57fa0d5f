"""Calls of several processes with one memory: one after the other, none lost, and nobody waits for the dead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("worker.py")


def started(desk, name, *, count=1, lock=30.0, think="at-once"):
    asked = [sys.executable, str(WORKER), str(desk.root), "user:alice", name, str(count), str(lock), think]
    return subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(process):
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return [line for line in out.splitlines() if line != "inside"]


def test_calls_with_one_memory_come_one_after_the_other(desk):
    """V31, V37: each reads what the one before wrote; a counter in the digest ends at the number of calls."""
    processes = [started(desk, f"p{n}", count=5) for n in range(3)]
    answers = [line for process in processes for line in said(process)]
    assert sorted(answers, key=lambda line: int(line.split()[1])) == [f"answer {n}" for n in range(1, 16)]
    assert desk.digest == "15"
    assert [line["digest"] for line in desk.lines()] == [str(n) for n in range(1, 16)]


def test_a_third_that_will_not_wait_is_told_that_it_is_locked(desk):
    """V39, V-a: `error(kind="locked")`; the two that wait are served."""
    first = started(desk, "first", think="until-told")
    assert first.stdout.readline() == "inside\n"
    second, third = started(desk, "second"), started(desk, "third", lock=0.2)
    assert said(third) == ["error locked"]
    assert desk.files() == {}, "nobody wrote while the first one thinks"
    first.stdin.write("go on\n")
    assert said(first) == ["answer 1"]
    assert said(second) == ["answer 2"]
    assert [line["retain"] for line in desk.lines()] == [["W first wrote number 1."], ["W second wrote number 2."]]


def test_a_call_that_is_killed_while_it_thinks_holds_nobody_up(desk):
    """R5: nothing was written, and the lease is free."""
    doomed = started(desk, "doomed", think="until-told")
    assert doomed.stdout.readline() == "inside\n"
    doomed.kill()
    doomed.communicate()
    assert said(started(desk, "next", lock=10.0)) == ["answer 1"]
    assert [line["retain"] for line in desk.lines()] == [["W next wrote number 1."]]


@pytest.mark.nightly
def test_many_processes_many_calls(desk):
    """V31, V37: 8 processes, 25 calls each."""
    processes = [started(desk, f"p{n}", count=25, lock=300.0) for n in range(8)]
    assert sum(len(said(process)) for process in processes) == 200
    assert desk.digest == "200"
    assert len(desk.lines()) == 200
