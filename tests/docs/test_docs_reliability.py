"""The page of promises names every harness, and the numbers on it are those of the harnesses."""

from __future__ import annotations

import re

import pytest

from .pages import ROOT, page

_PAGE = page("docs/guide/reliability.md")
_ROWS = re.findall(r"^\| .+ \| `(tests/\S+\.py)` \| (.+) \|$", _PAGE.text, re.MULTILINE)
_HARNESSES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "crash").glob("test_*.py"))


@pytest.mark.parametrize("harness", _HARNESSES)
def test_every_harness_is_on_the_page(harness: str) -> None:
    assert harness in dict(_ROWS), f"{_PAGE.name} has a table of harnesses: say what {harness} does to a book"


@pytest.mark.parametrize(("harness", "said"), _ROWS)
def test_how_often_it_is_done_is_what_the_page_says(harness: str, said: str) -> None:
    text = (ROOT / harness).read_text()
    numbers = [number.replace(",", "") for number in re.findall(r"\d[\d,]*", said)]
    missing = [n for n in numbers if len(n) > 1 and f"{int(n):_}" not in text and n not in text]
    assert missing == []


def test_what_is_for_the_night_is_marked_so_and_nothing_else() -> None:
    for harness, said in _ROWS:
        nightly = bool(said.split("|")[1].strip())
        assert nightly == ("pytest.mark.nightly" in (ROOT / harness).read_text()), harness


def test_every_control_the_page_speaks_of_exists() -> None:
    """Each harness that could be blind is also turned on something broken."""
    controls = [name for name in _HARNESSES if "def test_the_control" in (ROOT / name).read_text()]
    assert len(controls) >= 8
