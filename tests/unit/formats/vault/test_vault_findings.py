"""What a vault's rules are broken by, and what is said about it (A18, A-a; rows 32, 35, 44, 46, 49, 50, 55)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.formats.vault.format import VaultFormat
from commonplace.model.finding import Finding

VAULT = VaultFormat()


def look(folder: Path) -> list[Finding]:
    return [*VAULT.findings(str(folder))]


def look_at(folder: Path, path: str, raw: bytes) -> list[Finding]:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(raw)
    return look(folder)


def test_the_sample_is_seen_through(make_vault: Callable[..., Path]) -> None:
    said = {(finding.code, finding.where) for finding in look(make_vault())}
    assert said == {
        ("conflict_copy", "Home.sync-conflict-20261115-093612-ABCDEFG.md"),
        ("not_downloaded", "Daily/2026-05-04.md"),
        ("not_understood", "Untitled.md"),
        ("merge_conflict", "Projects/Atlas/Merge.md:2"),
    }


@pytest.mark.parametrize(
    ("path", "raw", "code"),
    [
        ("Agent/loose.md", b"x\n", "loose_note"),
        ("Agent/Memory/fix/n.md", b"---\nalways_load: true\n---\nx\n", "always_load_mismatch"),
        ("Agent/_always-load/n.md", b"---\nalways_load: false\n---\nx\n", "always_load_mismatch"),
        ("Agent/Memory/fix/n.md", b"---\nkind: {a: b}\n---\nx\n", "frontmatter_odd"),
        ("Agent/Memory/fix/n.md", b"---\nkind: a\nkind: b\n---\nx\n", "frontmatter_odd"),
        ("n.md", b"---\nnever closed\n", "frontmatter_odd"),
        ("n.md", b"caf\xe9\n", "frontmatter_odd"),
        ("n.md", "x".encode("utf-16"), "not_understood"),
        ("n.md", b"", "not_understood"),
        ("n.md", b"<<<<<<< a\n=======\n>>>>>>> b\n", "merge_conflict"),
        ("n.md", b"x" * (VAULT.largest + 1), "not_understood"),
    ],
)
def test_what_breaks_the_rules_is_named_with_its_place_and_a_next_step(
    tmp_path: Path, path: str, raw: bytes, code: str
) -> None:
    (finding,) = look_at(tmp_path, path, raw)
    assert (finding.code, finding.where) == (code, f"{path}:1" if code == "merge_conflict" else path)
    assert finding.hint


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("Agent/_always-load/n.md", b"---\nalways_load: true\n---\nx\n"),
        ("Agent/Memory/_inbox/n.md", b"---\nalways_load: true\n---\nx\n"),
        ("n.md", b"---\nalways_load: true\nkind: {a: b}\n---\nx\n"),
        ("n.md", "ü � x".encode()),
        ("Agent/Memory/fix/n.md", b"x\n"),
    ],
)
def test_what_is_in_order_is_not_named(tmp_path: Path, path: str, raw: bytes) -> None:
    assert look_at(tmp_path, path, raw) == []


def test_names_that_another_computer_would_take_for_one_are_named(tmp_path: Path) -> None:
    """Row 46: both are kept."""
    for name in ("Note.md", "note.md", "caf\u00e9.md", "cafe\u0301.md"):
        (tmp_path / name).write_text("x\n")
    if len(os.listdir(tmp_path)) < 4:
        pytest.skip("this file system takes them for one already")
    assert [finding.code for finding in look(tmp_path)] == ["name_twins", "name_twins"]
    assert len(VAULT.scan(str(tmp_path))) == 4


def test_a_file_with_a_second_name_is_named(tmp_path: Path) -> None:
    """Row 44."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "elsewhere.md").write_text("x\n")
    os.link(tmp_path / "elsewhere.md", tmp_path / "vault" / "n.md")
    assert [finding.code for finding in look(tmp_path / "vault")] == ["hard_link"]


def test_a_note_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("x\n")
    (tmp_path / "n.md").chmod(0)
    found = look(tmp_path)
    assert [finding.code for finding in found] == ([] if os.geteuid() == 0 else ["unreadable"])
