"""What the command line shows, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.providers.weights import models_folder
from commonplace.surfaces.cli import exits
from commonplace.surfaces.cli.helps import TOPICS
from commonplace.surfaces.cli.program import EXTRAS
from commonplace.surfaces.operations import OPERATIONS
from e2e.cli.shell import Shell
from golden.transcript import FOLDER, check, masked, with_visible_colour

COMMANDS = (*(operation.name for operation in OPERATIONS), *EXTRAS)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


class Transcript:
    """Runs commands and writes down what a person would see."""

    def __init__(self, shell: Shell) -> None:
        self._shell, self._said = shell, ""

    def run(self, *words: str) -> None:
        said = self._shell(*words)
        assert said.code != exits.UNEXPECTED, said.err
        typed = " ".join(word if " " not in word else f'"{word}"' for word in words)
        code = f"(exit code {said.code})\n" if said.code else ""
        self._said += f"$ commonplace {typed}\n{said.out}{said.err}{code}\n"

    @property
    def text(self) -> str:
        return masked(self._said.replace(str(self._shell.folder), "/home/alice"))


def test_the_overview(shell: Shell) -> None:
    check("cli/help.txt", shell("--help").out)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command(shell: Shell, name: str) -> None:
    check(f"cli/help/{name}.txt", shell(name, "--help").out)


@pytest.mark.parametrize("name", TOPICS)
def test_each_topic(shell: Shell, name: str) -> None:
    check(f"cli/topics/{name}.txt", shell("help", name).out)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_each_completion_script(shell: Shell, name: str) -> None:
    check(f"cli/completion/{name}.txt", shell("completion", name).out)


def test_no_golden_file_outlives_what_it_shows() -> None:
    assert {path.stem for path in (FOLDER / "cli" / "help").iterdir()} == {*COMMANDS}
    assert {path.stem for path in (FOLDER / "cli" / "topics").iterdir()} == {*TOPICS}


def test_a_story_on_a_pipe(shell: Shell) -> None:
    story = Transcript(shell)
    tabs = shell.quiet(
        "save", "Alice prefers tabs over spaces.", "--type", "profile", "--tags", "editor", "--alias", "tabs"
    )
    story.run("save", "The API listens on port 8080.", "--type", "project", "--project", "atlas", "--alias", "p-1")
    story.run("save", "The API listens on port 9090.", "--type", "project", "--project", "atlas", "--alias", "p-2")
    story.run("save", "We keep it in one file.", "--type", "decision", "--title", "Storage")
    story.run("save", "alice prefers tabs over spaces.", "--type", "profile")
    story.run("contradict", "p-1", "p-2", "--reason", "two ports")
    story.run("link", "p-1", "related_to", "tabs")
    story.run("unlink", "p-1", "related_to", "tabs")
    story.run("evolve", "tabs", "Alice prefers spaces.", "--reason", "new editor")
    story.run("list", "--status", "all")
    story.run("search", "which port does the API use")
    story.run("get", "tabs")
    story.run("explain", "p-1")
    story.run("receipts")
    story.run("explain", shell("receipts", "--limit", "1", "-q").id)
    story.run("context", "configure the API", "--project", "atlas")
    story.run("context", "bake a cake", "--moment", "prompt")
    story.run("index")
    story.run("history", tabs)
    story.run("revert", shell("journal", "--limit", "1", "-q").id)
    story.run("archive", "p-1", "--reason", "old")
    story.run("restore", "p-1")
    story.run("forget", "p-2")
    story.run("purge", "p-2", "--yes")
    story.run("journal")
    story.run("stats")
    story.run("verify")
    story.run("doctor", "--full")
    story.run("scan")
    story.run("backup", "copy.sqlite")
    story.run("export", "book.jsonl")
    story.run("import", "book.jsonl", "-b", "sqlite:other.sqlite")
    story.run("list", "--status", "deleted")
    story.run("search", "nothing like it")
    check("cli/story.txt", story.text)


TALK = """Alice: We decided to deploy with Ansible because everybody knows it.
Assistant: Noted.
Alice: The API listens on port 9090. I prefer short meetings.
"""


def test_a_story_of_taking_in(shell: Shell) -> None:
    story = Transcript(shell)
    (shell.folder / "talk.txt").write_text(TALK)
    (shell.folder / "policy.toml").write_text('[[accept]]\ntypes = ["decision"]\n')
    shell.quiet("save", "The API listens on port 8080.", "--type", "project", "--project", "atlas", "--alias", "p-1")
    story.run("import-source", "talk.txt", "--title", "Monday")
    source = shell.quiet("import-source", "talk.txt")
    story.run("capture-conversation", source, "--project", "atlas")
    event = shell.quiet("capture-conversation", source, "--project", "atlas")
    story.run("process")
    story.run("event", event)
    story.run("queue")
    story.run("inbox")
    story.run("inbox", "apply", "policy.toml", "--dry-run")
    story.run("inbox", "apply", "policy.toml")
    story.run("consolidate", "--dry-run")
    story.run("consolidate")
    story.run("conflicts")
    dispute = shell("conflicts", "--json").json[0]
    story.run("resolve", dispute["id"], "p-1", "--reason", "the config says 9090")
    one, other = (item["record"]["id"] for item in shell("inbox", "--json").json)
    story.run("inbox", "accept", one)
    story.run("inbox", "defer", other, "2999-01-01T00:00:00Z")
    story.run("inbox", "edit", other, "Alice prefers meetings of ten minutes.")
    claims = ("Alice sings.", "Alice likes brief meetings.")
    three, four = (shell("--actor", "agent:scout", "save", said, "--type", "profile", "-q").id for said in claims)
    story.run("inbox", "reject", three, "--reason", "hearsay")
    story.run("inbox", "merge", four, other)
    story.run("inbox")
    story.run("upsert-profile-fact", "editor", "Alice uses Vim.")
    story.run("upsert-profile-fact", "editor", "Alice uses Helix.")
    story.run("retry", event)
    story.run("revert", event)
    story.run("verify")
    check("cli/taking-in.txt", story.text)


def test_what_is_taken_in_on_a_terminal(shell: Shell) -> None:
    (shell.folder / "talk.txt").write_text(TALK)
    shell.quiet("save", "The API listens on port 8080.", "--type", "project", "--project", "atlas")
    shown = ""
    for line in (
        "capture-session talk.txt --project atlas",
        "process",
        "inbox",
        "consolidate",
        "conflicts",
        "queue",
    ):
        shown += f"$ commonplace {line}\n{shell.on_terminal(*line.split())[1]}\n"
    check("cli/taking-in-terminal.txt", masked(with_visible_colour(shown.replace(str(shell.folder), "/home/alice"))))


def test_errors_as_people_meet_them(shell: Shell) -> None:
    story = Transcript(shell)
    story.run("list")
    shell.quiet("save", "Alice prefers tabs.", "--type", "profile", "--alias", "tabs")
    story.run("get", "nobody")
    story.run("save", "x", "--type", "opinion")
    story.run("save", "x")
    story.run("sav", "x")
    story.run("list", "--typ", "x")
    story.run("get")
    story.run("archive", "tabs", "--expect", "sha256:0")
    story.run("--actor", "agent:scout", "forget", "tabs")
    story.run("purge", "tabs")
    story.run("list", "--since", "whenever")
    story.run("get", "nobody", "--json")
    story.run("-b", "mysql:x", "list")
    check("cli/errors.txt", story.text)


def test_answers_on_a_terminal(shell: Shell) -> None:
    shell.quiet("save", "Alice prefers tabs over spaces.", "--type", "profile", "--tags", "editor", "--alias", "tabs")
    shell.quiet(
        "save", "我们把所有的记忆都保存在一个文件里，因为这样备份最简单。", "--type", "decision", "--title", "存储 📚"
    )
    shell.quiet("evolve", "tabs", "Alice prefers spaces.", "--reason", "new editor")
    shown = ""
    for line in (
        "list --status all",
        "get tabs",
        "journal",
        "search spaces",
        "receipts",
        "context spaces",
        "stats",
        "verify",
        "get x",
        "list --tag x",
    ):
        shown += f"$ commonplace {line}\n{shell.on_terminal(*line.split())[1]}\n"
    check("cli/terminal.txt", masked(with_visible_colour(shown.replace(str(shell.folder), "/home/alice"))))


def test_the_demo(shell: Shell) -> None:
    said = shell("demo")
    assert (said.code, said.err) == (0, ""), "a broken story must not become a golden one"
    check("cli/demo.txt", masked(said.out))


def test_the_demo_finds_by_meaning_where_the_models_are(shell: Shell) -> None:
    """Not word for word: the scores differ a little from one processor to another."""
    models = {"COMMONPLACE_EMBEDDER": "auto", "COMMONPLACE_RERANKER": "auto", "COMMONPLACE_MODELS": models_folder()}
    said = shell("demo", **models)
    assert (said.code, said.err) == (0, "")
    asked, _, answered = said.out.partition('$ commonplace search "which weekday do we ship?"')
    assert "commonplace-e5" in asked
    assert answered.splitlines()[2].strip() == "Atlas is released on Fridays."
    assert "its meaning is close" in answered.splitlines()[3]
