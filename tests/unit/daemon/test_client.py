"""Speaking to the daemon from a process that lives briefly: whose it is, what it is told, and what is no daemon."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from commonplace.errors import InvalidError, UnavailableError
from commonplace.places import config_path, data_folder
from commonplace.surfaces.http.client import Daemon, NotThereError, running
from commonplace.surfaces.http.reviving import revive
from commonplace.surfaces.http.state import Running, Single, found_running, stop

STATE: dict[str, Any] = {"pid": 1, "url": "http://127.0.0.1:9", "token": "cpl_own", "version": "1"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("COMMONPLACE_TOKEN", "COMMONPLACE_CONFIG", "RECALL_TOKEN_BUDGET", "HARNESS_RECALL_BUDGET_PLAN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    os.makedirs(data_folder())
    return tmp_path


def _state(path: Path) -> dict[str, Any]:
    return {**STATE, "socket": str(path), "books": {"default": "sqlite:/nowhere.sqlite"}}


@contextmanager
def _listening(path: Path, answer: bytes) -> Iterator[list[bytes]]:
    """Somebody who listens there, answers each who asks with these bytes, and goes."""
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()

        def hear() -> None:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                heard.append(connection.recv(1 << 16))
                connection.sendall(answer)

        thread = threading.Thread(target=hear)
        thread.start()
        yield heard
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


_OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


def _ask(daemon: Daemon, operation: str = "list", fields: dict[str, Any] | None = None, **more: str) -> None:
    with closing(daemon):
        daemon.ask(operation, fields or {}, **more)  # type: ignore[arg-type]


def _asked(heard: list[bytes]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(heard[0].partition(b"\r\n\r\n")[2])
    return found


def test_nothing_is_said_to_a_socket_in_somebody_elses_folder(tmp_path: Path) -> None:
    """When the daemon's own folder is gone, another user may make one of that name (row 106)."""
    path = tmp_path / "s"
    with _listening(path, _OK) as heard:
        with pytest.raises(NotThereError):
            _ask(Daemon(_state(path), owner=os.geteuid() + 1))
        assert heard == []
        _ask(Daemon(_state(path), owner=os.geteuid()))
        assert b"cpl_own" in heard[0]


@pytest.mark.parametrize("config", ["", "/elsewhere/config.toml"])
def test_another_user_or_another_config_file_does_not_start_it_anew(tmp_path: Path, config: str) -> None:
    owner = os.geteuid() + (0 if config else 1)
    revive(Daemon({**_state(tmp_path / "s"), "config": config or config_path()}, owner=owner))
    assert os.listdir(data_folder()) == []


def test_a_token_of_this_process_speaks_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the user's own may say for whom it speaks: with another the daemon would refuse every question."""
    monkeypatch.setenv("COMMONPLACE_TOKEN", "cpl_mine")
    with _listening(tmp_path / "s", _OK) as heard:
        _ask(Daemon(_state(tmp_path / "s")), actor="agent:x", surface="hooks")
    assert b"Bearer cpl_mine\r\n" in heard[0]
    assert b"Commonplace-" not in heard[0]


@pytest.mark.parametrize(
    ("fields", "variable", "said", "budget"),
    [
        ({"task": "x"}, "RECALL_TOKEN_BUDGET", "70", 70),
        ({"task": "x"}, "RECALL_TOKEN_BUDGET", "0", 20_000),
        ({"task": "x", "budget": 5}, "RECALL_TOKEN_BUDGET", "70", 5),
        ({"moment": "session_start"}, "HARNESS_RECALL_BUDGET_PLAN", "70", None),
        ({"phase": "plan"}, "HARNESS_RECALL_BUDGET_PLAN", "70", 70),
        ({"phase": "plan"}, "RECALL_TOKEN_BUDGET", "70", None),
    ],
)
def test_the_budget_is_that_of_whoever_asks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    variable: str,
    said: str,
    budget: int | None,
) -> None:
    """A73: as if they opened the book themselves."""
    monkeypatch.setenv(variable, said)
    with _listening(tmp_path / "s", _OK) as heard:
        _ask(Daemon(_state(tmp_path / "s")), "context", fields)
    assert _asked(heard).get("budget") == budget


def test_a_budget_that_is_no_number_is_told_before_anybody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECALL_TOKEN_BUDGET", "many")
    with pytest.raises(InvalidError, match="RECALL_TOKEN_BUDGET"):
        _ask(Daemon(_state(tmp_path / "s")), "context", {"task": "x"})


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\n\r\n{}", b"SSH-2.0\r\n\r\n", b"\r\n\r\n"])
def test_an_answer_that_is_none_is_an_error_of_the_family(tmp_path: Path, answer: bytes) -> None:
    with _listening(tmp_path / "s", answer), pytest.raises(UnavailableError):
        _ask(Daemon(_state(tmp_path / "s")))


@pytest.mark.parametrize(
    "odd",
    [{"books": "x"}, {"books": [1]}, {"books": None}, {"pid": 1e999}, {"pid": "x"}, {"socket": None, "pid": None}],
)
def test_a_state_file_that_is_not_understood_is_no_daemon(tmp_path: Path, odd: dict[str, Any]) -> None:
    path = os.path.join(data_folder(), "daemon.json")
    with open(path, "w") as file:
        json.dump({**_state(tmp_path / "s"), **odd}, file)
    assert running() is None


def test_a_second_start_does_not_take_anybody_for_the_daemon(tmp_path: Path) -> None:
    """A state file of one that was killed names a process that may be anybody by now; only who listens is the daemon (row 69)."""
    said = Running(**_state(tmp_path / "s") | {"pid": os.getpid()})
    Single().say(said)
    assert found_running(0.1) is None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(said.socket)
        listening.listen()
        assert found_running(5.0) == said
        Single().say(Running(**_state(tmp_path / "s")))
        assert found_running(0.1) is None


def test_stopping_one_that_is_about_to_end_waits_for_it() -> None:
    """It listens no more, and has not let go of its place yet."""
    ending = Single()
    assert ending.take()
    going = threading.Timer(1.0, ending.leave)
    going.start()
    assert stop() is None
    going.join()
