"""How much words and meaning count: less for words where there is meaning to go by, and nearness in spreads."""

from __future__ import annotations

import numpy as np

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.fuse import Streams, fuse
from commonplace.retrieve.likeness import Likeness
from commonplace.retrieve.profiles import HYBRID, VAULT, WORDS


def test_words_count_for_more_where_there_is_no_meaning_to_go_by():
    with_meaning = fuse(Streams({1: 2.0}, {1: 0.8}, (0.7, 0.05)), HYBRID)
    alone = fuse(Streams({1: 2.0}, {}, (0.7, 0.05)), HYBRID)
    assert alone.by_words / with_meaning.by_words == HYBRID.lexical_alone / HYBRID.lexical > 1
    assert fuse(Streams({1: 2.0}, {}, (0.7, 0.05)), WORDS).by_words == alone.by_words


def test_a_profile_that_does_not_say_so_counts_words_alike():
    alone = fuse(Streams({1: 2.0}, {}, (0.7, 0.05)), VAULT)
    assert alone.by_words == fuse(Streams({1: 2.0}, {1: 0.8}, (0.7, 0.05)), VAULT).by_words


def test_words_count_for_less_if_even_the_best_match_holds_little_of_the_question():
    plainly, hardly = (fuse(Streams({1: 2.0}, {1: 0.8}, (0.7, 0.05), held), HYBRID) for held in (1.0, 0.25))
    assert hardly.by_words == plainly.by_words / 4
    assert hardly.by_meaning == plainly.by_meaning


class AView:
    def vectors_of(self, model, places):
        return {
            place: np.array([[0.6, 0.8]] if place == 1 else [[1.0, 0.0]], np.float32) for place in places if place < 3
        }


def test_how_alike_two_are_is_told_in_spreads_of_the_nearness_of_anything():
    one, other, unknown = (Contender(str(place), place) for place in (1, 2, 3))
    alike = Likeness(AView(), "m", [one, other, unknown], (0.5, 0.05))
    assert round(alike(one, other), 4) == 2.0
    assert round(Likeness(AView(), "m", [one, other], (0.4, 0.1))(one, other), 4) == 2.0
    assert alike(one, unknown) is None
