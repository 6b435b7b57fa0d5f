"""The line to the daemon: kept while it is good, left when it is not, and nothing is asked where nobody knows what came of it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.engine.get import Get
from commonplace.engine.save import Save
from commonplace.errors import CommonplaceError, DeniedError, UnavailableError
from commonplace.places import data_folder
from commonplace.surfaces.http import client
from commonplace.surfaces.http.client import Daemon, NotThereError
from commonplace.surfaces.http.environment import settings_here
from commonplace.surfaces.http.line import Line, Serving
from commonplace.surfaces.operations import BY_NAME

URL = "sqlite:/nowhere.sqlite"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


def problem(status: int, **fields: Any) -> bytes:
    body = json.dumps({"detail": "no", "kind": "unavailable", "retryable": False, **fields}).encode()
    return b"HTTP/1.1 %d No\r\ncontent-length: %d\r\n\r\n" % (status, len(body)) + body


class Listener:
    """Answers each question with the next of these; None hangs up instead. One thread for each connection."""

    def __init__(self, path: Path) -> None:
        self.path, self.answers, self.heard, self.connections = path, list[bytes | None](), list[bytes](), 0
        self._open: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(str(path))
        self._listening.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            self._threads.append(threading.Thread(target=self._serve, args=(connection,)))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            while (said := connection.recv(1 << 16)) and (answer := self._next(said)) is not None:
                connection.sendall(answer)

    def _next(self, said: bytes) -> bytes | None:
        self.heard.append(said)
        return self.answers.pop(0)

    def hang_up(self) -> None:
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(20)


@pytest.fixture
def listener(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    for name in ("COMMONPLACE_TOKEN", "COMMONPLACE_CONFIG", "RECALL_TOKEN_BUDGET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    os.makedirs(data_folder())
    made = Listener(tmp_path / "s")
    yield made
    made.close()


@pytest.fixture
def daemon(listener: Listener) -> Iterator[Daemon]:
    made = Daemon(_state(listener))
    yield made
    made.close()


def _state(listener: Listener) -> dict[str, Any]:
    return {"pid": 1, "url": "http://127.0.0.1:9", "token": "cpl_own", "version": commonplace.__version__,
            "socket": str(listener.path), "books": {"default": URL}, "settings": settings_here()}  # fmt: skip


def test_one_connection_is_kept_for_many_questions(listener: Listener, daemon: Daemon) -> None:
    listener.answers = [OK] * 5
    assert [daemon.ask("list", {}) for _ in range(5)] == [b"{}"] * 5
    assert listener.connections == 1


def test_one_that_ended_between_two_questions_is_seen_before_the_second_is_asked(
    listener: Listener, daemon: Daemon
) -> None:
    """Asked on it, nobody would know what was done."""
    listener.answers = [OK, OK]
    daemon.ask("save", {})
    listener.hang_up()
    assert daemon.ask("save", {}) == b"{}"
    assert (listener.connections, len(listener.heard)) == (2, 2)


def test_one_that_was_silent_for_long_is_not_trusted(
    listener: Listener, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon hangs up on it after a while: not to be asked in that very moment."""
    listener.answers = [OK, OK]
    daemon.ask("save", {})
    monkeypatch.setattr(client, "_MOST_SILENT_SECONDS", -1.0)
    assert daemon.ask("save", {}) == b"{}"
    assert listener.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        problem(400, kind="invalid"),
        problem(408, retryable=True),
        problem(429, retryable=True),
        problem(431, kind="too_large"),
        problem(503, retryable=True),
        b"HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nBusy",
    ],
    ids=["400", "408", "429", "431", "503 many wait", "503 of the server"],
)
def test_whoever_is_turned_away_at_the_door_may_ask_the_book_itself(
    listener: Listener, daemon: Daemon, answer: bytes
) -> None:
    """Nothing was done: it was too busy, or the wire could not carry it."""
    listener.answers = [answer, OK]
    with pytest.raises(NotThereError):
        daemon.ask("save", {})
    assert not daemon.was_killed
    assert daemon.ask("save", {}) == b"{}"


