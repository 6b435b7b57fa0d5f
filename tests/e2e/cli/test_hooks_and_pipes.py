"""An agent may hand its hook any sort of pipe, or read nothing of what it says: the hook answers whole, or ends in time."""

from __future__ import annotations

import json
import os
import subprocess
import time

from e2e.cli.shell import PROGRAM, Shell

_PAYLOAD = {"session_id": "s-1", "prompt": "When does Atlas ship?"}


def _payload(shell: Shell) -> bytes:
    shell("save", "Atlas ships on Tuesdays.", "--type", "artifact")
    return json.dumps({**_PAYLOAD, "cwd": str(shell.folder)}).encode()


def test_pipes_that_do_not_wait_are_waited_for(shell: Shell) -> None:
    """Nothing is in the one when it is read, and the other is full when it is written to."""
    payload = _payload(shell)
    (given, giving), (hearing, told) = os.pipe(), os.pipe()
    for one in (given, told):
        os.set_blocking(one, False)
    filled = _fill(told)
    hook = subprocess.Popen(
        [*PROGRAM, "hook", "prompt", "--within", "30"], stdin=given, stdout=told, stderr=subprocess.PIPE, env=shell.environment
    )  # fmt: skip
    for one in (given, told):
        os.close(one)
    time.sleep(0.5)
    os.write(giving, payload)
    os.close(giving)
    time.sleep(1)
    with open(hearing, "rb") as heard:
        said = heard.read()[filled:].decode()
    assert hook.communicate(timeout=30)[1].count(b"\n") == 1
    assert hook.returncode == 0
    assert "Atlas ships on Tuesdays." in said
    assert said.splitlines()[-1].startswith("</memory")


def test_a_hook_that_nobody_listens_to_ends_before_the_agent_loses_patience(shell: Shell) -> None:
    """A75: agents wait five seconds."""
    payload = _payload(shell)
    hearing, told = os.pipe()
    os.set_blocking(told, False)
    _fill(told)
    os.set_blocking(told, True)
    done = subprocess.run(
        [*PROGRAM, "hook", "prompt", "--within", "2"], input=payload, stdout=told, stderr=subprocess.PIPE,
        env=shell.environment, timeout=30, check=False,
    )  # fmt: skip
    os.close(hearing)
    os.close(told)
    assert done.returncode == 0


def _fill(pipe: int) -> int:
    """As much as goes into it; returns how much that was."""
    filled = 0
    while True:
        try:
            filled += os.write(pipe, b"x" * 4096)
        except BlockingIOError:
            return filled


def test_a_relative_home_leaves_nothing_in_the_project(shell: Shell) -> None:
    """A folder called `~` in somebody's project invites a terrible command."""
    project = shell.folder / "project"
    project.mkdir()
    given = json.dumps({**_PAYLOAD, "cwd": str(project)})
    lost = dict.fromkeys(("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), "~/nowhere")
    assert shell("hook", "session-start", stdin=given, COMMONPLACE_BOOK="sqlite:/nowhere.sqlite", **lost).code == 0
    assert [*project.iterdir()] == []
    assert [*shell.folder.rglob("~*")] == []
