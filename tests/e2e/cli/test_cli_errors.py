"""Every kind of error has its exit code, says what to do next, and never shows a traceback."""

from __future__ import annotations

import ctypes
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import errors
from commonplace.surfaces.cli import exits, program
from commonplace.surfaces.cli.arguments import ELSEWHERE
from commonplace.surfaces.operations import BY_NAME, OPERATIONS
from e2e.cli.shell import PROGRAM, Said, Shell


def test_every_kind_of_error_has_one_exit_code_and_every_code_one_meaning() -> None:
    kinds = {cls.kind for cls in errors.CommonplaceError.__subclasses__()}
    assert set(exits.BY_KIND) == kinds
    assert len(set(exits.BY_KIND.values())) == len(kinds)
    meanings = dict(exits.MEANINGS)
    assert len(meanings) == len(exits.MEANINGS)
    assert all(meanings[code].startswith(f"{kind}:") for kind, code in exits.BY_KIND.items())


def test_the_codes_are_documented(shell: Shell) -> None:
    said = shell("help", "exit-codes").out
    assert all(re.search(rf"^ +{code}  {kind}:", said, re.MULTILINE) for kind, code in exits.BY_KIND.items())


@pytest.fixture
def tabs(shell: Shell) -> str:
    return shell.quiet("save", "Alice prefers tabs.", "--type", "profile")


def _is_told(said: tuple[int, str, str], kind: str) -> None:
    code, out, err = said
    assert code == exits.BY_KIND[kind], err
    assert out == ""
    assert err.startswith("error: ")
    assert "hint:" in err
    assert "Traceback" not in err


def test_stale(shell: Shell, tabs: str) -> None:
    _is_told(shell("archive", tabs, "--expect", "sha256:0"), "stale")


def test_not_found(shell: Shell, tabs: str) -> None:
    _is_told(shell("get", "nobody"), "not_found")


def test_invalid_with_the_list_of_what_would_be_valid(shell: Shell, tabs: str) -> None:
    said = shell("save", "x", "--type", "opinion")
    _is_told(said, "invalid")
    assert "profile, project, decision, artifact, episode, task_hint" in said.err


def test_too_large(shell: Shell, tabs: str) -> None:
    _is_told(shell("save", "-", "--type", "episode", stdin="é" * 300_000), "too_large")


def test_denied(shell: Shell, tabs: str) -> None:
    _is_told(shell("--actor", "agent:scout", "forget", tabs), "denied")


def test_conflict(shell: Shell, tabs: str) -> None:
    (shell.folder / "there.jsonl").write_text("mine")
    _is_told(shell("export", "there.jsonl"), "conflict")
    assert (shell.folder / "there.jsonl").read_text() == "mine"


def test_locked_after_the_time_that_was_given(shell: Shell, tabs: str) -> None:
    with commonplace.open(shell.environment["COMMONPLACE_BOOK"]) as book, book._scribe.writing():
        began = time.monotonic()
        _is_told(shell("forget", tabs, "--timeout", "0.2"), "locked")
        assert time.monotonic() - began < 5
    assert shell("forget", tabs, "--timeout", "0.2").code == 0


def test_corrupt(shell: Shell, tabs: str) -> None:
    shell.path.write_bytes(b"not a book at all, but certainly some bytes" * 100)
    _is_told(shell("get", tabs), "corrupt")


def test_reading_a_book_that_is_not_there_does_not_make_one(shell: Shell) -> None:
    for words in (("list",), ("get", "x"), ("stats",), ("doctor", "--repair"), ("export", "x.jsonl")):
        said = shell(*words)
        _is_told(said, "unavailable")
        assert "commonplace save" in said.err
    assert [*shell.folder.iterdir()] == []


@pytest.mark.parametrize("url", ["sqlite:", "nowhere", "mysql:x", "sqlite:/proc/no/book.sqlite"])
def test_a_wrong_url_fails_loudly_and_opens_nothing_else(shell: Shell, url: str) -> None:
    said = shell("save", "x", "--type", "episode", "-b", url)
    assert said.code in (exits.BY_KIND["invalid"], exits.BY_KIND["unavailable"])
    assert "hint:" in said.err
    assert [*shell.folder.iterdir()] == []


@pytest.mark.parametrize("name", [one.name for one in OPERATIONS if one.writes and "id" in one.positional])
def test_a_change_to_a_book_that_is_not_there_begins_none(shell: Shell, name: str) -> None:
    """`forget ID` on a misspelt book would else answer that there is no such memory, and leave an empty book behind."""
    operation = BY_NAME[name]
    typed = {"until": "tomorrow", "relation": "supports"}
    words = [typed.get(argument, "x") for argument in operation.positional]
    needed = [word for option in program.options_of(name) if option.required for word in (option.names[0], "x")]
    _is_told(shell(name, *words, *needed), "unavailable")
    assert [*shell.folder.iterdir()] == []


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Shell]:
    """A book in a folder that may not be written to."""
    shell = Shell(tmp_path)
    shell.quiet("save", "Alice prefers tabs.", "--type", "profile")
    for file in tmp_path.iterdir():
        file.chmod(0o444)
    tmp_path.chmod(0o555)
    yield shell
    tmp_path.chmod(0o755)


