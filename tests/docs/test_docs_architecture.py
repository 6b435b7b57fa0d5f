"""ARCHITECTURE.md is the tree: every folder and file it should name is named, and nothing it names is missing."""

from __future__ import annotations

import re
import tomllib

import pytest

from .pages import ROOT, page

_PACKAGE = ROOT / "src" / "commonplace"
_PAGE = page("ARCHITECTURE.md")
_FOLDERS = sorted(path.parent.name for path in _PACKAGE.glob("*/__init__.py"))
_SQLITE = sorted(path.name for path in (_PACKAGE / "catalog" / "sqlite").glob("*.py") if path.name[0] != "_")


@pytest.mark.parametrize("folder", _FOLDERS)
def test_every_folder_is_introduced_by_its_question(folder: str) -> None:
    assert re.search(rf"^\| `{folder}/(?:sqlite/)?` \| .+", _PAGE.text, re.MULTILINE)


@pytest.mark.parametrize("folder", _FOLDERS)
def test_every_folder_states_its_question_itself(folder: str) -> None:
    assert "?" in (_PACKAGE / folder / "__init__.py").read_text().split('"""')[1].split("\n")[0]


@pytest.mark.parametrize("name", _SQLITE)
def test_every_part_of_the_sqlite_book_is_named(name: str) -> None:
    assert f"`{name}`" in _PAGE.text


def test_every_file_it_names_is_there() -> None:
    there = {path.name for path in ROOT.rglob("*.py") if ".venv" not in path.parts}
    assert {name for name in re.findall(r"`(?:[\w/]+/)?(\w+\.py)`", _PAGE.prose) if name not in there} == set()


def test_what_is_to_come_is_marked_and_what_is_there_is_not() -> None:
    picture = next(block.text for block in _PAGE.blocks if block.language == "text")
    for name in re.findall(r"(\w+)/", picture):
        to_come = any(f"{name}/" in marked for marked in re.findall(r"\(([^)]*)\)", picture))
        assert to_come is not (_PACKAGE / name / "__init__.py").is_file(), name


def test_every_contract_that_keeps_the_arrows_is_told() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    part = _PAGE.text.split("## How the arrows are kept")[1]
    assert len(re.findall(r"^\d\. ", part, re.MULTILINE)) == len(contracts)
