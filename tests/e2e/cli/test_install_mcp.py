"""`install mcp` as a person runs it: the exact change is shown, what is written starts a server that answers, and it goes."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from e2e.cli.shell import Shell

FILES = {
    "claude-code": ".mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "openclaw": ".openclaw/openclaw.json",
    "vscode": ".vscode/mcp.json",
}
LISTS = {"codex": ("mcp_servers",), "openclaw": ("mcp", "servers"), "vscode": ("servers",)}


def _files(shell: Shell) -> dict[str, bytes]:
    return {
        str(path.relative_to(shell.folder)): path.read_bytes() for path in shell.folder.rglob("*") if path.is_file()
    }


def _entry(shell: Shell, client: str) -> dict[str, Any]:
    text = (shell.folder / FILES[client]).read_text()
    said: Any = tomllib.loads(text) if client == "codex" else json.loads(text)
    for step in (*LISTS.get(client, ("mcpServers",)), "commonplace"):
        said = said[step]
    return dict(said)


@pytest.mark.parametrize("client", FILES)
def test_what_is_written_was_shown_starts_a_server_and_goes_again(shell: Shell, client: str) -> None:
    words = ("mcp", "--client", client, "--program", f"{sys.executable} -m commonplace")
    before = _files(shell)
    dry = shell("install", *words, "--dry-run")
    assert (dry.code, dry.err, _files(shell)) == (0, "", before)
    done = shell("install", *words)
    assert done.out == dry.out.replace("would be written", "written")
    shown = [line[1:] for line in done.out.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert shown == (shell.folder / FILES[client]).read_text().splitlines()
    assert _answers(shell, _entry(shell, client)) == {
        "memory_search",
        "memory_recall",
        "memory_append",
        "memory_forget",
    }
    assert "nothing to change" in shell("install", *words).out
    assert shell("uninstall", *words[:3]).code == 0
    assert _files(shell) == before


def _answers(shell: Shell, entry: dict[str, Any]) -> set[str]:
    """The tools that the server names which this entry starts."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "e2e", "version": "1"}}
    asked: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    done = subprocess.run(
        [entry["command"], *entry["args"]], input="".join(f"{json.dumps(one)}\n" for one in asked), text=True,
        env=shell.environment, cwd=shell.folder, capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    said = next(line for line in map(json.loads, done.stdout.splitlines()) if line.get("id") == 2)
    return {tool["name"] for tool in said["result"]["tools"]}


def test_without_a_name_it_is_claude_code_and_the_project(shell: Shell) -> None:
    said = shell("install", "mcp", "--print", "-b", "sqlite:/x").json
    assert said == {"mcpServers": {"commonplace": {"command": "commonplace", "args": ["mcp", "--book=sqlite:/x"]}}}
    assert shell("install", "mcp", "--client", "cursor", "--level", "project", "--json").json["changes"][0]["written"]
    assert _entry(shell, "cursor")["command"] == "commonplace", "a project's file is shared"
    assert not (shell.folder / ".mcp.json").exists()


@pytest.mark.parametrize("what", [["mcp"], ["claude-code", "--level", "project"]])
def test_where_the_name_alone_will_not_be_found_it_is_said_how_to_name_the_program(
    shell: Shell, what: list[str]
) -> None:
    """An agent is started outside of the environment that this program lies in."""
    found = shell.folder / "found"
    found.mkdir()
    said = shell("install", *what, "--dry-run", PATH=f"{Path(sys.executable).parent}:{found}").out
    assert f"--program {Path(sys.executable).parent}" in " ".join(said.split())
    assert "--program " not in shell("install", *what, "--dry-run", "--program", "/opt/commonplace").out
    (found / "commonplace").write_text("#!/bin/sh\n")
    (found / "commonplace").chmod(0o755)
    known = shell("install", *what, "--dry-run", PATH=f"{Path(sys.executable).parent}:{found}").out
    assert "--program " not in known


def test_for_the_user_the_whole_path_is_named(shell: Shell) -> None:
    shell("install", "mcp", "--client", "gemini")
    assert Path(_entry(shell, "gemini")["command"]).is_absolute()


def test_the_users_own_list_is_for_claudes_own_command_to_change(shell: Shell) -> None:
    said = shell("install", "mcp", "--level", "user")
    assert said.code == 2
    assert "claude mcp add --scope user commonplace" in said.err


@pytest.mark.parametrize(
    "words",
    [["--client", "emacs"], ["--client", "vscode", "--level", "user"], ["--client", "codex", "--level", "project"]],
)
def test_it_refuses_what_it_does_not_know(shell: Shell, words: list[str]) -> None:
    assert shell("install", "mcp", *words).code == 2
    assert shell("install", "codex", "--client", "cursor").code == 2


def test_a_file_in_another_form_is_left_alone_and_it_is_said_how_to_go_on(shell: Shell) -> None:
    file = shell.folder / ".mcp.json"
    file.write_text("mcpServers:\n  none: yes\n")
    said = shell("install", "mcp", "--json")
    assert said.code != 0
    assert said.error["kind"] == "invalid"
    assert "--print" in said.error["hint"]
    assert file.read_text() == "mcpServers:\n  none: yes\n"
