"""Every numbered requirement has a test that cites it.

The numbers are those of the designs that Commonplace brings together: V the digest and ledger, A the vault, G the built-in
agent memory, X what they disagree about, and the rows of the catalogue of bad inputs but those of PostgreSQL and of installing.
What is no behaviour, or comes later, stands here with its reason, so that nobody takes a gap for an oversight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

TESTS = Path(__file__).parents[1]


def _numbers(letter: str, *spans: tuple[int, int]) -> list[str]:
    return [f"{letter}{n}" for first, last in spans for n in range(first, last + 1)]


def _letters(letter: str, last: str) -> list[str]:
    return [f"{letter}-{chr(code)}" for code in range(ord("a"), ord(last) + 1)]


WANTED = [
    *_numbers("V", (1, 61)), *_letters("V", "n"),
    *_numbers("A", (1, 47), (52, 71), (81, 84)),
    *_numbers("G", (1, 54)), *_letters("G", "k"),
    *_numbers("X-", (1, 22)),
    *_numbers("row ", (1, 74), (82, 135)),
]  # fmt: skip

LATER = {
    "V60": "says what the public project leaves open; nothing to do",
    "A38": "growing old: cold entries are retired",
    "A39": "growing old: heat moves what is always loaded",
    "A40": "growing old: staging before an autonomous archive",
    "X-18": "names of the report and of the crystal: growing old",
}


def _cited(text: str) -> Iterator[str]:
    """`V12`, `A52-56`, `G-a`, `X-12`, `row 47`, `rows 27-34, 126`."""
    for letter, first, last in re.findall(r"\b(V|A|G|X-)(\d+)(?:\s*[-–]\s*(?:[VAG]|X-)?(\d+))?\b", text):
        yield from _span(letter, first, last)
    for letter, first, last in re.findall(r"\b([VG])-([a-z])\b(?:\s*(?:-|–|…)\s*[VG]-([a-z])\b)?", text):
        yield from (f"{letter}-{chr(code)}" for code in range(ord(first), ord(last or first) + 1))
    for listed in re.findall(r"\b[Rr]ows?[ \n]((?:\d+(?:[-–]\d+)?(?:, | and )?)+)", text):
        for first, last in re.findall(r"(\d+)(?:[-–](\d+))?", listed):
            yield from _span("row ", first, last)


def _span(letter: str, first: str, last: str) -> list[str]:
    return _numbers(letter, (int(first), max(int(first), int(last or first))))


def _all_cited() -> set[str]:
    own = Path(__file__).name
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py") if path.name != own)
    return {*chain.from_iterable(map(_cited, texts))}


def test_every_requirement_is_cited_by_a_test() -> None:
    cited = _all_cited()
    assert [one for one in WANTED if one not in cited and one not in LATER] == []


def test_what_is_said_to_come_later_has_not_come_yet() -> None:
    cited = _all_cited()
    assert [one for one in LATER if one in cited or one not in WANTED] == []


def test_the_control_that_cites_nothing_is_found() -> None:
    assert {*_cited("V12, A52-54; G-a … G-c, X-3 and rows 7, 27-29 (row 126)")} == {
        "V12", "A52", "A53", "A54", "G-a", "G-b", "G-c", "X-3", "row 7", "row 27", "row 28", "row 29", "row 126",
    }  # fmt: skip
