"""The OpenAPI document is true: Schemathesis asks a real daemon for everything that stands in it, and believes nothing.

Every operation is tried with what fits its schema and with what does not: no answer of 500 or more, none with a status, a content
type, a header or a form that the document does not declare, nothing accepted that does not fit, nothing answered without a token.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.surfaces.http.openapi import document
from e2e.serving import Daemon

HERE = Path(__file__).parent
SEED = 7


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path).start("--port", "0", "--log", "troubles")
    yield made
    made.stop()


def known(daemon: Daemon) -> str:
    """Ids to ask for, more than a run destroys: of memories, some of them in the inbox, a conflict, an event, an operation."""
    client = daemon.client()
    agent = daemon.client(daemon.run("token", "add", "robot", "--scope", "write")["token"])
    kept = [client.post("save", content=f"Thing {n} is on shelf {n}.", type="episode")["id"] for n in range(8)]
    waiting = [agent.post("save", content=f"Ann likes tea {n}.", type="profile")["id"] for n in range(8)]
    conflict = client.post("contradict", id=kept[0], other_id=kept[1], reason="there is one shelf")["id"]
    event = client.post("capture-session", source="User: hello\nAssistant: hi")["id"]
    return " ".join([*kept, *waiting, conflict, event, client.post("journal")[-1]["id"]])


def tried(daemon: Daemon, phases: str, examples: int, seconds: int) -> dict[str, Any]:
    """What Schemathesis says about the daemon."""
    report = daemon.home / "report.json"
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(HERE / "schemathesis.toml"), "run",
        f"http://127.0.0.1:{daemon.port}/v1/openapi.json", "--phases", phases, "--max-examples", str(examples),
        "--seed", str(SEED), "--report", "json", "--report-json-path", str(report), "--generation-database", "none",
    ]  # fmt: skip
    told = {
        "COMMONPLACE_TOKEN": daemon.token, "COMMONPLACE_KNOWN": known(daemon), "PYTHONPATH": str(HERE.parent),
        "SCHEMATHESIS_HOOKS": "conformance.knowing",
    }  # fmt: skip
    done = subprocess.run(
        command, env={**daemon.environment, **told}, cwd=daemon.home, capture_output=True, text=True, timeout=seconds
    )
    print(f"seed {SEED}\n{done.stdout[-6_000:]}{done.stderr[-2_000:]}{''.join(daemon.log)}")
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def operations() -> int:
    return sum(len(path) for path in document()["paths"].values())


def check(daemon: Daemon, said: dict[str, Any]) -> None:
    assert said["complete"]
    assert said["operations"]["tested"] == said["operations"]["total"] == operations()
    assert said["failures"] == said["errors"] == []
    accepted = [sum(phase["accepted"] for phase in one.values()) for one in said["valid_rates"].values()]
    assert sum(map(bool, accepted)) > 0.7 * operations(), "most were not only refused"
    assert [line for line in daemon.log if '"fault"' in line] == []


def test_every_operation_keeps_what_the_document_promises_and_none_breaks(daemon: Daemon) -> None:
    """Row 100."""
    check(daemon, tried(daemon, "coverage,fuzzing", examples=2, seconds=300))


@pytest.mark.nightly
def test_every_operation_keeps_what_the_document_promises_at_length(daemon: Daemon) -> None:
    check(daemon, tried(daemon, "coverage,fuzzing,stateful", examples=100, seconds=3_600))