def test_a_wrong_token_of_this_process_is_told(
    listener: Listener, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_TOKEN", "cpl_wrong")
    listener.answers = [problem(401, kind="denied")]
    with pytest.raises(DeniedError):
        daemon.ask("list", {})
    assert not daemon.is_another


def test_what_is_larger_than_a_body_may_be_is_not_sent(listener: Listener, daemon: Daemon) -> None:
    with pytest.raises(NotThereError):
        daemon.ask("save", {"content": "x" * (4 * 1024 * 1024)})
    assert listener.heard == []


def test_one_that_holds_its_lock_was_not_killed(listener: Listener) -> None:
    """It has stopped listening and is about to end, or has not begun to: it must not be started anew (A28)."""
    gone = Daemon({**_state(listener), "socket": f"{listener.path}-gone"})
    lock = os.path.join(data_folder(), "daemon.lock")
    for held in (False, True):
        with open(lock, "w") as file:
            if held:
                fcntl.flock(file, fcntl.LOCK_EX)
            with pytest.raises(NotThereError):
                gone.ask("list", {})
        assert gone.was_killed is not held


class TestTheLine:
    @pytest.fixture
    def line(self, listener: Listener) -> Iterator[Line]:
        with open(os.path.join(data_folder(), "daemon.json"), "w") as file:
            json.dump(_state(listener), file)
        made = Line(URL, "alice", "library")
        yield made
        made.close()

    def test_a_question_that_was_cut_off_is_one_for_the_book_itself(self, listener: Listener, line: Line) -> None:
        listener.answers = [None]
        assert line.ask(BY_NAME["get"], Get(id="x")) is None

    def test_one_that_does_not_know_the_token_is_another_and_not_asked(self, listener: Listener, line: Line) -> None:
        """It was started between our look at the state file and our question."""
        listener.answers = [problem(401, kind="denied"), problem(401, kind="denied")]
        assert line.ask(BY_NAME["get"], Get(id="x")) is None
        assert line.ask(BY_NAME["save"], Save(content="x", type="episode")) is None

    def test_a_write_that_was_cut_off_is_told_and_done_nowhere_else(self, listener: Listener, line: Line) -> None:
        listener.answers = [None]
        with pytest.raises(UnavailableError, match="went away"):
            line.ask(BY_NAME["save"], Save(content="x", type="episode"))

    @pytest.mark.parametrize(("kind", "code"), [("unavailable", "disk_full"), ("corrupt", None), ("locked", None)])
    def test_what_is_wrong_with_the_file_is_told_for_a_write(
        self, listener: Listener, line: Line, kind: str, code: str | None
    ) -> None:
        listener.answers = [problem(500, kind=kind, **({"code": code} if code else {}))]
        with pytest.raises(CommonplaceError) as told:
            line.ask(BY_NAME["save"], Save(content="x", type="episode"))
        assert (told.value.kind, told.value.code) == (kind, code or kind)

    def test_one_that_is_gone_is_not_looked_for_with_every_question(self, listener: Listener, line: Line) -> None:
        """Until its state file says something new."""
        state = os.path.join(data_folder(), "daemon.json")
        with open(state, "w") as file:
            json.dump({**_state(listener), "socket": f"{listener.path}-gone", "config": "/elsewhere"}, file)
        assert line.ask(BY_NAME["get"], Get(id="x")) is None
        listener.answers = [problem(404, kind="not_found")]
        with open(f"{state}-new", "w") as file:
            json.dump(_state(listener), file)
        os.replace(f"{state}-new", state)
        with pytest.raises(CommonplaceError, match="no"):
            line.ask(BY_NAME["get"], Get(id="x"))

    def test_one_that_hangs_is_waited_for_once(
        self, listener: Listener, line: Line, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A question is asked of the book itself then; a write is told, because it may be done yet."""
        monkeypatch.setattr("commonplace.surfaces.http.line._ANSWER_SECONDS", 0.3)
        listener.answers = [b"", b""]
        assert line.ask(BY_NAME["get"], Get(id="x")) is None
        assert line.ask(BY_NAME["get"], Get(id="x")) is None
        assert len(listener.heard) == 1, "it rests"
        time.sleep(0.4)
        with pytest.raises(UnavailableError, match="went away"):
            line.ask(BY_NAME["save"], Save(content="x", type="episode"))

    def test_without_a_daemon_it_is_silent(self, listener: Listener, line: Line) -> None:
        os.unlink(os.path.join(data_folder(), "daemon.json"))
        assert not line.is_open()
        assert line.ask(BY_NAME["get"], Get(id="x")) is None
        assert listener.connections == 0


@pytest.mark.parametrize(
    ("kind", "code", "is_of_the_file"),
    [
        ("locked", None, True),
        ("corrupt", None, True),
        ("unavailable", "disk_full", True),
        ("unavailable", "no_model", False),
    ],
)
def test_an_error_about_the_file_names_it_again(
    listener: Listener, tmp_path: Path, kind: str, code: str | None, is_of_the_file: bool
) -> None:
    """Over the wire no path of the machine is told; whoever opened the book knows which one is meant."""
    path = tmp_path / "book.sqlite"
    commonplace.open(f"sqlite:{path}", direct=True).close()
    with open(os.path.join(data_folder(), "daemon.json"), "w") as file:
        json.dump({**_state(listener), "books": {"default": f"sqlite:{path}"}}, file)
    listener.answers = [problem(503, kind=kind, **({"code": code} if code else {}))]
    with commonplace.open(f"sqlite:{path}") as book, pytest.raises(CommonplaceError) as told:
        book.save("x", type="episode")
    assert told.value.where == (str(path) if is_of_the_file else None)


def test_an_interrupted_question_leaves_no_half_answer_for_the_next(listener: Listener, daemon: Daemon) -> None:
    serving = Serving(daemon, "default")
    listener.answers = [OK, OK, OK]
    assert serving.use(lambda lent: lent.ask("list", {})) == b"{}"

    def interrupted(lent: Daemon) -> bytes:
        lent.ask("list", {})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serving.use(interrupted)
    assert serving.use(lambda lent: lent.ask("list", {})) == b"{}"
    assert listener.connections == 2
    serving.end()


def test_each_of_several_at_once_has_a_connection_of_its_own(listener: Listener, daemon: Daemon) -> None:
    serving = Serving(daemon, "default")
    listener.answers = [OK] * 3

    def nested(outer: Daemon) -> bytes | None:
        inner = serving.use(lambda lent: None if lent is outer else lent.ask("list", {}))
        return inner and outer.ask("list", {})

    assert serving.use(nested) == b"{}"
    assert listener.connections == 2
    serving.close()


_FIRST_AT_ONCE = """
import sys, threading, msgspec
from commonplace.surfaces.http.answer_types import understood
from commonplace.surfaces.operations import BY_NAME
said = {name: sys.stdin.buffer.readline() for name in ("explain", "search")}
sys.setswitchinterval(1e-6)
together = threading.Barrier(8)
def read(name):
    together.wait()
    understood(BY_NAME[name], said[name])
threads = [threading.Thread(target=read, args=(name,)) for name in [*said] * 4]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_several_threads_may_read_the_first_answer_of_a_kind_at_once(tmp_path: Path) -> None:
    """msgspec takes a type apart when it is first used: a thread that came in between ended the process, every third time."""
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}", direct=True) as book:
        id = book.save("The API listens on port 8080.", type="project", project_id="atlas").id
        found = book.search("which port", project="atlas")
        said = f"{book.explain(id).to_json()}\n{found.to_json()}\n".encode()
    tries = [subprocess.Popen([sys.executable, "-c", _FIRST_AT_ONCE], stdin=subprocess.PIPE) for _ in range(10)]
    for one in tries:
        one.communicate(said, timeout=60)
    assert [one.returncode for one in tries] == [0] * 10
