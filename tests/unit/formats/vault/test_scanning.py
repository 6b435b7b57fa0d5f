"""Which files of a vault are notes, and what it costs to look (rows 43, 44, 46, 48-50)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.formats.vault.format import VaultFormat

VAULT = VaultFormat()


def _put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x\n")


def _found(folder: Path) -> list[str]:
    return sorted(VAULT.scan(str(folder)))


def test_the_sample_has_these_notes(make_vault: Callable[..., Path]) -> None:
    """Not the editor's folder, its trash, templates, drawings, attachments, a canvas, a sync client's copy."""
    assert _found(make_vault()) == [
        "Daily/2026-05-03.md", "Daily/2026-05-04.md", "Home.md", "Projects/Atlas/Atlas plan.md", "Projects/Atlas/Merge.md",
        "Untitled.md",
    ]  # fmt: skip


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert VAULT.scan(str(tmp_path / "nowhere")) == {}
    (tmp_path / "file").write_text("x")
    assert VAULT.scan(str(tmp_path / "file")) == {}


def test_a_stamp_is_what_the_file_system_says(tmp_path: Path) -> None:
    _put(tmp_path, "a.md")
    seen = (tmp_path / "a.md").stat()
    assert VAULT.scan(str(tmp_path)) == {"a.md": (seen.st_size, seen.st_mtime_ns, seen.st_ino)}


def test_what_is_made_from_notes_is_none(tmp_path: Path) -> None:
    """A5, A17, A-b: the index, `_meta/`, a harness's plans. Elsewhere these names are anybody's."""
    _put(tmp_path, "Agent/Memory/_index.md", "Agent/Memory/_meta/queue.md", "Agent/projects/p/_harness/plan.md")
    assert _found(tmp_path) == []
    _put(tmp_path, "_index.md", "_meta/x.md", "Agent/projects/p/_index.md")
    assert _found(tmp_path) == ["Agent/projects/p/_index.md", "_index.md", "_meta/x.md"]


def test_every_name_that_we_give_is_found(tmp_path: Path) -> None:
    """A68, A69: also numbered ones, archived ones, and those of odd slugs."""
    from commonplace.formats.vault.names import file_stem

    stems = [
        file_stem(slug, None, "x", "1")
        for slug in ("plan (1)", "plan-HOST", "x.conflict", "copy of x", "x 2", "[conflict] x")
    ]
    names = ["plan", "plan-2", "plan.md.20260503", "plan.md.20260503-2", *stems, "x", "plan-2-2"]
    _put(tmp_path, *(f"{name}.md" for name in names))
    assert _found(tmp_path) == sorted(f"{name}.md" for name in names)


@pytest.mark.parametrize(
    "copy",
    [
        "x (conflicted copy 2026-11-15 093612).md", "x (Ann's conflicted copy 2026-11-15).md", "x [Conflict].md",
        "x.sync-conflict-20261115-093612-ABCDEFG.md", "x.Conflict.md", "x_HOST_Nov-15-0936-2026_Conflict_1.md", "x-HOST.md",
        "x (1).md", "x 2.md", "Copy of x.md",
    ],
)  # fmt: skip
def test_a_sync_clients_copy_is_no_second_memory(tmp_path: Path, copy: str) -> None:
    """Row 49, A66: surfaced with what it is a copy of, never deleted."""
    _put(tmp_path, "sub/x.md", f"sub/{copy}")
    assert _found(tmp_path) == ["sub/x.md"]
    (finding,) = VAULT.findings(str(tmp_path))
    assert (finding.code, finding.where) == ("conflict_copy", f"sub/{copy}")
    assert "sub/x.md" in finding.message
    assert (tmp_path / "sub" / copy).exists()


def test_a_name_like_a_copys_is_a_note_when_it_stands_alone(tmp_path: Path) -> None:
    _put(tmp_path, "x (1).md", "y 2.md", "Plan-HOST.md")
    assert _found(tmp_path) == ["Plan-HOST.md", "x (1).md", "y 2.md"]


def test_droppings_are_ignored_and_left(tmp_path: Path) -> None:
    """Row 48."""
    droppings = [".note.md.swp", "4913", "note.md~", "#note#", "~$note.md", ".DS_Store", ".hidden.md"]
    _put(tmp_path, "note.md", *droppings)
    os.symlink("ann@host.1234", tmp_path / ".#note.md")
    assert _found(tmp_path) == ["note.md"]
    assert [*VAULT.findings(str(tmp_path))] == []


def test_what_is_not_downloaded_is_still_there(tmp_path: Path) -> None:
    """Row 50: never "deleted"."""
    _put(tmp_path, "a/.note.md.icloud", "a/.photo.png.icloud", "b/note.md", "b/.note.md.icloud")
    assert _found(tmp_path) == ["a/note.md", "b/note.md"]
    assert VAULT.scan(str(tmp_path))["a/note.md"] == (0, 0, 0)
    assert VAULT.scan(str(tmp_path))["b/note.md"].size == 2


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Row 44: neither out of the vault nor in a circle nor to nothing; what lies behind them is not read."""
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    _put(vault, "a/note.md")
    _put(outside, "secret.md")
    os.symlink(outside, vault / "out")
    os.symlink(outside / "secret.md", vault / "secret.md")
    os.symlink("..", vault / "a" / "up")
    os.symlink("nowhere", vault / "a" / "dangling.md")
    os.symlink("loop.md", vault / "loop.md")
    os.symlink("a/note.md", vault / "inside.md")
    assert _found(vault) == ["a/note.md"]
    said = {finding.where for finding in VAULT.findings(str(vault)) if finding.code == "link_not_followed"}
    assert said == {"out", "secret.md", "a/dangling.md", "loop.md"}


def test_a_pipe_and_a_folder_called_like_a_note_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    _put(tmp_path, "folder.md/note.md")
    assert _found(tmp_path) == ["folder.md/note.md"]
    assert [*VAULT.findings(str(tmp_path))] == []


def test_a_name_that_is_no_utf8_is_named_and_left(tmp_path: Path) -> None:
    """Row 32."""
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_text("x")
    assert _found(tmp_path) == []
    (finding,) = VAULT.findings(str(tmp_path))
    assert (finding.code, finding.where) == ("name_unreadable", "caf\ufffd.md")


def test_looking_through_many_notes_costs_little_more_than_the_looks(tmp_path: Path) -> None:
    """Ten thousand unchanged notes cost their stat calls: measured beside a bare walk, best of several."""
    for folder in range(8):
        _put(tmp_path, *(f"Agent/Memory/kind{folder}/a-note-about-something-{n}.md" for n in range(250)))
    scan, bare = (
        min(_time(lambda look=look: look(str(tmp_path))) for _ in range(7)) for look in (VAULT.scan, _bare_walk)
    )
    assert scan < 2.5 * bare


def _time(deed: Callable[[], object]) -> float:
    began = time.process_time()
    deed()
    return time.process_time() - began


def _bare_walk(folder: str) -> int:
    count, waiting = 0, [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    count += entry.stat(follow_symlinks=False).st_size > 0
    return count
