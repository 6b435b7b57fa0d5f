"""What is stored cannot take over a terminal, and a secret is never repeated, wherever it was typed."""

from __future__ import annotations

import random

import pytest

from e2e.cli.shell import Shell, without_colour

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
TOKEN = "ghp_" + "".join(random.Random(4).choices(_LETTERS, k=36))


@pytest.mark.parametrize(
    "words",
    [
        ("save", f"The token is {TOKEN}", "--type", "episode"),
        ("save", "x", "--type", "episode", "--title", TOKEN),
        ("save", "x", "--type", TOKEN),
        ("save", "x", "--type", "episode", "--token", TOKEN),
        ("save", "x", "--type", "episode", f"--token={TOKEN}"),
        ("save", "x", "--type", "episode", f"--{TOKEN}"),
        ("save", "x", TOKEN, "--type", "episode"),
        ("save", "x", "--type", "episode", "--confidence", TOKEN),
        ("save", "x", "--type", "episode", "--observed-at", TOKEN),
        ("save", "x", "--type", "episode", "-b", TOKEN),
        ("save", "x", "--type", "episode", "-b", f"sqlite:/proc/{TOKEN}"),
        ("save", "x", "--type", "episode", "--actor", TOKEN + "\x1b"),
        ("get", TOKEN),
        ("forget", TOKEN),
        ("history", TOKEN),
        ("link", TOKEN, "supports", TOKEN),
        ("list", "--statuses", TOKEN),
        ("list", "--after", TOKEN),
        ("import", f"/nowhere/{TOKEN}"),
        (TOKEN,),
        ("help", TOKEN),
        ("completion", TOKEN),
        ("--color", TOKEN, "list"),
        ("--timeout", TOKEN, "list"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_secret_is_never_repeated_wherever_it_was_typed(
    shell: Shell, words: tuple[str, ...], form: tuple[str, ...]
) -> None:
    if words[0] in ("get", "forget", "history", "link", "list"):
        shell.quiet("save", "so that there is a book", "--type", "episode")
    said = shell(*words, *form)
    assert said.code != 0
    assert said.err
    assert TOKEN not in said.out + said.err


def test_a_secret_from_the_pipe_is_refused_with_its_kind_and_place(shell: Shell) -> None:
    said = shell("save", "-", "--type", "episode", stdin=f"deploy with {TOKEN}\n")
    assert said.code == 15
    assert "github" in said.err
    assert TOKEN not in said.out + said.err


EVIL = "red \x1b[31mbold\x1b]0;title\x07 \x9b2J back\x08 \u202egnp.exe\u202c zero\u200bwidth \r over\x7f"


@pytest.fixture
def evil(shell: Shell) -> str:
    saved = shell("save", "-", "--type", "episode", "--title", EVIL, "--tags", EVIL, "--quiet", stdin=EVIL)
    return saved.id


def test_stored_text_is_harmless_on_a_terminal(shell: Shell, evil: str) -> None:
    for words in (("get", evil), ("list",), ("search", "red bold"), ("explain", evil), ("history", evil), ("journal",)):
        code, shown = shell.on_terminal(*words)
        assert code == 0
        rest = without_colour(shown)
        assert "\\u{1b}[31m" in rest, words
        hidden = [char for char in rest if not char.isprintable() and char != "\n"]
        assert hidden == [], words


def test_stored_text_is_harmless_in_a_file_that_somebody_shows_later(shell: Shell, evil: str) -> None:
    for words in (("get", evil), ("get", evil, "-q"), ("list",), ("explain", evil), ("journal",)):
        said = shell(*words)
        assert [char for char in said.out if not char.isprintable() and char != "\n"] == [], words


def test_json_is_harmless_on_a_terminal_and_exact_all_the_same(shell: Shell, evil: str) -> None:
    import json

    _, shown = shell.on_terminal("get", evil, "--json")
    assert [char for char in shown if not char.isprintable() and char != "\n"] == []
    assert json.loads(shown)["content"] == EVIL == shell("get", evil, "--json").json["content"]


def test_an_id_full_of_escapes_is_harmless_in_the_error(shell: Shell, evil: str) -> None:
    code, shown = shell.on_terminal("get", EVIL)
    assert code == 13
    assert [char for char in without_colour(shown) if not char.isprintable() and char != "\n"] == []


def test_what_is_asked_before_a_purge_is_harmless_too(shell: Shell, evil: str) -> None:
    _, shown = shell.on_terminal("purge", evil, typed="no\n")
    assert [char for char in without_colour(shown) if not char.isprintable() and char != "\n"] == []
