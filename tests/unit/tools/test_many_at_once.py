"""Many agents in one workspace: nothing is lost, no id is given twice, nobody sees half a line."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.storage import swap
from commonplace.tools import Toolset

from .conftest import found, stored

Lines = Callable[[], list[dict[str, Any]]]

_AGENT = """
import json, sys
from commonplace.tools import Toolset
workspace, name, count = sys.argv[1:]
with Toolset(workspace, {"memory": {"max_total": 100000}}) as tools:
    answers = [tools.dispatch("memory_store", {"text": f"{name} says {number}"}) for number in range(int(count))]
print(json.dumps(answers))
"""


def _run(workspace: Path, agents: int, each: int) -> list[list[dict[str, Any]]]:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _AGENT, str(workspace), f"agent{number}", str(each)], stdout=subprocess.PIPE
        )
        for number in range(agents)
    ]
    return [json.loads(agent.communicate(timeout=600)[0]) for agent in started]


def _nothing_is_lost(workspace: Path, lines: Lines, agents: int, each: int) -> None:
    answers = _run(workspace, agents, each)
    assert all(answer["ok"] for said in answers for answer in said), answers
    text = {line["id"]: line["text"] for line in lines()}
    assert len(lines()) == len(text) == agents * each
    assert [*text] == [f"m-{number}" for number in range(1, agents * each + 1)]
    for number, said in enumerate(answers):  # everybody was told the id under which it stands, in the order it was said
        assert [text[answer["id"]] for answer in said] == [f"agent{number} says {count}" for count in range(each)]
    with commonplace.open(f"jsonl:{workspace / '.aegis' / 'memory'}") as book:
        assert book.stats().memories == agents * each
        assert book.verify()


def test_four_processes_lose_nothing(workspace: Path, lines: Lines) -> None:
    """G20, G38, X-12, row 57 in small."""
    _nothing_is_lost(workspace, lines, agents=4, each=50)


@pytest.mark.nightly
def test_sixteen_processes_lose_nothing(workspace: Path, lines: Lines) -> None:
    """Row 57."""
    _nothing_is_lost(workspace, lines, agents=16, each=200)


def test_threads_share_one_toolset(tools: Toolset, lines: Lines) -> None:
    """G20."""

    def say(name: str) -> None:
        for number in range(10):
            stored(tools, f"{name} says {number}")

    threads = [threading.Thread(target=say, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({line["id"] for line in lines()}) == len({line["text"] for line in lines()}) == 40


def test_the_limit_holds_when_several_prune(workspace: Path, lines: Lines) -> None:
    """G19: whoever comes last tidies up."""
    everybody = [Toolset(workspace, {"memory": {"max_total": 10}}) for _ in range(3)]

    def say(name: str, tools: Toolset) -> None:
        for number in range(8):
            stored(tools, f"{name} says {number}")

    threads = [threading.Thread(target=say, args=(name, tools)) for name, tools in zip("abc", everybody, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines()) <= 10
    assert len(found(everybody[0])) == len(lines())
    for tools in everybody:
        tools.close()


@pytest.fixture
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is slow because the machine is busy is waited for: what a program that never closes its file leaves is kept beside."""
    monkeypatch.setattr(swap, "_PATIENCE_SECONDS", 60.0)


@pytest.mark.usefixtures("_patience")
def test_a_program_that_knows_no_lock_loses_nothing_either(tools: Toolset, file: Path, lines: Lines) -> None:
    """G38, row 47: it appends while we store and delete; every line of its is there, and every answer of ours is a yes."""
    stored(tools, "first")

    def append() -> None:
        for number in range(12):
            with file.open("ab", buffering=0) as appended:
                appended.write(b'{"id":"x-%d","text":"theirs %d"}\n' % (number, number))
            time.sleep(0.05)

    theirs = threading.Thread(target=append)
    theirs.start()
    ours = []
    while theirs.is_alive():
        ours.append(stored(tools, f"ours {len(ours)}"))
        assert tools.dispatch("memory_delete", {"id": ours[-1]}) == {"ok": True}
    theirs.join()
    assert {line["id"] for line in lines()} == {"m-1", *(f"x-{number}" for number in range(12))}
    assert len({*ours}) == len(ours) >= 1


@pytest.mark.usefixtures("_patience")
def test_a_line_that_comes_late_into_the_replaced_file_is_not_lost(tools: Toolset, file: Path, lines: Lines) -> None:
    """G38, row 47: it opened the file, we delete a line and thereby replace the file, and only then it writes."""
    stored(tools, "first")
    ours = stored(tools, "ours")
    was = file.stat().st_ino
    opened = file.open("ab", buffering=0)

    def append() -> None:
        while file.stat().st_ino == was:
            time.sleep(0.0002)
        time.sleep(0.02)
        opened.write(b'{"id":"x-1","text":"theirs"}\n')
        opened.close()

    theirs = threading.Thread(target=append)
    theirs.start()
    assert tools.dispatch("memory_delete", {"id": ours}) == {"ok": True}
    theirs.join()
    assert [line["id"] for line in lines()] == ["m-1", "x-1"]
    assert [path.name for path in file.parent.iterdir() if "partial" in path.name or "conflict" in path.name] == []
