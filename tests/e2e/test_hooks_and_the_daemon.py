"""A hook asks the daemon when one serves its book, with the same answer; when it is gone, it opens the file."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace.surfaces.cli.install import own_program

_PROGRAM = [sys.executable, "-m", "commonplace"]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    names = {"XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
    env = os.environ | {name: str(tmp_path / folder) for name, folder in names.items()}
    env |= {"COMMONPLACE_ACTOR": "alice", "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("COMMONPLACE_BOOK", "COMMONPLACE_CONFIG", "MEMORY_VAULT_PATH"):
        env.pop(name, None)
    save = ["save", "We deploy Atlas on Tuesdays.", "--type", "decision", "--rationale", "fewer surprises"]
    subprocess.run([*_PROGRAM, *save], env=env, check=True, capture_output=True, cwd=tmp_path)
    return env


@pytest.fixture
def daemon(home: dict[str, str], tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (tmp_path / "serve.log").open("wb") as log:
        served = subprocess.Popen([*_PROGRAM, "serve", "--port", "0"], env=home, stderr=log, stdout=log, cwd=tmp_path)
        state = Path(home["XDG_DATA_HOME"], "commonplace", "daemon.json")
        deadline = time.monotonic() + 60
        while not state.exists() and time.monotonic() < deadline and served.poll() is None:
            time.sleep(0.05)
        yield served
        served.send_signal(signal.SIGKILL)
        served.wait()
        _end_whoever_came_back(state, served.pid)


def _end_whoever_came_back(state: Path, former: int) -> None:
    """A hook that finds a killed daemon starts it anew (`test_coming_back.py`); it is not left running."""
    deadline = time.monotonic() + 20
    while (state.parent / "daemon.reviving").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    if state.exists() and (pid := json.loads(state.read_text())["pid"]) != former:
        os.kill(pid, signal.SIGTERM)
        while state.exists() and time.monotonic() < deadline:
            time.sleep(0.05)


def _hook(home: dict[str, str], where: Path, session: str) -> tuple[str, str]:
    payload = {
        "session_id": session,
        "cwd": str(where),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "when do we deploy atlas?",
    }
    asked = [*_PROGRAM, "hook", "prompt", "--within", "20"]
    done = subprocess.run(
        asked, env=home, input=json.dumps(payload).encode(), capture_output=True, cwd=where, timeout=90
    )
    assert done.returncode == 0
    return done.stdout.decode(), done.stderr.decode()


def _was_asked(where: Path, operation: str) -> bool:
    """It says so in its log, a moment after it has answered."""
    deadline = time.monotonic() + 20
    while operation not in _asked_of(where) and time.monotonic() < deadline:
        time.sleep(0.05)
    return operation in _asked_of(where)


def _asked_of(where: Path) -> list[str]:
    lines = [line for line in (where / "serve.log").read_text().splitlines() if line.startswith("{")]
    return [said["operation"] for line in lines if (said := json.loads(line)).get("event") == "request"]


def test_the_daemon_answers_and_the_next_prompt_is_told_only_what_is_new(
    home: dict[str, str], daemon: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    text, said = _hook(home, tmp_path, "one")
    assert "We deploy Atlas on Tuesdays." in text
    assert "(goal)" in said
    assert _was_asked(tmp_path, "context")
    text, said = _hook(home, tmp_path, "one")
    assert text == ""
    assert "nothing new" in said


def test_a_daemon_that_ends_over_the_question_is_not_the_end_of_the_answer(
    home: dict[str, str], tmp_path: Path
) -> None:
    """What a hook asks changes nothing, so the book itself can be asked then."""
    data = Path(home["XDG_DATA_HOME"], "commonplace")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "sock"))
    listening.listen()
    state = {"pid": 1, "url": "http://127.0.0.1:1", "socket": str(tmp_path / "sock"), "token": "t"}
    state |= {"books": {"default": f"sqlite:{data / 'book.sqlite'}"}, "version": commonplace.__version__}
    (data / "daemon.json").write_text(json.dumps(state))
    asked: list[bytes] = []

    def end_over_it() -> None:
        connection, _ = listening.accept()
        asked.append(connection.recv(65_536))
        connection.close()

    thread = threading.Thread(target=end_over_it)
    thread.start()
    text, _ = _hook(home, tmp_path, "three")
    thread.join(20)
    listening.close()
    assert asked[0].startswith(b"POST /v1/")
    assert "We deploy Atlas on Tuesdays." in text


def test_a_hook_that_the_daemon_answers_costs_little_more_than_python(
    home: dict[str, str], daemon: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """The least processor time of several starts, beside `python -c pass` in turns; the wall clock is measured by the bench."""
    written = home.copy()
    written.pop("PYTHONDONTWRITEBYTECODE")
    payload = json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": "when do we deploy atlas?"}).encode()
    hook = [*shlex.split(own_program("user")), "hook", "prompt", "--host", "claude-code", "--within", "20"]
    least = {"pass": 9.0, "hook": 9.0}
    for _ in range(12):
        for name, command in (("pass", [sys.executable, "-c", "pass"]), ("hook", hook)):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, input=payload, env=written, capture_output=True, check=True, cwd=tmp_path)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            least[name] = min(least[name], spent)
    print(f"python -c pass {least['pass'] * 1e3:.1f} ms, hook {least['hook'] * 1e3:.1f} ms")
    assert _was_asked(tmp_path, "context")
    assert least["hook"] <= 3 * least["pass"]


def test_a_policy_is_sent_to_the_daemon_as_its_text(
    home: dict[str, str], daemon: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """The daemon takes no path of the machine from anybody; one that cannot be read is told here, by name."""

    def said(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*_PROGRAM, *words, "--json"], env=home, capture_output=True, cwd=tmp_path, timeout=60)

    waiting = ["save", "Bob likes tea.", "--type", "profile", "--actor", "agent:bob"]
    id = json.loads(said(*waiting).stdout)["id"]
    (tmp_path / "policy.toml").write_text('[[accept]]\ntypes = ["profile"]\ntrusts = ["agent"]\n')
    done = said("inbox", "apply", "policy.toml", "--dry-run")
    assert json.loads(done.stdout)["accepted"] == [id]
    assert _was_asked(tmp_path, "inbox-apply")
    missing = said("inbox", "apply", "none.toml")
    assert missing.returncode != 0
    assert b"none.toml" in missing.stderr
    assert _asked_of(tmp_path).count("inbox-apply") == 1


def test_a_daemon_that_was_killed_is_not_waited_for(
    home: dict[str, str], daemon: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    text, _ = _hook(home, tmp_path, "two")
    assert "We deploy Atlas on Tuesdays." in text
