"""A budget that is kept by our count is kept by the model's: the estimate is offline, quick, and on the safe side."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.retrieve.tokens import count

# Texts of every sort with their true count in the o200k vocabulary, taken once.
MEASURED = json.loads(Path(__file__).with_name("tokens.json").read_text(encoding="utf-8"))
ORDINARY = [case for case in MEASURED if case["about"] != "names"]


@pytest.mark.parametrize("case", ORDINARY, ids=lambda case: case["about"])
def test_no_ordinary_text_is_counted_too_low(case):
    assert count(case["text"]) >= case["o200k"]


@pytest.mark.parametrize("case", ORDINARY, ids=lambda case: case["about"])
def test_no_budget_is_wasted_beyond_reason(case):
    assert count(case["text"]) <= case["o200k"] * (2.5 if case["about"] == "vi" else 1.75)


def test_a_page_of_everything_is_close():
    """Over many texts the errors level out."""
    english = [case for case in ORDINARY if len(case["about"]) > 2]
    counted, true = sum(count(case["text"]) for case in english), sum(case["o200k"] for case in english)
    assert 1.1 < counted / true < 1.35


def test_a_line_of_nothing_but_rare_names_is_the_known_exception():
    (names,) = (case for case in MEASURED if case["about"] == "names")
    assert 0.8 <= count(names["text"]) / names["o200k"] < 1


def test_nothing_has_no_tokens_and_anything_has_some():
    assert count("") == 0
    assert count("a") >= 1
    assert count("\u200b") >= 1


@given(st.text(), st.text())
def test_two_texts_together_cost_little_more_than_each_alone(one, other):
    """So that a pack may add up its parts: joined with a line end they cost no more than the parts and two."""
    assert count(one + "\n" + other) <= count(one) + count(other) + 2


@given(st.text(), st.text())
def test_more_text_never_costs_less(one, other):
    assert count(one + " " + other) >= max(count(one), count(other))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "a " * 500_000,
        "'s" * 500_000,
        "-" * 1_000_000,
        "数" * 300_000,
        "\n" * 1_000_000,
        "aA1-" * 250_000,
    ],
    ids=["letter", "words", "quotes", "dashes", "ideographs", "lines", "mixed"],
)
def test_time_grows_with_the_length_and_nothing_else(text):
    start = time.process_time()
    count(text)
    assert time.process_time() - start < 2


def test_no_character_that_a_reader_sees_is_free():
    """Else a memory written in it would break the budget (R35): ligatures, old Greek, Arabic as it is printed."""
    from commonplace.guard.quoting import on_one_line

    each = map(chr, (*range(0x21, 0xD800), *range(0xE000, 0x20000)))
    shown = [one for one in each if one.isprintable() and not one.isspace() and one in on_one_line(f"x{one * 8}x")]
    assert [hex(ord(one)) for one in shown if count(one * 8) < 3] == []
