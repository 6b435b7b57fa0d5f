"""What a process has of its own, a token or a budget in its environment, counts with a daemon as it does without one."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import PROGRAM, Daemon

import commonplace


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start()
    made.run("save", "We deploy Atlas on Tuesdays.", "--type", "decision", "--rationale", "fewer surprises")
    yield made
    made.stop()


def _run(daemon: Daemon, *words: str, given: str = "", **environment: str) -> str:
    done = subprocess.run(
        [*PROGRAM, *words], env={**daemon.environment, **environment}, cwd=daemon.home, input=given, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_and_hooks_work_with_a_clients_token_in_the_environment(daemon: Daemon) -> None:
    """The guide to MCP puts it there for the agent; the agent's hooks inherit it."""
    token = daemon.run("token", "add", "codex", "--scope", "read")["token"]
    assert "Tuesdays" in _run(daemon, "list", "--json", COMMONPLACE_TOKEN=token)
    payload = json.dumps({"session_id": "s1", "cwd": str(daemon.home), "prompt": "When do we deploy Atlas?"})
    words = ("hook", "prompt", "--host", "codex", "--within", "30")
    assert "Tuesdays" in _run(daemon, *words, given=payload, COMMONPLACE_TOKEN=token)
    asked = [json.loads(line) for line in daemon.log if '"request"' in line]
    assert {(one["client"], one["status"]) for one in asked[1:]} == {("codex", 200)}


def test_a_budget_in_the_environment_is_the_same_with_and_without_the_daemon(daemon: Daemon) -> None:
    """A73."""
    words = ("context", "deploy Atlas", "--json")
    for budget in ("10", "0", ""):
        through, direct = (
            json.loads(_run(daemon, *words, *how, RECALL_TOKEN_BUDGET=budget)) for how in ((), ("--direct",))
        )
        assert (through["budget"], through["text"]) == (direct["budget"], direct["text"])


def test_a_daemon_that_ends_over_a_question_is_not_the_end_of_the_answer(tmp_path: Path) -> None:
    """A question changes nothing, so the book itself is asked; a write is not done twice."""
    stopped = Daemon(tmp_path)
    saved = json.loads(_run(stopped, "save", "We ship.", "--type", "decision", "--rationale", "x", "--json"))
    path = stopped.data / "s"
    book = f"sqlite:{(stopped.data / 'book.sqlite').resolve()}"
    state = {"pid": 1, "url": "http://127.0.0.1:9", "socket": str(path), "token": "t", "books": {"default": book}}
    state |= {"version": commonplace.__version__, "settings": stopped.environment}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        (stopped.data / "daemon.json").write_text(json.dumps(state))
        goes = threading.Thread(target=lambda: [listening.accept()[0].close() for _ in range(2)], daemon=True)
        goes.start()
        assert json.loads(_run(stopped, "get", saved["id"], "--json"))["content"] == "We ship."
        done = subprocess.run(
            [*PROGRAM, "forget", saved["id"]], env=stopped.environment, cwd=tmp_path, capture_output=True, text=True
        )
        goes.join(20)
        assert not goes.is_alive(), "it was not asked"
    assert done.returncode != 0
    assert "Look whether it was done" in done.stderr
