"""What may be typed: options anywhere, lists in pieces, text from a pipe, times as people say them."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import entry_points

import pytest

import commonplace
from commonplace.surfaces import cli
from commonplace.surfaces.cli.arguments import EVERYWHERE, UsageError, is_harmless, parse
from commonplace.surfaces.cli.moments import moment
from commonplace.surfaces.cli.options import fields_of, options_of
from commonplace.surfaces.cli.page import fitted, wrapped
from commonplace.surfaces.cli.program import EXTRAS, run
from commonplace.surfaces.cli.program import options_of as by_command
from commonplace.surfaces.operations import GROUPS, OPERATIONS, Described
from e2e.cli.shell import Shell


def _typed(name: str) -> str:
    """How people type it: what is done in the inbox stands behind it, `inbox accept`."""
    return name.replace("inbox-", "inbox ")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_is_a_command_and_every_field_has_its_place(operation: Described) -> None:
    named = {name for option in by_command(operation.name) for name in option.names}
    for field in fields_of(operation).values():
        assert field.help, field.name
        assert field.name in operation.positional or f"--{field.name.replace('_', '-')}" in named
    assert operation.group in GROUPS
    assert operation.example.startswith(_typed(operation.name))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_no_option_has_two_meanings(operation: Described) -> None:
    names = [name for option in options_of(operation) for name in option.names]
    assert len(names) == len(set(names))
    shared = set(names) & {name for option in EVERYWHERE for name in option.names}
    assert shared <= {"--actor"}, "only the journal asks for an actor of its own"


@pytest.mark.parametrize("name", [*(operation.name for operation in OPERATIONS), *EXTRAS])
def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"$ commonplace {_typed(name)}" in said
    assert run(["help", name]) == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("name", [one.name for one in OPERATIONS if _typed(one.name) != one.name])
def test_a_command_of_two_words_may_also_be_typed_as_one(shell: Shell, name: str) -> None:
    said = shell(name, "--help")
    two = _typed(name).split()
    assert shell(*two, "--help") == said
    assert shell("help", *two) == said
    assert shell("--actor", "bob", *two, "--help") == said


def test_options_of_everywhere_may_stand_anywhere(shell: Shell) -> None:
    url = f"sqlite:{shell.folder / 'other.sqlite'}"
    assert shell("-b", url, "--actor", "bob", "save", "one", "--type", "episode").code == 0
    assert shell("save", "--type=episode", "two", f"-b{url}", "--actor=bob").code == 0
    told = shell("--json", "journal", "--book", url).json
    assert [entry["actor"] for entry in told] == ["bob", "bob"]
    assert not shell.path.exists()


def test_the_journal_asks_for_one_actor_while_another_is_speaking() -> None:
    parsed = parse(["--actor", "alice", "journal", "--actor", "agent:scout"], by_command)
    assert (parsed.everywhere["actor"], parsed.options["actor"]) == (["alice"], ["agent:scout"])


def test_lists_may_be_repeated_or_joined_and_short_names_will_do(shell: Shell) -> None:
    words = ("--project", "atlas", "--repo", "api", "--agent", "scout", "--evidence", "ADR-2", "--alias", "m-4")
    saved = shell("save", "x", "--type", "project", "--tags", "a,b", "--tag", "c", *words, "--json").json
    assert saved["tags"] == ["a", "b", "c"]
    owners = {field: saved[field] for field in ("project_id", "repo_id", "agent_id", "evidence_ref", "aliases")}
    assert owners == {
        "project_id": "atlas", "repo_id": "api", "agent_id": "scout", "evidence_ref": "ADR-2", "aliases": ["m-4"],
    }  # fmt: skip
    assert shell.quiet("get", "m-4") == "x"


@pytest.mark.parametrize("text", ["one line", "two\nlines", "日本語 🗻", "  indented", "-", "--", "--help", "a\tb"])
def test_text_comes_through_the_pipe_as_it_is(shell: Shell, text: str) -> None:
    id = shell("save", "-", "--type", "episode", "--quiet", stdin=text + "\n").id
    assert shell("get", id, "--json").json["content"] == text


def test_after_two_hyphens_everything_is_text(shell: Shell) -> None:
    id = shell("save", "--type", "episode", "-q", "--", "--json is not an option here").id
    assert shell.quiet("get", id) == "--json is not an option here"


def test_a_pipe_that_is_not_utf_8_is_refused(shell: Shell) -> None:
    said = shell("save", "-", "--type", "episode", stdin=b"caf\xe9")
    assert said.code == 2
    assert "byte 3" in said.err


def test_an_argument_that_is_not_utf_8_is_refused_and_stores_nothing(shell: Shell) -> None:
    said = shell("save", "caf\udce9", "--type", "episode")
    assert said.code == 14
    assert "Traceback" not in said.err


NOW = datetime(2026, 5, 3, 12, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2026-05-03", "2026-05-03T00:00:00+00:00"),
        ("2026-05-03T12:00", "2026-05-03T12:00:00+00:00"),
        ("2026-05-03 12:00:00Z", "2026-05-03T12:00:00+00:00"),
        ("2026-05-03T14:00+02:00", "2026-05-03T12:00:00+00:00"),
        ("now", "2026-05-03T12:30:15+00:00"),
        ("today", "2026-05-03T00:00:00+00:00"),
        ("Yesterday", "2026-05-02T00:00:00+00:00"),
        ("90s", "2026-05-03T12:28:45+00:00"),
        ("2h", "2026-05-03T10:30:15+00:00"),
        ("3d", "2026-04-30T12:30:15+00:00"),
        ("1w", "2026-04-26T12:30:15+00:00"),
        ("tomorrow", "2026-05-04T00:00:00+00:00"),
        ("+3d", "2026-05-06T12:30:15+00:00"),
    ],
)
def test_a_time_may_be_said_as_people_say_it(typed: str, meant: str) -> None:
    assert moment(typed, "--since", NOW).isoformat() == meant


@pytest.mark.parametrize(("typed", "day"), [("2999-12-01", "2999-12-01"), ("tomorrow", ""), ("3d", "")])
def test_what_waits_is_put_off_to_a_time_as_people_say_it(shell: Shell, typed: str, day: str) -> None:
    said = shell("--actor", "agent:scout", "save", "Alice sings.", "--type", "profile", "-q")
    assert shell("inbox", "defer", said.id, typed).code == 0
    assert shell("inbox", "--json").json == [], "it waits for later"
    (item,) = shell("inbox", "--deferred", "--json").json
    assert item["deferred_until"].startswith(day)


def test_what_is_put_off_to_no_time_at_all_is_a_wrong_command_line(shell: Shell) -> None:
    said = shell("inbox", "defer", "ID", "later")
    assert said.code == 2
    assert "3d (from now)" in said.err


@pytest.mark.parametrize("typed", ["", "d", "+", "soon", "2026-13-01", "99999999999d", "²d", "3y", "2026-05-03T25:00"])
def test_a_time_that_means_nothing_is_refused(typed: str) -> None:
    with pytest.raises(UsageError):
        moment(typed, "--since", NOW)


@pytest.mark.parametrize(
    ("word", "harmless"), [("--typ", True), ("sav", True), ("--Hunter", False), ("hunter2", False)]
)
def test_only_what_looks_like_a_command_line_may_be_repeated(word: str, harmless: bool) -> None:
    assert is_harmless(word) is harmless


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [("tabs", 4, "tabs"), ("spaces", 4, "spa…"), ("记忆记忆", 5, "记忆…"), ("e\u0301e\u0301e\u0301", 2, "e\u0301…")],
)
def test_a_text_is_cut_by_what_it_takes_on_the_screen(text: str, room: int, shown: str) -> None:
    assert fitted(text, room) == shown


def test_words_longer_than_a_line_are_broken_and_nothing_is_lost() -> None:
    text = "short " + "long" * 20 + " end 记忆记忆记忆"
    lines = wrapped(text, 10)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(len(line) <= 10 for line in lines)


def test_there_are_three_ways_to_start_it_and_all_are_the_same(shell: Shell) -> None:
    (script,) = entry_points(group="console_scripts", name="commonplace")
    assert script.load() is cli.main
    asked = [sys.executable, "-m", "commonplace", "--version"]
    assert subprocess.check_output(asked, text=True, env=shell.environment) == shell("--version").out
    assert shell("-V").out == f"commonplace {commonplace.__version__}\n"


def test_without_a_command_it_shows_the_way(shell: Shell) -> None:
    assert shell() == shell("--help") == shell("help")
