"""What sync clients, editors and systems leave beside documents is recognised by name (A66; rows 48, 49, 50, 55)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.storage.conflict_files import (
    Conflict,
    Dropping,
    Placeholder,
    classify,
    is_not_downloaded,
    merge_conflict,
)

FOLDER = {"x.md", "plan.md", "README"}

COPIES = [
    "x (conflicted copy 2026-11-15 093612).md",
    "x (Ann's conflicted copy 2026-11-15).md",
    "x (Ann's conflicted copy 2026-11-15) (1).md",
    "x (Conflicted copy from laptop 202611150936).md",
    "x (conflicted copy 2026-11-15 093612 a1b2).md",
    "x (conflicted).md",
    "x (Case Conflict).md",
    "x (Case Conflict 2).md",
    "x (Unicode Encoding Conflict).md",
    "x [Conflict].md",
    "x [Conflict 3].md",
    "[Conflict] x.md",
    "x.sync-conflict-20261115-093612-ABCDEFG.md",
    "x.sync-conflict-20261115-093612.md",
    "x.Conflict.md",
    "x.conflict1.md",
    "x_conflict-20261115-093612.md",
    "x_HOST_Nov-15-0936-2026_Conflict_1.md",
    "x_HOST_Nov-15-0936-2026_Conflict.md",
    "x (SFConflict ann@example.com 2026-11-15-09-36-12).md",
    "Copy of x.md",
    "Copy (2) of x.md",
]


@pytest.mark.parametrize("name", COPIES)
def test_a_conflict_copy_is_known_with_and_without_its_base(name: str) -> None:
    """A66, row 49."""
    found = classify(name, {*FOLDER, name})
    assert isinstance(found, Conflict)
    assert (found.base, found.has_base) == ("x.md", True)
    alone = classify(name, {name})
    assert isinstance(alone, Conflict)
    assert (alone.base, alone.has_base) == ("x.md", False)


BESIDE = [
    "x (1).md",
    "x (12).md",
    "x 2.md",
    "x 3.md",
    "x-HOST.md",
    "x-DESKTOP-4F2K9.md",
    "x - Copy.md",
    "x copy 2.md",
    "x(1).md",
]


@pytest.mark.parametrize("name", BESIDE)
def test_a_name_that_could_be_a_notes_own_is_a_copy_only_beside_its_base(name: str) -> None:
    """A66, row 49: alone it stays a normal note."""
    found = classify(name, {*FOLDER, name})
    assert isinstance(found, Conflict)
    assert found.base == "x.md"
    assert classify(name, {name, "y.md"}) is None


NOTES = [
    "x.md", "note.md", "plan-b.md", "plan-for-atlas.md", "x-api.md", "x-v2.md", "x 2024.md", "x (2024).md",
    "x (draft).md",
    "x (0).md",    "conflict.md", "conflict-resolution.md", "how to resolve a conflicted copy.md", "x 1.md",
    "copying.md", "a copy of it.md",
    "x-A1.md",    "C# notes.md", "README.md", "4913.md", "part one.md", "Nov-15.md", "sediment", "swp.md", "#tag.md",
    "x-2.md",
]  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_an_ordinary_note_is_no_copy_of_its_neighbour(name: str) -> None:
    assert classify(name, {*FOLDER, name}) is None


def test_among_capitals_only_the_name_of_a_machine_is_one() -> None:
    assert classify("TODO-WORK.md", {"TODO.md"}) is None
    assert classify("TODO-DESKTOP-4F2K9.md", {"TODO.md"}) == Conflict("TODO.md", "host", True)


def test_a_machine_that_is_known_is_recognised_in_any_spelling() -> None:
    """Row 49."""
    assert classify("x-anns-macbook.md", FOLDER) is None
    assert classify("x-anns-macbook.md", FOLDER, hosts=["Anns-MacBook"]) == Conflict("x.md", "host", True)
    assert classify("z-anns-macbook.md", FOLDER, hosts=["Anns-MacBook"]) is None


@pytest.mark.parametrize(
    "name",
    [
        ".x.md.swp", ".x.md.swo", ".x.md.swx", "4913", "x.md~", ".#x.md", "#x.md#", "#note#", ".x.md.un~", "~$x.docx",
        ".~lock.x.md#",        ".goutputstream-AB12CD", ".x.md.kate-swp", "x.md___jb_tmp___", "~syncthing~x.md.tmp",
        ".syncthing.x.md.tmp",
        ".DS_Store", "Thumbs.db", "desktop.ini", "._x.md", ".nfs000000000123abcd", ".fuse_hidden0000001200000001",
        "x.md.orig",
        "x_BASE_1.md.orig", "x.REMOTE.1234.md", "x.md.partial-123-0a1b2c3d", "x.md.partial-123-0a1b2c3d-held",
        "x.md.part",
    ],
)  # fmt: skip
def test_editors_and_systems_droppings_are_known(name: str) -> None:
    """Row 48."""
    assert isinstance(classify(name, {*FOLDER, name}), Dropping)


def test_our_own_kept_copy_is_a_conflict_for_everybody(tmp_path: Path) -> None:
    """What `swap.keep_beside` makes."""
    from commonplace.storage.swap import keep_beside

    taken = tmp_path / "taken"
    taken.write_text("theirs")
    beside = os.path.basename(keep_beside(str(taken), str(tmp_path / "x.md")))
    assert classify(beside, {"x.md", beside}) == Conflict("x.md", "conflicted copy", True)


def test_a_stand_in_names_what_is_not_here_yet() -> None:
    """Row 50: not downloaded is not deleted."""
    assert classify(".note.md.icloud", {".note.md.icloud"}) == Placeholder("note.md")
    assert classify(".icloud", set()) is None
    assert classify("note.icloud", set()) is None


def test_an_empty_file_that_had_content_is_not_downloaded_rather_than_emptied(tmp_path: Path) -> None:
    """Row 50, R4."""
    file = tmp_path / "x.md"
    file.touch()
    assert is_not_downloaded(file.stat(), had_content=True)
    assert not is_not_downloaded(file.stat(), had_content=False)
    file.write_text("here")
    assert not is_not_downloaded(file.stat(), had_content=True)


MERGE = b"one\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\nrest\n"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (MERGE, 2),
        (MERGE.replace(b"\n", b"\r\n"), 2),
        (MERGE.replace(b"=======", b"||||||| base\nold\n======="), 2),
        (b"---\nkind: fix\n<<<<<<< HEAD\ntags: [a]\n=======\ntags: [b]\n>>>>>>> x\n---\n", 3),
        (b"```\n" + MERGE + b"```\n", None),
        (b"~~~\n```\n" + MERGE + b"~~~\n", None),
        (b"```\nx\n```\n" + MERGE, 5),
        (b"<<<<<<< HEAD\n```\nours\n=======\n```\ntheirs\n>>>>>>> b\n", 1),
        (b"<<<<<<< only a beginning\n", None),
        (b"Title\n=======\n", None),
        (b" <<<<<<< indented\n =======\n >>>>>>> x\n", None),
        (b"", None),
    ],
)
def test_an_unresolved_merge_is_found_where_it_begins(data: bytes, line: int | None) -> None:
    """Row 55."""
    assert merge_conflict(data) == line


@given(st.text(max_size=120), st.sets(st.text(max_size=20), max_size=5))
def test_any_name_is_classified_without_an_error(name: str, siblings: set[str]) -> None:
    found = classify(name, siblings)
    if isinstance(found, Conflict):
        assert found.base
        assert found.has_base == (found.base in siblings)


@pytest.mark.parametrize(
    "name",
    ["(" * 255, " conflicted copy" * 15, "copy of " * 30, "-A" * 120, "a.conflict" * 25, "_" * 255, "~" * 254 + "x"],
)
def test_no_name_takes_long(name: str) -> None:
    """R6, row 88."""
    started = time.perf_counter()
    classify(name, {name})
    assert time.perf_counter() - started < 0.1
