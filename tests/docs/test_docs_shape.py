"""The pages keep the form that makes them easy to use: short, one subject, the same headings where the same is asked."""

from __future__ import annotations

import re

import pytest

from .pages import ROOT, Page, page, pages

_DECISIONS = pages("adr")
_HEADINGS = ["Context", "Choice", "Alternatives", "What would change our mind"]


def test_the_readme_is_short() -> None:
    assert len(page("README.md").text.splitlines()) <= 110


@pytest.mark.parametrize("decision", _DECISIONS, ids=str)
def test_a_decision_is_one_page_with_its_four_parts(decision: Page) -> None:
    assert re.findall(r"^## (.+)$", decision.text, re.MULTILINE) == _HEADINGS
    assert len(decision.text.splitlines()) <= 60


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(decision.path.name[:4]) for decision in _DECISIONS]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert all(decision.text.startswith(f"# {decision.path.name[:4]}: ") for decision in _DECISIONS)


def test_every_decision_is_listed_in_the_guide() -> None:
    said = page("docs/guide/index.md").text
    assert [one.name for one in _DECISIONS if f"(../adr/{one.path.name})" not in said] == []


def test_a_note_of_a_change_says_of_which_sort_it_is() -> None:
    names = [path.name for path in (ROOT / "changes").iterdir()]
    assert names
    assert [name for name in names if not re.fullmatch(r"\d{4}\.(feature|fix|removal)\.md", name)] == []
