"""`commonplace mcp` beside the daemon: asked when it runs, done without when it does not, with the same results."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.cli.mcp_agent import Agent
from e2e.cli.shell import Shell
from e2e.serving import Daemon


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start()
    yield made
    if made.process.returncode is None:
        made.stop()


def beside(daemon: Daemon, *words: str, version: str = "2025-11-25") -> Agent:
    shell = Shell(daemon.home)
    shell.environment = daemon.environment
    return Agent(shell, *words, version=version)


def asked(daemon: Daemon) -> list[tuple[str, str]]:
    """What the daemon was asked so far, and by whom."""
    lines = (json.loads(line) for line in daemon.log)
    return [(one["operation"], one["client"]) for one in lines if one.get("event") == "request"]


def story(agent: Agent) -> list[Any]:
    """Everything an agent does, with what differs from run to run left out."""
    kept = agent.tool(
        "memory_append", content="Releases leave on Tuesday because Monday is for tests.", kind="decision"
    )
    again = agent.tool(
        "memory_append", content="Releases leave on Tuesday because Monday is for tests.", kind="decision"
    )
    waits = agent.ask(
        "tools/call", name="memory_append", arguments={"content": "Alice likes tea.", "kind": "preference"}
    )
    [found] = agent.tool("memory_search", query="when do releases leave?")["results"]
    recalled = agent.tool("memory_recall", context="prepare the release", phase="release")["result"]
    read = agent.ask("resources/read", uri=f"memory://{kept['id']}")["result"]["contents"][0]["text"]
    inbox = agent.ask("prompts/get", name="review_inbox")["result"]["messages"][0]["content"]["text"]
    gone = agent.tool("memory_forget", id=kept["id"])
    missing = agent.ask("tools/call", name="memory_forget", arguments={"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})["result"]
    assert again["id"] == found["id"] == gone["id"] == kept["id"]
    return [
        kept["slug"], kept["deduplicated"], again["deduplicated"], waits["result"]["content"][1], found["snippet"],
        found["score"], recalled.count("\n"), "trust: agent" in read, "Alice likes tea." in inbox, gone["already_deleted"],
        json.loads(missing["content"][0]["text"])["error"]["kind"],
    ]  # fmt: skip


def test_with_and_without_the_daemon_it_is_the_same_story(daemon: Daemon, tmp_path: Path) -> None:
    with beside(daemon) as agent:
        through = story(agent)
    assert {operation for operation, _ in asked(daemon)} >= {"save", "search", "context", "get", "inbox", "forget"}
    (tmp_path / "alone").mkdir()
    with Agent(Shell(tmp_path / "alone")) as agent:
        assert story(agent) == through


def back(daemon: Daemon, killed: int) -> int:
    """The process that took the place of the killed one."""
    until = time.monotonic() + 30
    while (pid := json.loads((daemon.data / "daemon.json").read_text())["pid"]) == killed:
        assert time.monotonic() < until
        time.sleep(0.05)
    return int(pid)


def test_a_daemon_may_come_and_go_in_the_middle_of_a_conversation(daemon: Daemon) -> None:
    """One that was killed comes back by itself; nothing waits for it, and nothing is lost or done twice."""
    with beside(daemon) as agent:
        one = agent.tool("memory_append", content="Ann reviews maps.", kind="workflow")
        killed = daemon.process.pid
        daemon.kill()
        two = agent.tool("memory_append", content="Bob reviews boats.", kind="workflow")
        revived = back(daemon, killed)
        try:
            found = agent.tool("memory_search", query="who reviews?")["results"]
            assert {result["id"] for result in found} == {one["id"], two["id"]}
            agent.tool("memory_append", content="Cid reviews cars.", kind="workflow")
            assert agent.tool("memory_search", query="who reviews?")["total"] == 3
            entries = daemon.run("journal")
        finally:
            os.kill(revived, signal.SIGTERM)
    assert [entry["verb"] for entry in entries] == ["save"] * 3
    assert {(entry["actor"], entry["trust"], entry["surface"]) for entry in entries} == {("agent:mcp", "agent", "mcp")}


def test_a_name_that_claims_to_be_the_person_does_not_reach_the_daemon(daemon: Daemon) -> None:
    """Row 116: it would be believed there. The book is opened instead, and it is an agent's word."""
    with beside(daemon, "--actor", "alice") as agent:
        kept = agent.tool("memory_append", content="Trust me.", kind="fix")
    assert "save" not in {operation for operation, _ in asked(daemon)}
    assert daemon.run("get", kept["id"])["trust"] == "agent"


def test_direct_means_the_book_itself(daemon: Daemon) -> None:
    with beside(daemon, "--direct") as agent:
        agent.tool("memory_append", content="Ann reviews maps.", kind="workflow")
    assert "save" not in {operation for operation, _ in asked(daemon)}