def _obey_permissions() -> None:
    """Root may write anywhere; without this capability it is bound to permissions like everybody."""
    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


def _bound(shell: Shell, *words: str) -> Said:
    done = subprocess.run(
        [*PROGRAM, *words],
        capture_output=True,
        text=True,
        env=shell.environment,
        check=False,
        timeout=60,
        preexec_fn=_obey_permissions,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def test_a_book_that_may_not_be_written_can_still_be_read(read_only: Shell) -> None:
    read = _bound(read_only, "list")
    assert (read.code, read.err) == (0, "")
    assert "Alice prefers tabs." in read.out
    _is_told(_bound(read_only, "save", "more", "--type", "episode"), "unavailable")
    _is_told(_bound(read_only, "forget", read_only.quiet("list")), "unavailable")


def test_what_other_programs_call_it_is_no_command_here_and_leads_to_one() -> None:
    commands = {*BY_NAME, *program.EXTRAS}
    assert not commands & {*ELSEWHERE}
    for meant in ELSEWHERE.values():
        assert meant.split()[0] in commands or meant.replace(" ", "-") in commands or meant == "--version"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("sav", "x"), "Did you mean save?"),
        (("list", "--statusses", "all"), "Did you mean --statuses?"),
        (("find", "tabs"), "Here it is `commonplace search`."),
        (("undo",), "Here it is `commonplace revert`."),
        (("version",), "Here it is `commonplace --version`."),
        (("Save", "x"), "Did you mean save?"),
        (("inbox", "acept", "x"), "Did you mean inbox accept?"),
        (("inbox", "hunter2"), "Usage: commonplace inbox"),
        (("get",), "commonplace get ID"),
        (("save", "x"), "What sort of statement: profile, project,"),
        (("save", "two", "words", "--type", "episode"), "quotes"),
        (("list", "--limit", "many"), "For example: --limit 3"),
        (("list", "--since", "whenever"), "2026-05-03"),
        (("list", "--timeout", "soon"), "For example"),
        (("list", "--json=yes"), "takes no value"),
        (("evolve", "x", "y", "--reason", "--quiet"), "--reason=VALUE"),
        (("list", "--color", "pink"), "auto, always, never"),
        (("completion", "tcsh"), "bash"),
        (("help", "frobnicate"), "commonplace --help"),
        (("export", "-"), "name a file"),
    ],
)
def test_a_wrong_command_line_changes_nothing_and_says_how_it_is_done(
    shell: Shell, words: tuple[str, ...], hint: str
) -> None:
    said = shell(*words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert hint in said.err
    assert [*shell.folder.iterdir()] == []


def test_what_nobody_expected_is_one_line_without_content_and_a_way_to_see_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(words: list[str]) -> int:
        raise RuntimeError("something that quotes " + words[1])

    monkeypatch.setattr(program, "_dispatch", fail)
    monkeypatch.delenv("COMMONPLACE_DEBUG", raising=False)
    assert program.run(["save", "the content"]) == exits.UNEXPECTED
    shown = capsys.readouterr().err
    assert "COMMONPLACE_DEBUG=1" in shown
    assert "the content" not in shown
    assert "Traceback" not in shown
    monkeypatch.setenv("COMMONPLACE_DEBUG", "1")
    program.run(["save", "the content"])
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_not_an_error_to_talk_about(shell: Shell, tabs: str) -> None:
    child = subprocess.Popen(
        [*PROGRAM, "help", "save"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment
    )
    assert child.stdout
    assert child.stderr
    child.stdout.close()
    assert child.wait(30) == exits.PIPE
    assert child.stderr.read() == b""
    child.stderr.close()


def test_ctrl_c_ends_it_quietly(shell: Shell) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "save", "-", "--type", "episode"], stdin=theirs, stderr=subprocess.PIPE, env=shell.environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a shell's background job ignores it
    ) as child:  # fmt: skip
        assert child.stderr
        assert child.stderr.readline().startswith(b"Write the text"), "it waits for a person"
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == exits.INTERRUPTED
        assert child.stderr.read() == b"\n"
    os.close(ours)
    os.close(theirs)
    assert not shell.path.exists()


def test_a_full_disk_behind_the_output_is_told(shell: Shell) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, env=shell.environment, check=False
        )
    assert done.returncode == exits.BY_KIND["unavailable"]
    assert "No space left" in done.stderr


def test_doctor_does_not_send_to_doctor(shell: Shell, tabs: str) -> None:
    """What is torn cannot be opened, so it cannot be examined either: the hint is what helps then."""
    book = next(path for path in shell.folder.rglob("*.sqlite") if path.is_file())
    book.write_bytes(book.read_bytes()[: book.stat().st_size // 2])
    said = shell("doctor")
    _is_told(said, "corrupt")
    assert "newest backup" in said.err
    assert "doctor" not in said.err.partition("hint:")[2]


def test_who_promotes_names_what(shell: Shell, tabs: str) -> None:
    said = shell("promote")
    assert said.code == 2
    assert "IDS" in said.err
