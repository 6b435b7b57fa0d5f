"""Tab completes commands, options and closed lists, in a real bash."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from commonplace.model.words import Relation, Status, Type
from commonplace.surfaces.operations import OPERATIONS
from e2e.cli.shell import Shell


def _completed(shell: Shell, line: str) -> set[str]:
    """What bash offers when Tab is pressed at the end of the line."""
    words = line.split(" ")
    script = shell("completion", "bash").out
    asked = f"""
{script}
COMP_WORDS=({" ".join(f"'{word}'" for word in words)})
COMP_CWORD={len(words) - 1}
_commonplace
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-c", asked], capture_output=True, text=True, check=True, cwd=shell.folder)
    assert done.stderr == ""
    return {*done.stdout.split()}


def test_commands_are_offered_first(shell: Shell) -> None:
    assert {operation.name for operation in OPERATIONS} < _completed(shell, "commonplace ")
    begun = {operation.name for operation in OPERATIONS if operation.name.startswith("re")}
    assert _completed(shell, "commonplace re") == begun >= {"restore", "revert", "reject", "receipts"}


def test_options_of_everywhere_do_not_hide_the_command(shell: Shell) -> None:
    assert _completed(shell, "commonplace -b sqlite:x --json exp") == {"export", "explain"}
    assert "--reason" in _completed(shell, "commonplace -b sqlite:x forget --re")


def test_a_commands_own_options_are_offered(shell: Shell) -> None:
    assert _completed(shell, "commonplace save text --al") == {"--always-load", "--aliases"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("commonplace save text --type ", set(Type)),
        ("commonplace list --status ", {*Status, "all"}),
        ("commonplace list --statuses ", {*Status, "all"}),
        ("commonplace list --color ", {"auto", "always", "never"}),
        ("commonplace link ID sup", {Relation.SUPPORTS, Relation.SUPERSEDES}),
        ("commonplace completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_closed_lists_are_offered(shell: Shell, line: str, words: set[str]) -> None:
    offered = _completed(shell, line)
    assert {str(word) for word in words} == {word for word in offered if not word.startswith("-")}


def test_files_are_offered_where_nothing_else_fits(shell: Shell) -> None:
    (shell.folder / "memory.jsonl").touch()
    assert _completed(shell, "commonplace import mem") == {"memory.jsonl"}


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_each_script_names_every_command_and_is_understood_by_its_shell(shell: Shell, name: str) -> None:
    script = shell("completion", name).out
    assert all(operation.name in script for operation in OPERATIONS)
    if shutil.which(name):  # what cannot run here is still checked for its content above
        subprocess.run([name, "-n"], input=script, text=True, check=True, capture_output=True)
