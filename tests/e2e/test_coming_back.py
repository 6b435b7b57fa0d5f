"""A daemon that is killed comes back by itself with the next call, whichever way in that comes; one that was stopped does not.

"kill -9 of the daemon under load loses no acknowledged write and it comes back by itself on the next call" (A28, rfc 44).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from serving import PROGRAM, Daemon

WRITERS, ENOUGH = 4, 40


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start()
    yield made
    if made.process.returncode is None:
        made.stop()
    _end_of(made)


def _by_command(daemon: Daemon, id: str) -> str:
    return str(daemon.run("get", id)["content"])


def _by_library(daemon: Daemon, id: str) -> str:
    code = "import commonplace, sys\nwith commonplace.open() as book: print(book.get(sys.argv[1]).content, end='')"
    return _said(daemon, [sys.executable, "-c", code, id])


def _by_hook(daemon: Daemon, id: str) -> str:
    del id
    session = f"s-{time.monotonic_ns()}"  # a session is told nothing twice
    payload = json.dumps(
        {"session_id": session, "cwd": str(daemon.home), "prompt": "What is the password of the harbour?"}
    )
    text = _said(daemon, [*PROGRAM, "hook", "prompt", "--host", "claude-code", "--within", "60"], payload)
    return _KNOWN if _KNOWN in text else text


def _by_mcp(daemon: Daemon, id: str) -> str:
    del id
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "e2e", "version": "1"}}
    call = {"name": "memory_search", "arguments": {"query": "What is the password of the harbour?"}}
    asked: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    said = _said(daemon, [*PROGRAM, "mcp"], "".join(f"{json.dumps(one)}\n" for one in asked))
    answer = next(line for line in map(json.loads, said.splitlines()) if line.get("id") == 2)
    assert not answer["result"]["isError"], answer
    return _KNOWN if _KNOWN in json.dumps(answer["result"]["structuredContent"]) else ""


def _said(daemon: Daemon, command: list[str], given: str = "") -> str:
    done = subprocess.run(
        command, input=given, env=daemon.environment, cwd=daemon.home, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


WAYS: dict[str, Callable[[Daemon, str], str]] = {
    "cli": _by_command,
    "library": _by_library,
    "hook": _by_hook,
    "mcp": _by_mcp,
}
_KNOWN = "The password of the harbour is written on the quay."


@pytest.mark.parametrize("way", WAYS)
def test_the_next_call_works_and_brings_it_back_with_everything_it_acknowledged(daemon: Daemon, way: str) -> None:
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    killed = _state(daemon)
    acknowledged = _killed_under_load(daemon)

    assert WAYS[way](daemon, known) == _KNOWN, "this call is answered, from the book itself"
    now = _back(daemon, killed["pid"])
    assert (now["url"], now["books"]) == (killed["url"], killed["books"]), "where clients look for it"
    assert now["token"] != killed["token"]
    client = daemon.client()
    kept = [client.post("get", id=id)["content"] for id, _ in acknowledged]
    assert kept == [content for _, content in acknowledged]
    assert client.post("verify")["ok"]
    client.close()

    os.kill(now["pid"], signal.SIGTERM)
    _until(lambda: not _path(daemon).exists(), "it stops")
    assert WAYS[way](daemon, known) == _KNOWN
    time.sleep(0.5)
    assert not _path(daemon).exists(), "one that was stopped stays stopped"


def test_it_is_set_as_it_was_and_keeps_nothing_of_whoever_brought_it_back(tmp_path: Path) -> None:
    """An agent's keys stay the agent's, and what one caller sets for itself does not count for all others."""
    daemon = Daemon(tmp_path)
    daemon.environment["RECALL_TOKEN_BUDGET"] = "777"
    daemon.start()
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    killed = _state(daemon)
    daemon.kill()
    daemon.environment |= {"RECALL_TOKEN_BUDGET": "30", "AGENT_API_KEY": "agent-only", "COMMONPLACE_FETCH": "never"}
    assert _by_command(daemon, known) == _KNOWN
    now = _back(daemon, killed["pid"])
    lives_in = Path(f"/proc/{now['pid']}/environ").read_bytes().split(b"\0")
    assert b"RECALL_TOKEN_BUDGET=777" in lives_in
    assert not [one for one in lives_in if one.startswith((b"AGENT_API_KEY", b"COMMONPLACE_FETCH"))]
    _end_of(daemon)


def test_many_calls_at_once_start_one_daemon(daemon: Daemon) -> None:
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    killed = _state(daemon)
    daemon.kill()
    with ThreadPoolExecutor(6) as pool:
        assert [*pool.map(lambda _: _by_library(daemon, known), range(6))] == [_KNOWN] * 6
    _back(daemon, killed["pid"])
    log = (daemon.data / "daemon.log").read_text().splitlines()
    assert [json.loads(line)["event"] for line in log] == ["started"]


def test_one_that_cannot_start_is_not_tried_for_ever(daemon: Daemon) -> None:
    """Its port belongs to somebody else by now: that is said in its log, and the next call does not try again."""
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    daemon.kill()
    other = Daemon(daemon.home / "other")
    other.home.mkdir()
    other.start("--port", str(daemon.port))
    try:
        assert _by_library(daemon, known) == _KNOWN
        _until(lambda: not _path(daemon).exists(), "the one that was begun gives up")
        _until(lambda: str(daemon.port) in (daemon.data / "daemon.log").read_text(), "it says why")
        assert _by_library(daemon, known) == _KNOWN
        assert not _path(daemon).exists()
    finally:
        other.stop()


def test_one_that_does_not_get_so_far_may_rest(daemon: Daemon) -> None:
    """Somebody has begun to start it a moment ago: nobody starts a second one."""
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    killed = _state(daemon)
    daemon.kill()
    claim = daemon.data / "daemon.reviving"
    claim.touch()
    assert _by_library(daemon, known) == _KNOWN
    assert not (daemon.data / "daemon.log").exists()
    os.utime(claim, (time.time() - 60,) * 2)
    assert _by_library(daemon, known) == _KNOWN
    _back(daemon, killed["pid"])


def test_one_that_came_back_has_no_terminal_and_can_be_stopped_all_the_same(daemon: Daemon) -> None:
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    killed = _state(daemon)
    daemon.kill()
    assert _by_library(daemon, known) == _KNOWN
    now = _back(daemon, killed["pid"])
    assert daemon.run("serve", "--stop") == {"stopped": True, "pid": now["pid"]}
    assert not _path(daemon).exists()
    assert _by_library(daemon, known) == _KNOWN
    assert daemon.run("serve", "--stop") == {"stopped": False, "pid": None}
    assert not _path(daemon).exists()


def test_one_that_was_killed_and_then_stopped_does_not_come_back(daemon: Daemon) -> None:
    known = daemon.client().post("save", content=_KNOWN, type="project", scope="global")["id"]
    daemon.kill()
    assert _said(daemon, [*PROGRAM, "serve", "--stop"]) == "commonplace is not running\n"
    assert _by_library(daemon, known) == _KNOWN
    assert not (daemon.data / "daemon.log").exists()


def test_stopping_ends_no_other_process_that_has_its_number(daemon: Daemon) -> None:
    """A state file may be older than the daemon: what it names may be anybody by now."""
    innocent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        _path(daemon).write_text(json.dumps({**_state(daemon), "pid": innocent.pid}))
        done = subprocess.run([*PROGRAM, "serve", "--stop"], env=daemon.environment, capture_output=True, text=True)
        assert done.returncode != 0
        assert "Try again" in done.stderr
        assert innocent.poll() is None
        assert daemon.process.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_a_book_that_it_does_not_serve_leaves_it_alone(daemon: Daemon) -> None:
    daemon.kill()
    code = (
        "import commonplace, sys\nwith commonplace.open(sys.argv[1]) as book: book.save('Elsewhere.', type='episode')"
    )
    _said(daemon, [sys.executable, "-c", code, f"sqlite:{daemon.home / 'other.sqlite'}"])
    assert not (daemon.data / "daemon.log").exists()


def _killed_under_load(daemon: Daemon) -> list[tuple[str, str]]:
    """Writers over HTTP, and kill -9 in the middle; what was acknowledged until then."""
    acknowledged: list[tuple[str, str]] = []

    def write(number: int) -> None:
        client = daemon.client()
        for n in range(100_000):
            content = f"{number}/{n} was acknowledged."
            try:
                status, said = client("POST", "/v1/save", {"content": content, "type": "episode"})
            except Exception:
                return  # the connection ended without an answer
            assert status == 200
            acknowledged.append((said["id"], content))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    _until(lambda: len(acknowledged) >= ENOUGH, "the load is on")
    os.kill(daemon.process.pid, signal.SIGKILL)
    for thread in threads:
        thread.join(60)
    daemon.kill()
    return acknowledged


def _path(daemon: Daemon) -> Path:
    return daemon.data / "daemon.json"


def _state(daemon: Daemon) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_path(daemon).read_text())
    return found


def _back(daemon: Daemon, former: int) -> dict[str, Any]:
    _until(lambda: _state(daemon)["pid"] != former, "it comes back")
    return _state(daemon)


def _until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def _end_of(daemon: Daemon) -> None:
    """Whoever came back is not left running."""
    if _path(daemon).exists() and (pid := _state(daemon)["pid"]) != daemon.process.pid:
        os.kill(pid, signal.SIGTERM)
        _until(lambda: not _path(daemon).exists(), "it stops")
