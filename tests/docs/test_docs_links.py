"""Every link leads somewhere, every mention of a page finds it, and no page speaks of the machine it was written on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .pages import ROOT, Page, pages

_ABSOLUTE = re.compile(r"(?<![\w.~])/(?:work|tmp|root|home|Users|usr|opt|var)/\S*")
_FOLDERS = "guide|format|reference|adr"
# Anything else below `docs/`, and what has a line behind it, is somebody's example.
_MENTIONED = re.compile(rf"(docs/(?:(?:{_FOLDERS})/[\w/.-]*\w|[\w/-]+\.md))(#L\d)?")


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_link_leads_to_something_that_is_there(page: Page) -> None:
    broken = [link for link in page.links if not link.startswith(("http://", "https://")) and not _leads(page, link)]
    assert broken == [], page.name


def _leads(page: Page, link: str) -> bool:
    where, _, part = link.partition("#")
    target = (page.path.parent / where).resolve() if where else page.path
    return target.exists() and (not part or (target.suffix == ".md" and part in Page(target).anchors))


@pytest.mark.parametrize("page", pages(), ids=str)
def test_no_page_names_a_place_on_somebodys_machine(page: Page) -> None:
    assert _ABSOLUTE.findall(page.text) == []


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_file_of_the_project_that_a_page_names_is_there(page: Page) -> None:
    named = re.findall(r"`((?:tests|src|bench|docs|requirements)/[\w/.-]*\w)`", page.prose)
    assert [name for name in named if not _is_there(name)] == []


def test_every_page_that_the_code_speaks_of_is_there() -> None:
    """`docs/adr/0007` in a comment is the page that begins so."""
    told = [ROOT / "pyproject.toml", ROOT / "Makefile", *(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    found = {(path, said) for path in told for said, line in _MENTIONED.findall(path.read_text()) if not line}
    missing = [f"{path.relative_to(ROOT)}: {said}" for path, said in found if not _is_there(said)]
    assert missing == []


def _is_there(said: str) -> bool:
    whole = ROOT / said
    return whole.exists() or any(whole.parent.glob(f"{whole.name}*"))


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    queue = [ROOT / "README.md"]
    while queue:
        path = queue.pop()
        if path in reached or path.suffix != ".md" or not path.is_file():
            continue
        reached.add(path)
        queue += [(path.parent / link.partition("#")[0]).resolve() for link in Page(path).links if "://" not in link]
    unreached = [page.name for page in pages() if page.path not in reached and not page.name.startswith("changes/")]
    assert unreached == []
