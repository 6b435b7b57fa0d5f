"""Which file may be read as a transcript, and what is new in it: a payload may name any file, and most are not for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commonplace import settings
from commonplace.surfaces.hooks.hosts import HOSTS
from commonplace.surfaces.hooks.payload import Skip
from commonplace.surfaces.hooks.transcript import new_in

CLAUDE = HOSTS["claude-code"]


@pytest.fixture
def sessions(home: Path) -> Path:
    folder = home / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    return folder


def test_what_was_read_before_is_not_read_again(sessions: Path) -> None:
    file = sessions / "s.jsonl"
    file.write_bytes(b'{"n": 1}\n{"n": 2}\n')
    assert new_in(str(file), CLAUDE, (), 0) == (b'{"n": 1}\n{"n": 2}\n', 18)
    with pytest.raises(Skip, match="nothing new"):
        new_in(str(file), CLAUDE, (), 18)
    with file.open("ab") as more:
        more.write(b'{"n": 3}\n{"half')
    assert new_in(str(file), CLAUDE, (), 18) == (b'{"n": 3}\n', 27)


def test_a_file_that_was_written_anew_is_read_from_its_beginning(sessions: Path) -> None:
    file = sessions / "s.jsonl"
    file.write_bytes(b'{"n": 9}\n')
    assert new_in(str(file), CLAUDE, (), 500) == (b'{"n": 9}\n', 9)


def test_a_document_is_read_whole_each_time(sessions: Path) -> None:
    file = sessions / "s.json"
    file.write_bytes(b'{"messages": []}')
    assert new_in(str(file), CLAUDE, (), 7) == (b'{"messages": []}', 16)


@pytest.mark.parametrize("name", ["/etc/passwd", "relative.jsonl", "/etc/hostname.jsonl", "", "/\0.jsonl"])
def test_files_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(Skip):
        new_in(name, CLAUDE, (), 0)


def test_another_agents_sessions_are_refused(home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "s.jsonl").write_text("{}\n")
    with pytest.raises(Skip, match="outside"):
        new_in(str(home / ".codex" / "s.jsonl"), CLAUDE, (), 0)
    assert new_in(str(home / ".codex" / "s.jsonl"), HOSTS["codex"], (), 0)


def test_no_link_leads_out(sessions: Path, home: Path) -> None:
    outside = home / "private"
    outside.mkdir()
    (outside / "keys.jsonl").write_text("secret\n")
    (sessions / "link.jsonl").symlink_to(outside / "keys.jsonl")
    (sessions / "folder").symlink_to(outside)
    for path in (
        sessions / "link.jsonl",
        sessions / "folder" / "keys.jsonl",
        sessions / ".." / ".." / ".." / "private" / "keys.jsonl",
    ):
        with pytest.raises(Skip):
            new_in(str(path), CLAUDE, (), 0)


def test_a_root_that_is_itself_reached_by_a_link_still_counts(home: Path) -> None:
    (home / "dotfiles" / "claude").mkdir(parents=True)
    (home / ".claude").symlink_to(home / "dotfiles" / "claude")
    (home / ".claude" / "s.jsonl").write_text("{}\n")
    assert new_in(str(home / ".claude" / "s.jsonl"), CLAUDE, (), 0)[1] == 3


def test_a_folder_that_the_config_names_may_be_read(home: Path) -> None:
    (home / "elsewhere").mkdir()
    (home / "elsewhere" / "s.jsonl").write_text("{}\n")
    assert new_in(str(home / "elsewhere" / "s.jsonl"), CLAUDE, ("~/elsewhere",), 0)[1] == 3


def test_a_folder_a_pipe_and_a_giant_are_refused(sessions: Path) -> None:
    (sessions / "d.jsonl").mkdir()
    os.mkfifo(sessions / "p.jsonl")
    with (sessions / "g.jsonl").open("wb") as giant:
        giant.truncate(settings.MAX_MATERIAL_BYTES + 1)
    for name in ("d", "p", "g", "missing"):
        with pytest.raises(Skip):
            new_in(str(sessions / f"{name}.jsonl"), CLAUDE, (), 0)
