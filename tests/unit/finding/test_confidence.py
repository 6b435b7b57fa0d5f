"""Is it in the book at all? A rare word of the question that no hit comes near says that it is not."""

from __future__ import annotations

import numpy as np
import pytest

from commonplace.errors import NotSearchedError
from commonplace.retrieve.confidence import confidence
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.meaning import Asked
from commonplace.retrieve.understand import understand
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory

WORDS = ("summarize", "the", "name", "of", "my", "hamster", "?")
HELD = {"name": 300.0, "hamster": 0.0, "dog": 40.0}


class AView:
    """A book of a thousand memories; `passages` are the vectors of the hits, by place."""

    def __init__(self, passages: dict[int, list[list[float]]] | None = None) -> None:
        self.passages = passages

    def held_by(self, words):
        return {word: HELD.get(word, 0.0) for word in words}, 1000

    def vectors_of(self, model, places):
        if self.passages is None:
            raise NotSearchedError("no vectors here")
        return {place: np.array(self.passages[place], np.float32) for place in places if place in self.passages}


def near(**words: float) -> list[float]:
    """A passage that is so near to each of the question's words, and far from those that are not named."""
    return [words.get(word, 0.6) for word in WORDS]


def sure(view: AView, hits: int = 2, held: float = 1.0) -> float:
    asked = Asked("m", np.zeros(len(WORDS)), WORDS, np.eye(len(WORDS), dtype=np.float32))
    ranked = [Contender(str(place), place) for place in range(1, hits + 1)]
    return confidence(view, ranked, understand(" ".join(WORDS), EPOCH), asked, held=held)


def test_a_rare_word_that_no_hit_comes_near_says_that_it_is_absent():
    there = sure(AView({1: [near(name=0.9)], 2: [near(hamster=0.92)]}))
    absent = sure(AView({1: [near(name=0.9)], 2: [near(hamster=0.7)]}))
    assert 0 < absent < 0.5 < there < 1


def test_who_asks_in_other_words_than_anything_was_told_in_misses_a_word_for_nothing():
    without = AView({1: [near(name=0.9)], 2: [near(hamster=0.7)]})
    assert sure(without, held=1.0) < sure(without, held=0.2) < sure(AView({1: [near(hamster=0.92, name=0.9)]}))


def test_any_passage_of_any_hit_may_come_near():
    assert sure(AView({1: [near(name=0.9), near(hamster=0.92)]})) == sure(
        AView({1: [near(name=0.9)], 2: [near(hamster=0.92)]})
    )


@pytest.mark.parametrize(
    "words",
    [
        ("how", "many", "days", "passed", "hamster", "?"),  # two dates answer that
        ("list", "five", "aspects", "hamster", "only", "?"),  # so many are wanted; no memory says so
    ],
)
def test_words_that_reckon_and_numbers_of_what_is_wanted_are_not_missed(words):
    asked = Asked("m", np.zeros(len(words)), words, np.eye(len(words), dtype=np.float32))
    view = AView({1: [[0.9 if word == "hamster" else 0.5 for word in words]]})
    question = understand(" ".join(words), EPOCH)
    assert confidence(view, [Contender("1", 1)], question, asked) > 0.6


def test_a_common_word_is_missed_less():
    assert sure(AView({1: [near(hamster=0.9)]})) > sure(AView({1: [near(name=0.9)]}))


def test_words_that_say_how_to_tell_it_are_not_missed():
    everything = dict.fromkeys(WORDS, 0.9)
    assert sure(AView({1: [near(**everything)]})) == sure(AView({1: [near(**everything | {"summarize": 0.1})]}))


def test_a_reranker_that_knows_when_there_is_no_answer_is_asked_too():
    def said(answer: float | None) -> float:
        asked = Asked("m", np.zeros(len(WORDS)), WORDS, np.eye(len(WORDS), dtype=np.float32))
        view = AView({1: [near(name=0.9, hamster=0.8)]})
        return confidence(view, [Contender("1", 1)], understand(" ".join(WORDS), EPOCH), asked, answer)

    assert said(-2.0) < said(None) < said(6.0)


def test_where_the_answer_has_to_be_reckoned_the_reranker_is_asked_less():
    """No single text says how many days lie between two dates; that it finds none says little."""

    def a_no_takes(question: str) -> float:
        understood, hit = understand(question, EPOCH), [Contender("1", 1)]
        return confidence(AView(), hit, understood, None, 3.8) - confidence(AView(), hit, understood, None, -2.0)

    assert a_no_takes("what is the hamster called?") > 2 * a_no_takes("how many days old is the hamster?") > 0


def test_without_hits_it_is_not_there():
    assert sure(AView({}), hits=0) == 0.0


def test_who_waits_for_a_vector_is_told_by_its_words():
    def waiting(content: str) -> float:
        hit = Contender("1", 1)
        hit.record = a_memory(content)
        asked = Asked("m", np.zeros(len(WORDS)), WORDS, np.eye(len(WORDS), dtype=np.float32))
        return confidence(AView({}), [hit], understand(" ".join(WORDS), EPOCH), asked)

    assert waiting("The name of the dog is Rex.") < 0.5 < waiting("My hamster has a name: Rex.")


def test_who_cannot_look_does_not_know():
    assert sure(AView(None)) == 0.5


@pytest.mark.parametrize("asked", [None, Asked("m", np.zeros(3))], ids=["no model", "a model without words"])
def test_without_the_words_of_a_model_a_hit_holds_them_or_does_not(asked):
    def by_words(content: str) -> float:
        hit = Contender("a", 1)
        hit.record = a_memory(content)
        return confidence(AView({}), [hit], understand("the name of my hamster", EPOCH), asked)

    assert by_words("My dog has a name.") < 0.5 < by_words("My hamster's name is Rex.")
