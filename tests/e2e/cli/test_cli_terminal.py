"""On a terminal: colour, a width, and a question before something is destroyed. Elsewhere: plain text."""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime

import pytest

from commonplace.model.operation import Operation
from commonplace.model.words import Trust, Verb
from commonplace.surfaces.cli.page import Page
from commonplace.surfaces.cli.progress import Bar
from commonplace.surfaces.cli.render.journal import timeline
from e2e.cli.shell import Shell, without_colour


@pytest.fixture
def tabs(shell: Shell) -> str:
    return shell.quiet("save", "Alice prefers tabs over spaces, whatever the editor says. " * 4, "--type", "profile")


def test_a_pipe_gets_plain_whole_lines(shell: Shell, tabs: str) -> None:
    said = shell("list")
    assert "\x1b" not in said.out
    assert said.out.isascii()
    header, row = said.out.splitlines()
    assert header.split() == ["ID", "STATUS", "TYPE", "SCOPE", "CREATED", "MEMORY"]
    assert row.endswith("whatever the editor says.")


def test_a_terminal_gets_colour_unless_it_is_not_wanted(shell: Shell, tabs: str) -> None:
    assert "\x1b[36m" in shell.on_terminal("list")[1]
    assert "\x1b" not in shell.on_terminal("list", NO_COLOR="1")[1]
    assert "\x1b" not in shell.on_terminal("list", "--color", "never")[1]
    assert "\x1b[36m" in shell("list", "--color", "always").out


@pytest.mark.parametrize("columns", [60, 80, 100, 140])
def test_a_table_fits_its_terminal_and_shows_whole_ids(shell: Shell, tabs: str, columns: int) -> None:
    shell.quiet("save", "我们把所有的记忆都保存在一个文件里" * 8, "--type", "decision", "--title", "存储 📚")
    code, shown = shell.on_terminal("list", "--status", "all", columns=columns)
    lines = without_colour(shown).splitlines()
    assert code == 0
    assert len(lines) == 3
    assert all(_columns(line) <= columns for line in lines)
    assert tabs in shown
    assert shown.count("…") == 2


@pytest.mark.parametrize("columns", [40, 80])
def test_answers_and_help_fit_a_narrow_terminal(shell: Shell, tabs: str, columns: int) -> None:
    shell("--actor", "agent:scout", "save", "Alice drinks tea.", "--type", "profile", "--alias", "tea")
    shell("save", "Tea is at four.", "--type", "project", "--project", "a-project-with-a-long-name")
    shell("search", "tea")
    for words in ("list", "get tea", "inbox", "search tea", "receipts", "verify", "help books", "token --help"):
        code, shown = shell.on_terminal(*words.split(), columns=columns)
        lines = [line for line in without_colour(shown).splitlines() if not line.startswith("  $ ")]
        assert (words, code) == (words, 0)
        assert (words, [line for line in lines if len(line) > columns]) == (words, [])


def _columns(line: str) -> int:
    return sum(2 if ord(char) > 0x2E80 else 1 for char in line)


def test_text_is_wrapped_to_the_terminal(shell: Shell, tabs: str) -> None:
    _, shown = shell.on_terminal("get", tabs, columns=50)
    prose = [line for line in without_colour(shown).splitlines() if "▎" in line]
    assert len(prose) > 4
    assert max(len(line) for line in prose) <= 50


def test_purge_shows_what_would_go_and_takes_only_a_plain_yes(shell: Shell, tabs: str) -> None:
    for answer in ("no\n", "y\n", "\n", "\x04"):
        code, shown = shell.on_terminal("purge", tabs, typed=answer)
        assert code == 1
        assert tabs in shown
        assert "Alice prefers tabs" in shown
        assert "nothing was changed" in shown
        assert shell("get", tabs).code == 0
    code, shown = shell.on_terminal("purge", tabs, typed="yes\n")
    assert (code, "purged" in shown) == (0, True)
    assert shell("get", tabs).code == 13


def test_a_pipe_that_cannot_take_every_letter_still_gets_an_answer(shell: Shell) -> None:
    id = shell.quiet("save", "naïve 记忆", "--type", "episode")
    said = shell("get", id, PYTHONIOENCODING="ascii")
    assert said.code == 0
    assert "na\\xefve" in said.out


def test_the_demo_tells_its_story_in_colour_and_plainly_and_leaves_nothing_behind(shell: Shell) -> None:
    code, shown = shell.on_terminal("demo", TMPDIR=str(shell.folder))
    assert code == 0
    assert "\x1b[1;36m" in shown
    plain = shell("demo", TMPDIR=str(shell.folder))
    assert (plain.code, plain.err) == (0, "")
    assert "\x1b" not in plain.out
    for chapter in (
        "Keep what matters",
        "Secrets stay out",
        "Change your mind",
        "verify: all is well",
        "journal_altered",
    ):
        assert chapter in plain.out
    assert [*shell.folder.iterdir()] == []


class _Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_progress_is_shown_only_when_it_lasts_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    bar = Bar("verify", "never")
    bar(1, 100)
    bar.clear()
    assert terminal.getvalue() == "", "a quick command draws nothing"
    bar._next = 0.0
    bar(25, 100)
    bar(26, 100)
    assert "25 of 100" in terminal.getvalue()
    assert "26 of 100" not in terminal.getvalue(), "it is drawn at most ten times a second"
    bar.clear()
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_progress_is_not_written_into_files(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    bar = Bar("verify")
    bar._next = 0.0
    bar(25, 100)
    bar.clear()
    assert file.getvalue() == ""


def test_an_empty_answer_is_a_sentence_for_people_and_only_a_header_for_scripts(shell: Shell, tabs: str) -> None:
    assert "no memories match" in shell.on_terminal("list", "--tag", "none")[1]
    assert shell("list", "--tag", "none").out.split() == ["ID", "STATUS", "TYPE", "SCOPE", "CREATED", "MEMORY"]
    assert shell("list", "--tag", "none", "--json").json == []
    assert "no tokens; make one" in shell.on_terminal("token", "list")[1]
    assert shell("token", "list").out == ""


@pytest.mark.parametrize("verb", [*Verb])
def test_every_verb_of_the_journal_can_be_shown_on_a_terminal(verb: Verb) -> None:
    at = datetime(2026, 5, 3, tzinfo=UTC)
    entry = Operation(
        seq=1, id="0" * 26, run=None, verb=verb, actor="alice", trust=Trust.OPERATOR, surface="cli", at=at
    )
    page = Page(io.StringIO(), "always")
    assert str(verb) in "".join(page.painted(line) for line in timeline([entry], page))
