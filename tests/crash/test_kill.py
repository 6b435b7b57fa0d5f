"""kill -9 at a random moment of any write (rows 1, 8, 59; R1, R2, R5): acknowledged writes stay, others are whole or absent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .books import on_every_canon
from .broken import EagerBook, TwoTransactions
from .interrupt import BookUnderFire, kill_again_and_again


def _survives(place: Path, rng: random.Random, kills: int) -> None:
    book = BookUnderFire(place)
    problems = kill_again_and_again(book, rng, kills)
    print(f"{kills} kills, {book.acknowledged} acknowledged writes, {book.retried} retried, {len(problems)} problems")
    assert problems == []
    assert book.acknowledged > kills, "the writer hardly got anywhere: the harness proves nothing"
    assert book.retried > kills // 30, "too few kills fell into a save"


@on_every_canon
def test_nothing_acknowledged_is_lost_and_nothing_is_torn_in_300_kills(place: Path, rng: random.Random) -> None:
    _survives(place, rng, 300)


@pytest.mark.nightly
@on_every_canon
def test_nothing_acknowledged_is_lost_and_nothing_is_torn_in_10_000_kills(place: Path, rng: random.Random) -> None:
    _survives(place, rng, 10_000)


def test_the_control_that_writes_in_two_transactions_is_found_torn(place: Path, rng: random.Random) -> None:
    control = TwoTransactions(place)
    problems = kill_again_and_again(control, rng, 60)
    print(f"{control.acknowledged} acknowledged, {len(problems)} torn in 60 kills")
    assert any("TORN" in problem for problem in problems)


@on_every_canon
def test_the_control_that_answers_before_it_saves_is_found_to_lose(place: Path, rng: random.Random) -> None:
    problems = kill_again_and_again(EagerBook(place), rng, 40)
    assert any("LOST" in problem for problem in problems)
