"""Hooks on a book in files, without a daemon: edits are seen at once if files are few; many are not waited for (A42, A47)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from commonplace.formats.brief import FEW
from e2e.cli.shell import Said, Shell

_HEAD = "---\nkind: {kind}\nstatus: active\ncreated: 2026-01-01\nupdated: 2026-01-01\ntags: [a]\nslug: {slug}\n---\n\n"


def _note(vault: Path, slug: str, text: str, kind: str = "note") -> Path:
    path = vault / "Agent" / "Memory" / kind / f"{slug}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_HEAD.format(kind=kind, slug=slug)}# {slug}\n\n{text}\n")
    return path


def _vault(shell: Shell, count: int) -> Path:
    vault = shell.folder / "vault"
    for number in range(count):
        _note(vault, f"n{number}", f"The boat number {number} is moored at berth {number * 7 % 1_009}.")
    _note(vault, "harbour", "The harbour master is called Ann.", "fix")
    return vault


def _hook(shell: Shell, vault: Path, moment: str = "prompt", prompt: str = "Who is the harbour master?") -> Said:
    payload = {"session_id": f"s-{time.monotonic_ns()}", "cwd": str(shell.folder), "prompt": prompt}
    said = shell("hook", moment, "-b", f"vault:{vault}", "--within", "60", stdin=json.dumps(payload))
    assert said.code == 0
    return said


def _eventually(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.3)
    return is_so()


def test_where_files_are_few_an_edit_is_seen_by_the_next_prompt(shell: Shell) -> None:
    vault = _vault(shell, 20)
    assert "called Ann" in _hook(shell, vault).out
    _note(vault, "harbour", "The harbour master is called Bob.", "fix")
    assert "called Bob" in _hook(shell, vault).out


def test_many_files_are_taken_as_the_catalog_knows_them_and_looked_at_by_a_process_of_its_own(shell: Shell) -> None:
    """The first time nothing is known of them; then a prompt answers without a look, and a session's start begins one."""
    vault = _vault(shell, FEW)
    first = _hook(shell, vault)
    assert first.out == ""
    assert first.err == "commonplace prompt: skipped: the book's files were never read; that is begun now\n"
    assert _eventually(lambda: "called Ann" in _hook(shell, vault).out), "what was begun has read them"

    _note(vault, "harbour", "The harbour master is called Bob.", "fix")
    assert "called Ann" in _hook(shell, vault).out, "nobody has looked since"
    _hook(shell, vault, "session-start")
    assert _eventually(lambda: "called Bob" in _hook(shell, vault).out)


def test_what_was_saved_or_purged_through_commonplace_is_known_however_many_files_there_are(shell: Shell) -> None:
    vault = _vault(shell, FEW)
    book = ("-b", f"vault:{vault}")
    assert shell(*book, "list", "--limit", "1").code == 0
    kept = shell(*book, "save", "The pilot of the harbour is called Cid.", "--type", "project", "--quiet").id
    asked = "Who is the pilot of the harbour?"
    assert "called Cid" in _hook(shell, vault, prompt=asked).out
    assert shell(*book, "purge", kept, "--yes", "--reason", "asked to").code == 0
    assert "called Cid" not in _hook(shell, vault, prompt=asked).out
