"""MCP's own conformance suite, against `/mcp` of a real daemon, and against our protocol with the suite's own fixtures.

Each scenario is named here: what the daemon passes, what it cannot and why. One that is in neither list, or that ends otherwise
than it says here, fails. Whatever a scenario asks for, every byte of ours on the wire must fit the schema of its version.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import node_tools
from conformance.fixtures import Reference
from conformance.gate import Gate
from e2e.serving import Daemon

VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28")

DAEMON = {
    "server-initialize", "server-session-lifecycle", "server-stateless", "ping", "tools-list", "resources-list", "prompts-list",
    "sep-2164-resource-not-found", "dns-rebinding-protection", "caching", "http-header-validation", "server-sse-multiple-streams",
    "input-required-result-missing-input-response", "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params", "input-required-result-validate-input",
}  # fmt: skip
"""What a server passes whatever its tools are."""

WITH_FIXTURES = {
    "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource",
    "tools-call-mixed-content", "tools-call-error", "json-schema-2020-12", "resources-read-text", "resources-read-binary",
    "resources-templates-read", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
    "prompts-get-with-image",
}  # fmt: skip
"""What calls a tool, a resource or a prompt of the suite's own; a book has others, so our protocol shows it with theirs."""

NOT_OFFERED = {
    "logging-set-level": "no logging",
    "tools-call-with-logging": "no logging",
    "completion-complete": "no completion",
    "resources-subscribe": "no subscriptions",
    "resources-unsubscribe": "no subscriptions",
    "tools-call-with-progress": "no streams, so no progress",
    "server-sse-polling": "no streams",
    "tools-call-sampling": "the client is never asked back",
    "tools-call-elicitation": "the client is never asked back",
    "elicitation-sep1034-defaults": "the client is never asked back",
    "elicitation-sep1330-enums": "the client is never asked back",
    "http-custom-header-server-validation": "no tool repeats an argument in a header",
    **dict.fromkeys(
        [
            f"input-required-result-{name}"
            for name in (
                "basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multiple-input-requests",
                "multi-round", "non-tool-request", "result-type", "tampered-state", "capability-check",
            )
        ],
        "the client is never asked back",
    ),
}  # fmt: skip
"""What the handshake does not announce; a client that looks at it never asks."""

UNTESTABLE = {
    "sep-2575-server-rejects-undeclared-capability": "no tool needs a capability of the client",
    "sep-2575-missing-capability-http-400": "no tool needs a capability of the client",
    "sep-2575-http-server-no-independent-requests-on-stream": "no streams",
    "sep-2575-server-no-log-without-loglevel": "no logging",
}
"""Single checks of scenarios that pass otherwise."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("suite")).start("--port", "0", "--log", "troubles")
    made.client().post("save", content="Releases leave on Tuesday.", type="project", always_load=True)
    yield made
    made.stop()


def ran(url: str, version: str, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every scenario of a version, with its checks."""
    words = ["server", "--url", url, "--suite", "all", "--spec-version", version, "--output-dir", str(folder / "said")]
    program = node_tools.module("@modelcontextprotocol/conformance/dist/index.js")
    done = subprocess.run(
        [node_tools.NODE, program, *words, "--timeout", "20000"],
        env=node_tools.environment(), cwd=folder, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    print(done.stdout[-4_000:], done.stderr[-1_000:])
    listed = [line.split()[1].rstrip(":") for line in done.stdout.splitlines() if line.startswith(("✓", "✗"))]
    said = {
        name: json.loads(path.read_text())
        for name in listed
        for path in folder.glob(f"said/server-{name}-20*/checks.json")
    }
    assert {*listed} == said.keys()
    assert len(said) >= 25
    return said


def check_passed(checks: list[dict[str, Any]]) -> None:
    failed = {one["id"]: one.get("errorMessage") for one in checks if one["status"] == "FAILURE"}
    assert failed.keys() <= UNTESTABLE.keys(), failed
    assert any(one["status"] == "SUCCESS" for one in checks)


def check_wire(said: dict[str, list[dict[str, Any]]]) -> None:
    """Also where something was asked for that is not there: what was answered is well-formed."""
    wires = [one for checks in said.values() for one in checks if one["id"].startswith("wire-schema")]
    assert len(wires) >= 20
    assert [one for one in wires if one["status"] != "SUCCESS"] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_the_daemon_passes_every_scenario_that_applies_to_it(daemon: Daemon, version: str, tmp_path: Path) -> None:
    """A28; rows 95, 101."""
    with Gate(daemon.port, daemon.token) as url:
        said = ran(url, version, tmp_path)
    assert said.keys() <= DAEMON | WITH_FIXTURES | NOT_OFFERED.keys()
    for name in said.keys() & DAEMON:
        check_passed(said[name])
    for name in said.keys() - DAEMON:
        assert not any(one["status"] == "SUCCESS" and not one["id"].startswith("wire") for one in said[name]), name
    check_wire(said)
    assert [line for line in daemon.log if '"fault"' in line] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_our_protocol_passes_with_the_suites_own_tools_resources_and_prompts(version: str, tmp_path: Path) -> None:
    with Reference() as url:
        said = ran(url, version, tmp_path)
    assert said.keys() & WITH_FIXTURES >= WITH_FIXTURES - {"json-schema-2020-12"}
    # Whether a stranger's Origin comes in is the daemon's to say: no part of the protocol.
    for name in said.keys() & (DAEMON | WITH_FIXTURES) - {"dns-rebinding-protection"}:
        check_passed(said[name])
    check_wire(said)
