"""The Inspector's command line, as a client that others use: it finds and uses the four tools, over HTTP and over stdio."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import node_tools
from e2e.serving import Daemon

LAUNCHER = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
TOOLS = ["memory_search", "memory_recall", "memory_append", "memory_forget"]
Inspect = Callable[..., Any]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start("--port", "0", "--log", "troubles")
    yield made
    made.stop()


@pytest.fixture(params=["http", "stdio"])
def inspect(daemon: Daemon, request: pytest.FixtureRequest) -> Inspect:
    """`inspect("tools/call", "--tool-name", …)` by one of the two ways in."""
    over_http = ["--transport", "http", "--header", f"Authorization: Bearer {daemon.token}"]
    names = (
        "HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "COMMONPLACE_EMBEDDER",
        "COMMONPLACE_RERANKER",
    )
    own = [word for name in names for word in ("-e", f"{name}={daemon.environment[name]}")]
    target = {
        "http": [f"http://127.0.0.1:{daemon.port}/mcp", *over_http],
        "stdio": [sys.executable, "-m", "commonplace", "mcp", *own],
    }[request.param]

    def inspected(method: str, *words: str) -> Any:
        done = subprocess.run(
            [node_tools.NODE, node_tools.module(LAUNCHER), "--cli", *target, "--method", method, *words],
            env={**node_tools.environment(), "HOME": str(daemon.home)}, cwd=daemon.home, capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return inspected


def arguments(tool: str, **given: str) -> list[str]:
    pairs = [word for name, value in given.items() for word in ("--tool-arg", f"{name}={value}")]
    return ["--tool-name", tool, *pairs]


def test_the_inspector_finds_and_uses_everything_there_is(inspect: Inspect, daemon: Daemon) -> None:
    """A81-A84; `--strict` also looks for schemas that some clients could not take."""
    assert [tool["name"] for tool in inspect("tools/list", "--strict")["tools"]] == TOOLS
    kept = inspect("tools/call", *arguments("memory_append", content="Releases leave on Tuesday.", kind="workflow"))
    id = kept["structuredContent"]["id"]
    found = inspect("tools/call", *arguments("memory_search", query="when do releases leave?"))
    assert [one["id"] for one in found["structuredContent"]["results"]] == [id]
    assert "Tuesday" in inspect("resources/read", "--uri", f"memory://{id}")["contents"][0]["text"]
    assert [one["uriTemplate"] for one in inspect("resources/templates/list")["resourceTemplates"]] == ["memory://{id}"]
    assert len(inspect("prompts/list")["prompts"]) == 2
    assert inspect("prompts/get", "--prompt-name", "reflect_on_session")["messages"]
    assert inspect("tools/call", *arguments("memory_forget", id=id))["structuredContent"]["status"] == "deleted"
    assert [line for line in daemon.log if '"fault"' in line] == []
