"""A long memory that answers a question in several places: each of the question's words finds its own passage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import commonplace
from commonplace.errors import NotSearchedError
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.coverage import cover
from commonplace.retrieve.meaning import Asked
from commonplace.retrieve.profiles import HYBRID

SPREAD = 0.03


class AView:
    """Says how many memories hold a word; `nearest` is how near the passages of each come to the words."""

    def __init__(self, nearest: dict[int, list[float]], held: dict[str, float] | None = None) -> None:
        self.nearest, self.held = nearest, held

    def held_by(self, words: list[str]) -> tuple[dict[str, float], int]:
        if self.held is None:
            raise NotSearchedError("no words here")
        return self.held, 1000


def added(view: AView, question: str = "the dentist in Lisbon?", **lengths: int) -> dict[int, float]:
    words = [*question.replace("?", " ?").lower().split()]
    asked = Asked("m", np.zeros(len(words)), words, np.eye(len(words), dtype=np.float32))
    ranked = [Contender(str(place), place) for place in view.nearest]
    told = {place: lengths.get(f"of_{place}", 2000) for place in view.nearest}
    passages = {place: _passages(words, near) for place, near in view.nearest.items() if told[place] > 400}
    cover(view, asked, SPREAD, 1.0, ranked, told, passages)
    for one in ranked:
        assert one.score == pytest.approx(sum(one.scores.values()))
    return {one.place: one.scores.get("coverage", 0.0) for one in ranked}


def _passages(words: list[str], near: list[float]) -> np.ndarray:
    """A passage for each telling word, so near to it; all are nearer still to the other words."""
    told = [at for at, word in enumerate(words) if word in ("dentist", "lisbon")]
    rows = np.full((len(near), len(words)), 0.95, dtype=np.float32)
    rows[:, told] = 0.0
    for row, (at, one) in enumerate(zip(told, near, strict=False)):
        rows[row, at] = one
    return rows


def test_who_speaks_of_every_word_gains_what_the_others_lose():
    said = added(AView({1: [0.86, 0.86], 2: [0.80, 0.86], 3: [0.80, 0.80]}))
    assert said[1] > said[2] > said[3]
    assert sum(said.values()) == pytest.approx(0.0, abs=1e-9)
    assert said[1] - said[3] == pytest.approx(0.06 / SPREAD)


def test_common_words_and_marks_are_not_asked_about():
    near = {1: [0.86, 0.80], 2: [0.80, 0.80], 3: [0.80, 0.80]}
    assert added(AView(near), "what about the dentist in Lisbon?") == added(AView(near), "dentist Lisbon")


def test_a_rare_word_counts_for_more():
    near = {1: [0.86, 0.80], 2: [0.80, 0.86], 3: [0.80, 0.80]}
    rare = added(AView(near, {"dentist": 1, "lisbon": 900}))
    assert rare[1] > rare[2] > rare[3]
    assert added(AView(near, {"dentist": 900, "lisbon": 1}))[2] == pytest.approx(rare[1])


def test_what_length_alone_brings_is_taken_off():
    view = AView({1: [0.82, 0.82], 2: [0.82, 0.82], 3: [0.82, 0.82]})
    said = added(view, of_1=1000, of_2=2000, of_3=4000)
    assert said[1] > said[2] > said[3]


def test_one_short_memory_among_many_long_ones_is_left_as_it_is():
    said = added(AView({n: [0.8 + n / 100, 0.8] for n in range(1, 12)}), of_11=300)
    assert said[11] == 0.0
    assert said[10] > said[1]


def test_essays_are_not_lifted_over_statements():
    """BEAM: where both compete, what covers the question is an essay, and what answers it a statement."""
    lengths = {f"of_{n}": 300 for n in range(8, 12)}
    assert {*added(AView({n: [0.8 + n / 100, 0.8] for n in range(1, 12)}), **lengths).values()} == {0.0}


@pytest.mark.parametrize("lengths", [{"of_1": 100}, {"of_1": 400, "of_2": 10}])
def test_of_two_nobody_knows_what_is_usual(lengths):
    assert {*added(AView({1: [0.9], 2: [0.8], 3: [0.7]}), "Lisbon", **lengths).values()} == {0.0}


def test_a_question_without_a_telling_word_is_covered_by_nothing():
    assert {*added(AView({1: [0.9], 2: [0.8], 3: [0.7]}), "what is it?").values()} == {0.0}


def _session(*told: str) -> str:
    """So long that each statement has a passage of its own."""
    idle = (
        "Ben: It rained all day here, so we stayed in and did nothing much, and then it rained some more, as it does. "
    )
    return "\n".join(f"Ann: {one}\n{idle * 3}" for one in told)


def test_in_a_book_with_the_default_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "e5-small-v2")
    monkeypatch.setenv("COMMONPLACE_RERANKER", "none")
    sessions = [
        _session("My dentist moved to Porto.", "The tram was late again.", "I bought a lamp."),
        _session("We ate fish.", "Lisbon was hot in June.", "The train was late again."),
        _session("My dentist has a new drill.", "The cat is well.", "Next week I fly to Lisbon."),
        _session("The garden needs water.", "A neighbour has a goat.", "I sold the lamp."),
    ]
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}") as book:
        ids = [book.save(text, type="episode").id for text in sessions]
        assert book.index_pending().waiting == 0
        found = {one.record.id: one for one in book.search("the dentist before the flight to Lisbon", limit=4)}
        said = {id: one.scores.get("coverage", 0.0) for id, one in found.items()}
        assert max(said, key=said.__getitem__) == ids[2]
        assert all(one.score == pytest.approx(sum(one.scores.values()), abs=1e-4) for one in found.values())
        words = book.search("the dentist before the flight to Lisbon", profile="words", limit=4)
        assert all("coverage" not in one.scores for one in words)
    assert HYBRID.coverage > 0
