"""The later word on a value, where a reranker that tells a yes from a no has read the best: it must answer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.freshest import freshest_first
from commonplace.retrieve.understand import understand
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory

OLD, NEW, OTHER = "The port of the shop is 8080.", "The port of the shop is 9090.", "The shop got port 3 of wine."


def first(*told: tuple[str, float], judged: bool = True, asked: str = "What is the current port of the shop?") -> str:
    """Of memories, each a day younger than the one before it and a little behind it, with what the reranker says of them."""
    ranked = []
    for n, (said, answer) in enumerate(told):
        one = Contender(str(n), n + 1)
        one.record = a_memory(content=said, observed_at=EPOCH + timedelta(days=n))
        one.score, one.raw["rerank"] = 9.0 - n, answer
        ranked.append(one)
    found = freshest_first(ranked, understand(asked, EPOCH), lambda *_: 4.0, are_long=False, is_judged=judged)
    assert found[0].record is not None
    return found[0].record.content


def test_the_later_word_goes_first_if_it_may_answer():
    assert first((OLD, 3.0), (NEW, -0.5)) == NEW


def test_what_does_not_answer_is_no_later_word():
    assert first((OLD, 3.0), (OTHER, -1.5)) == OLD
    assert first((OLD, 3.0), (OTHER, -1.5), judged=False) == OTHER, "nobody said that it does not"


MEETING = "When is the meeting about the port?"


@pytest.mark.parametrize(
    "said", ["The meeting about the port was rescheduled.", "The meeting about the port is moved."]
)
def test_who_says_that_it_is_otherwise_now_needs_no_number(said):
    assert first(("The meeting about the port is on May 3.", 3.0), (said, 0.0), asked=MEETING) == said


@pytest.mark.parametrize(
    "said", ["I look forward to the meeting about the port.", "I just read about the port meeting."]
)
def test_who_tells_neither_a_number_nor_a_change_is_no_later_word(said):
    assert first(("The meeting about the port is on May 3.", 3.0), (said, 0.0), asked=MEETING) != said


TWO, FOUR = "The port opens two days a week.", "The port opens four days a week."


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("How many days a week does the port open?", FOUR),
        ("How many days a week did the port open?", TWO),
        ("How many days does the port open a week?", FOUR),
        ("How many days are planned for the port?", FOUR),
        ("How many days are there from opening the port to closing it?", TWO),
        ("How many days did the port open?", TWO),
        ("How many days passed until the port opened?", TWO),
    ],
)
def test_a_number_of_days_is_a_value_too_if_it_is_one_of_today(asked, wanted):
    assert first((TWO, 3.0), (FOUR, 2.0), asked=asked) == wanted
