"""`commonplace mcp` as agents run it: a real process, JSON lines over pipes, a book that others use at the same time."""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from e2e.cli.mcp_agent import VERSIONS, Agent
from e2e.cli.shell import Shell


@pytest.mark.parametrize("version", VERSIONS)
def test_an_agent_remembers_in_one_process_and_finds_it_in_the_next(shell: Shell, version: str) -> None:
    with Agent(shell, version=version) as first:
        kept = first.tool(
            "memory_append", content="Releases leave on Tuesday because Monday is for tests.", kind="decision"
        )
    with Agent(shell, version=version) as second:
        found = second.tool("memory_search", query="when do releases leave?")["results"]
        assert [one["id"] for one in found] == [kept["id"]]
        assert "Tuesday" in second.tool("memory_recall", context="prepare the release", phase="release")["result"]
        assert second.tool("memory_forget", id=kept["id"])["already_deleted"] is False
    assert shell("get", kept["id"], "--json").json["status"] == "deleted"


def test_who_said_it_and_through_what_is_on_record(shell: Shell) -> None:
    with Agent(shell) as agent:
        one = agent.tool("memory_append", content="Ann reviews maps.", kind="workflow")
    with Agent(shell, "--actor", "agent:claude", "--project", "atlas") as agent:
        two = agent.tool("memory_append", content="Bob reviews boats.", kind="workflow")
    entries = {entry["changes"][-1][1]: entry for entry in shell("journal", "--json").json}
    assert (entries[one["id"]]["actor"], entries[one["id"]]["surface"]) == ("agent:mcp", "mcp")
    assert entries[two["id"]]["actor"] == "agent:claude"
    assert shell("get", two["id"], "--json").json["project_id"] == "atlas"


def test_eight_agents_at_once_on_one_book_lose_nothing(shell: Shell) -> None:
    """A28: many sessions, one writer at a time, beside the command line."""
    shell("save", "There is a book.", "--type", "project")

    def work(number: int) -> list[str]:
        with Agent(shell, version=VERSIONS[number % 4]) as agent:
            ids = []
            for turn in range(6):
                said = agent.tool("memory_append", content=f"Agent {number} learned thing {turn}.", kind="fix")
                ids.append(said["id"])
                assert agent.tool("memory_search", query=f"agent {number} thing {turn}")["total"] >= 1
            agent.tool("memory_forget", id=ids[0])
            return ids

    with ThreadPoolExecutor(8) as pool:
        kept = [id for ids in pool.map(work, range(8)) for id in ids]
    assert len({*kept}) == 48
    listed = shell("list", "--statuses", "all", "--limit", "100", "--json").json
    by_status = [record["status"] for record in listed if record["id"] in kept]
    assert (by_status.count("active"), by_status.count("deleted")) == (40, 8)
    assert shell("verify").code == 0


def test_it_ends_quietly_with_its_input_even_if_nothing_was_asked(shell: Shell) -> None:
    said = shell("mcp")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert not shell.path.exists()


def test_it_stops_when_it_is_told_to_and_keeps_what_it_answered(shell: Shell) -> None:
    agent = Agent(shell).__enter__()
    kept = agent.tool("memory_append", content="Ann reviews maps.", kind="workflow")
    agent.process.send_signal(signal.SIGTERM)
    out, err = agent.process.communicate(timeout=60)
    assert (agent.process.returncode, out, err) == (0, b"", b"")
    assert shell("get", kept["id"]).code == 0


def test_what_was_answered_survives_a_kill(shell: Shell) -> None:
    agent = Agent(shell).__enter__()
    kept = agent.tool("memory_append", content="Ann reviews maps.", kind="workflow")
    agent.process.kill()
    agent.process.communicate(timeout=60)
    with Agent(shell) as again:
        assert again.tool("memory_search", query="who reviews maps?")["results"][0]["id"] == kept["id"]


def test_a_reader_that_went_away_is_no_traceback(shell: Shell) -> None:
    agent = Agent(shell).__enter__()
    assert agent.process.stdout
    agent.process.stdout.close()
    _, err = agent.process.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=60)
    assert err == b""
    assert agent.process.returncode in (0, 141)


def test_a_wrong_book_is_an_answer_and_not_a_server_that_does_not_start(shell: Shell) -> None:
    with Agent(shell, "-b", "nonsense:x") as agent:
        said = agent.ask("tools/call", name="memory_search", arguments={"query": "x"})["result"]
        assert said["isError"]
        told = json.loads(said["content"][0]["text"])["error"]
        assert (told["kind"], told["where"]) == ("invalid", "book")


def test_a_line_of_nonsense_or_of_any_length_ends_nothing(shell: Shell) -> None:
    lines = [
        b"nonsense",
        b"x" * 6_000_000,
        os.urandom(500).replace(b"\n", b""),
        b'{"jsonrpc":"2.0","id":9,"method":"ping"}',
        b"",
    ]
    said = shell("mcp", stdin=b"\n".join(lines))
    assert said.code == 0
    assert [json.loads(line)["id"] for line in said.out.splitlines()] == [None, None, None, 9]
    assert said.err == ""


def test_starting_costs_little_and_loads_no_model(shell: Shell, tmp_path: Path) -> None:
    """The handshake must not wait for a book: agents start all their servers at once."""
    lines = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
    said = shell("mcp", stdin=lines, PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.rpartition("|")[2].strip() for line in said.err.splitlines()}
    assert json.loads(said.out)["result"]["serverInfo"]["name"] == "commonplace"
    assert not loaded & {"apsw", "numpy", "onnxruntime", "asyncio", "http.client", "pydantic", "mcp"}
