"""Which passage of a long memory is read with the question: the one that is near and holds the question's rare words."""

from __future__ import annotations

import numpy as np
import pytest

from commonplace.retrieve import telling
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.passages import embedded_passages
from commonplace.testing.makers import a_memory

SPREAD = 0.03
FILLER = "We talked for a while about this and that, and nobody minded. " * 6
WORDS = ("dentist", "lisbon")


def a_long_one(place: int, *said: str) -> Contender:
    """Each of these begins a passage of its own."""
    content = "\n".join(f"{each} {FILLER}"[:380] for each in said)
    one = Contender(f"m{place}", place)
    one.record = a_memory(content=content)
    assert len(embedded_passages(content)) == len(said)
    return one


def vectors(*nearness: float) -> np.ndarray:
    """Rows that are so near to the first axis."""
    return np.array([[near, (1 - near * near) ** 0.5] for near in nearness], dtype=np.float32)


ASKED = np.array([1.0, 0.0], dtype=np.float32)


def pointed(one: Contender, *nearness: float, words=WORDS) -> int:
    telling.point_out([one], {one.place: vectors(*nearness)}, ASKED, SPREAD, words)
    return one.passage


def test_of_two_that_are_as_near_the_one_that_holds_the_words_is_telling():
    one = a_long_one(1, "The weather.", "The dentist in Lisbon.", "The garden.")
    assert pointed(one, 0.80, 0.80, 0.80) == 1
    assert pointed(one, 0.81, 0.80, 0.80) == 1


def test_a_passage_that_is_much_nearer_needs_no_words():
    assert pointed(a_long_one(1, "The weather.", "The dentist.", "The garden."), 0.95, 0.80, 0.80) == 0


def test_a_word_in_another_form_is_held():
    assert pointed(a_long_one(1, "The weather.", "Two dentists."), 0.80, 0.80) == 1


def test_a_word_that_every_passage_holds_tells_nothing():
    one = a_long_one(1, "The dentist, and Lisbon.", "The dentist.", "The dentist.")
    other = a_long_one(2, "A dentist.", "One dentist.", "No dentist.")
    both = {1: vectors(0.80, 0.81, 0.80), 2: vectors(0.80, 0.81, 0.80)}
    telling.point_out([one, other], both, ASKED, SPREAD, WORDS)
    assert (one.passage, other.passage) == (0, 1)


@pytest.mark.parametrize("words", [(), ("nobody",)])
def test_without_a_word_to_go_by_the_nearest_is_telling_and_of_equals_the_first(words):
    assert pointed(a_long_one(1, "The weather.", "The dentist.", "The garden."), 0.7, 0.8, 0.8, words=words) == 1


def test_whoever_is_short_or_was_not_read_or_has_no_vectors_is_left_as_it_was():
    short, unread, waiting = Contender("s", 1), Contender("u", 2), a_long_one(3, "The weather.", "The dentist.")
    short.record = a_memory(content="The dentist.")
    for one in (short, unread, waiting):
        one.passage = 7
    telling.point_out([short, unread, waiting], {1: vectors(0.9), 2: vectors(0.8, 0.9)}, ASKED, SPREAD, WORDS)
    assert [one.passage for one in (short, unread, waiting)] == [7, 7, 7]


def test_of_a_very_long_one_the_nearest_passages_are_looked_through():
    one = a_long_one(1, *(f"Number {n}." for n in range(40)), "The dentist in Lisbon.")
    assert pointed(one, *([0.80] * 40), 0.70) == 0
    assert pointed(one, *([0.80] * 40), 0.801) == 40
