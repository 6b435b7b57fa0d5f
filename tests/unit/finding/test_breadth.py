"""Of a long memory the best passage counts, and how much of the rest is about the question too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import commonplace
from commonplace.retrieve.breadth import broaden
from commonplace.retrieve.contender import Contender

ASKED = np.array([1.0, 0.0], dtype=np.float32)


def taken(*near: float) -> float:
    one = Contender("a", 1)
    one.scores["semantic"] = 3.0
    broaden([one], {1: np.array([[value, 0.1] for value in near], dtype=np.float32)}, ASKED, 10.0)
    assert one.score == pytest.approx(sum(one.scores.values())) or "breadth" not in one.scores
    return one.scores.get("breadth", 0.0)


def test_what_speaks_of_it_once_loses_more_than_what_speaks_of_it_throughout():
    assert taken(0.9, 0.7, 0.7) == pytest.approx(10 * (0.7667 - 0.9), abs=0.01)
    assert taken(0.9, 0.7, 0.7) < taken(0.9, 0.85, 0.85) < 0
    assert taken(0.9, 0.9, 0.9) == 0.0


def test_one_passage_is_all_there_is():
    assert taken(0.2) == 0.0


def test_whose_vectors_are_not_known_is_left_as_it_is():
    one = Contender("a", 1)
    broaden([one], {}, ASKED, 10.0)
    assert one.scores == {}


def test_in_a_book_with_the_default_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "e5-small-v2")
    monkeypatch.setenv("COMMONPLACE_RERANKER", "none")
    idle = "The tram was late and the rain went on, so nothing much was done on that day, and the next was no better. "
    dentist = (
        "The dentist looked at my tooth, said that it must come out, and the nurse wrote down another date for it. "
    )
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}") as book:
        once = book.save(dentist + idle * 12, type="episode").id
        throughout = book.save(dentist * 13, type="episode").id
        assert book.index_pending().waiting == 0
        found = {one.record.id: one.scores for one in book.search("the dentist")}
        assert found[once]["breadth"] < found[throughout].get("breadth", 0.0) <= 0
        account = {one.record.id: one.scores for one in book.search("what did you say of the dentist")}
        assert "breadth" not in account[once]
