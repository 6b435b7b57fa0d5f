"""`commonplace mcp` beside the daemon: asked when it runs, done without when it does not, with the same results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import commonplace
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


def together(daemon: Daemon, processes: int, calls: int) -> list[dict[str, Any]]:
    """What many processes say that call at the same time, by REST and by MCP in turn."""
    words = [sys.executable, str(Path(__file__).with_name("mixed_caller.py")), str(daemon.port), str(calls)]
    started = [
        subprocess.Popen([*words, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in range(processes)
    ]
    for one in started:
        assert one.stdin
        one.stdin.write(daemon.token)  # by the pipe: a token has no place among the arguments
        one.stdin.close()
    said = []
    for one in started:
        assert one.stdout
        said.append(json.loads(one.stdout.read()))
        one.stdout.close()
        assert one.wait(120) == 0
    return said


def check_nothing_lost(daemon: Daemon, said: list[dict[str, Any]], calls: int) -> None:
    waits = sorted(wait for one in said for wait in one["waits"])
    print(f"{len(waits)} calls, {waits[len(waits) // 2] * 1e3:.0f} ms at the median, {waits[-1] * 1e3:.0f} at most")
    assert [one["errors"] for one in said if one["errors"]] == []
    assert len(waits) == calls
    kept = [id for one in said for id in one["kept"]]
    assert len(kept) == len({*kept}) >= calls // 2
    daemon.stop()
    with commonplace.open(f"sqlite:{daemon.data / 'book.sqlite'}") as book:
        for id in kept:
            book.get(id)
        assert book.verify().ok


def test_sixteen_processes_by_rest_and_by_mcp_without_an_error_and_nothing_is_lost(daemon: Daemon) -> None:
    check_nothing_lost(daemon, together(daemon, 16, 24), 16 * 24)


@pytest.mark.nightly
def test_sixteen_processes_by_rest_and_by_mcp_at_length(daemon: Daemon) -> None:
    check_nothing_lost(daemon, together(daemon, 16, 500), 16 * 500)


def test_sixty_four_clients_of_mcp_at_once_are_all_served_and_wait_alike(daemon: Daemon) -> None:
    """No error, and nobody waits much longer than the others: first come, first served."""
    client = daemon.client()
    for n in range(100):
        client.post("save", content=f"Number {n} is about thing {n % 17}.", type="episode")
    taken: list[float] = []
    failed: list[Any] = []
    start = threading.Barrier(64)

    def ask(number: int) -> None:
        mine = daemon.client()
        start.wait()
        began = time.monotonic()
        for n in range(6):
            call = {"name": "memory_search", "arguments": {"query": f"thing {(number + n) % 17}", "limit": 3}}
            status, said = mine("POST", "/mcp", {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call})
            if status != 200 or len(said["result"]["structuredContent"]["results"]) != 3:
                failed.append(said)
        taken.append(time.monotonic() - began)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert len(taken) == 64
    assert max(taken) < 4 * sorted(taken)[32]
