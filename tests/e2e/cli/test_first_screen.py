"""From the README's first screen to an agent that remembers: its commands as they stand there, then two sessions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e.cli.shell import Shell

README = Path(__file__).parents[3] / "README.md"


def _commands() -> list[str]:
    """What the first screen says to type in a project."""
    block = README.read_text(encoding="utf-8").split("pip install -e ", 1)[1].split("```", 1)[0]
    return [line for line in block.splitlines() if line.startswith("commonplace ")]


@pytest.fixture
def newcomer(tmp_path: Path) -> Shell:
    """A person with an empty home and the command on the path, as `pip install` leaves it; no setting of ours."""
    beside_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = Shell(tmp_path, PATH=beside_python)
    for name in ("COMMONPLACE_BOOK", "COMMONPLACE_ACTOR"):
        del shell.environment[name]
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return shell


def _run(newcomer: Shell, command: str, stdin: str = "") -> str:
    done = subprocess.run(
        command, shell=True, input=stdin, text=True, capture_output=True, timeout=60,
        cwd=newcomer.folder / "project", env=newcomer.environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def _keep(newcomer: Shell, content: str) -> None:
    """What the agent does when it is told to remember: it starts the server in its list and calls the tool."""
    server = json.loads((newcomer.folder / "project" / ".mcp.json").read_text())["mcpServers"]["commonplace"]
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
    arguments = {"content": content, "kind": "workflow"}
    said: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "memory_append", "arguments": arguments}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in said)
    answers = _run(newcomer, " ".join((server["command"], *server["args"])), stdin=lines).splitlines()
    assert not json.loads(answers[-1])["result"]["isError"], answers[-1]


def _ask(newcomer: Shell, prompt: str) -> str:
    """What a new session's agent is handed with its first prompt."""
    hooks = json.loads((newcomer.folder / ".claude" / "settings.json").read_text())["hooks"]
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]
    payload = {"session_id": "two", "cwd": str(newcomer.folder / "project"), "prompt": prompt}
    return _run(newcomer, f"{command} --within 60", json.dumps({"hook_event_name": "UserPromptSubmit", **payload}))


def test_who_follows_the_first_screen_has_an_agent_that_remembers(newcomer: Shell) -> None:
    commands = _commands()
    assert [command.split()[1] for command in commands] == ["install", "install"]
    for command in commands:
        assert "written:" in _run(newcomer, command)
    _keep(newcomer, "We deploy on Thursdays.")
    assert "We deploy on Thursdays." in _ask(newcomer, "When do we deploy?")
