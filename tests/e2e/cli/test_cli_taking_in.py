"""Taking in at the command line: a session is captured, worked through, and what waits is seen; `work` stops when told."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from e2e.cli.shell import PROGRAM, Shell

TALK = "User: We decided to use SQLite because it is local.\nAssistant: Noted.\n"


@pytest.fixture
def talk(shell: Shell) -> Shell:
    (shell.folder / "session.txt").write_text(TALK)
    return shell


def test_a_session_from_a_file_to_the_inbox(talk: Shell) -> None:
    event = talk("capture-session", "session.txt", "--project", "atlas", "--json").json
    assert (event["state"], event["requested_scope"]) == ("pending", "project")
    assert "1 waiting" in talk("queue").out
    report = talk("process", "--json").json
    assert (report["done"], report["waiting"]) == (1, 0)
    assert report["made"] >= 1
    waiting = talk("list", "--status", "inbox", "--json").json
    assert any("SQLite" in one["content"] for one in waiting)
    assert talk("event", event["id"], "--json").json["state"] == "done"
    assert talk("verify").code == 0


def test_through_the_pipe(shell: Shell) -> None:
    assert shell("capture-conversation", "-", "--capture-mode", "notes", "--json", stdin=TALK).json["mode"] == "notes"


def test_an_imported_source_is_captured_by_its_id(talk: Shell) -> None:
    id = talk.quiet("import-source", "session.txt")
    assert "0 waiting" in talk("queue").out
    assert talk("capture-conversation", id, "--json").json["source_ref"] == id


def test_the_same_file_twice_is_one_event(talk: Shell) -> None:
    assert talk.quiet("capture-session", "session.txt") == talk.quiet("capture-session", "session.txt")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("capture-session", "nowhere.txt"), "unavailable"),
        (("capture-session", "."), "invalid"),
        (("capture-session", "session.txt", "--scope", "project"), "invalid"),
        (("capture-session", "session.txt", "--format", "word"), "invalid"),
        (("capture-conversation", "01M7FTBHPT3JRMYHVQWMKHBZ2N"), "not_found"),
        (("retry", "nothing"), "not_found"),
        (("event", "nothing"), "not_found"),
    ],
)
def test_what_cannot_be_taken_in_is_said(talk: Shell, words: tuple[str, ...], kind: str) -> None:
    talk("save", "There is a book.", "--type", "episode")
    said = talk(*words, "--json")
    assert said.code != 0
    assert said.error["kind"] == kind


def test_a_secret_in_a_file_is_not_shown_and_not_kept(shell: Shell) -> None:
    secret = "ghp_" + "q7Wd9Zk2LmX4vB8nR5tY1cF3hJ6pS0aEgUiO"
    (shell.folder / "s.txt").write_text(f"User: the token is {secret}\nAssistant: hm\n")
    said = shell("capture-session", "s.txt", "--json")
    assert said.code == 0
    assert secret not in said.out + said.err
    assert all(secret.encode() not in file.read_bytes() for file in shell.folder.glob("book.sqlite*"))


def test_work_once_ends_when_nothing_is_due(talk: Shell) -> None:
    talk("capture-session", "session.txt")
    assert talk("work", "--once", "--json").json["done"] == 1
    assert talk("work", "--once", "--json").json["done"] == 0
    assert talk("work", "--status", "--json").json["done"] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_work_goes_on_until_it_is_told_to_stop(talk: Shell, number: int) -> None:
    talk("save", "There is a book.", "--type", "episode")
    worker = subprocess.Popen(
        [*PROGRAM, "work", "--json"], cwd=talk.folder, env=talk.environment, stdout=subprocess.PIPE, text=True
    )
    try:
        event = talk.quiet("capture-session", "session.txt")
        deadline = time.monotonic() + 30
        while talk("event", event, "--json").json["state"] != "done":
            assert time.monotonic() < deadline
        os.kill(worker.pid, number)
        out, _ = worker.communicate(timeout=30)
    finally:
        worker.kill()
        worker.wait()
    assert worker.returncode == 0
    assert '"done":1' in out
