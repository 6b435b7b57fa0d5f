"""The page about MCP is true: every snippet starts a server that answers, and the table of tools is the real one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from commonplace.surfaces.mcp.schemas import INPUTS, described

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "guide" / "mcp.md").read_text()
BLOCKS = re.findall(r"^```(json|toml)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def servers(block: Any) -> list[dict[str, Any]]:
    """The servers that a settings file names, wherever in it they stand."""
    if not isinstance(block, dict):
        return []
    own = [block] if "command" in block or "url" in block else []
    return own + [one for inner in block.values() for one in servers(inner)]


NAMED = [
    server for sort, text in BLOCKS for server in servers(json.loads(text) if sort == "json" else tomllib.loads(text))
]


def test_the_page_has_a_snippet_for_each_form() -> None:
    assert len(NAMED) == 6


@pytest.mark.parametrize("server", [one for one in NAMED if "command" in one], ids=str)
def test_the_command_of_a_snippet_answers_a_handshake(server: dict[str, Any]) -> None:
    assert server["command"] == "commonplace"
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
    program = [sys.executable, "-m", "commonplace.surfaces.cli", *server["args"]]
    done = subprocess.run(program, input=hello, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "commonplace"


@pytest.mark.parametrize("server", [one for one in NAMED if "url" in one], ids=str)
def test_the_address_of_a_snippet_is_the_daemons_and_holds_no_token(server: dict[str, Any]) -> None:
    assert server["url"] == "http://127.0.0.1:7821/mcp"
    assert "COMMONPLACE_TOKEN" in json.dumps(server)


@pytest.mark.parametrize("tool", described(), ids=lambda tool: tool["name"])
def test_the_table_has_every_argument_with_its_default_and_every_field_of_the_answer(tool: dict[str, Any]) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{tool['name']}` |"))
    _, _, takes, answers, _ = row.split(" | ") if row.endswith(" | ") else (*row.split("|"),)
    told = dict(word.partition("=")[::2] for word in re.findall(r"`([^`]+)`", takes))
    wanted = {
        name: json.dumps(said["default"]) if "default" in said else "" for name, said in INPUTS[tool["name"]].items()
    }
    assert told == wanted
    for field in tool["outputSchema"]["required"]:
        assert f"`{field}`" in answers or tool["name"] == "memory_recall"
