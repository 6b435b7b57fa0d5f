"""Words in common and a little for what is new: the formula of the design, to the digit."""

from __future__ import annotations

import re
from datetime import timedelta
from math import inf

import pytest

from commonplace.retrieve import aegis
from commonplace.retrieve.contender import Contender
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory


def test_words_are_split_lowered_and_three_characters_long() -> None:
    """G35, and the reference's own case."""
    assert aegis.words("Hello, World! This is a test of PostgreSQL-16 on port 5432.") == {
        "hello", "world", "test", "postgresql", "port", "5432",
    }  # fmt: skip


def test_an_underscore_parts_words_and_other_alphabets_have_words_too() -> None:
    """G35: what is neither letter nor digit parts."""
    assert aegis.words("snake_case ÜBUNG база_данных 数据库 e_f") == {
        "snake",
        "case",
        "übung",
        "база",
        "данных",
        "数据库",
    }


def test_there_are_exactly_the_84_stop_words_of_the_design() -> None:
    """G36."""
    assert len(aegis.STOP_WORDS) == 84
    assert {"the", "project", "should", "file", "please", "using", "own", "thing"} <= aegis.STOP_WORDS
    assert all(re.fullmatch("[a-z]{3,7}", word) for word in aegis.STOP_WORDS)
    assert aegis.words(" ".join(aegis.STOP_WORDS).upper()) == set()


@pytest.mark.parametrize(
    ("hours", "bonus"), [(-5, 1.0), (0, 1.0), (0.1, 1.0), (0.2, 0.5), (1, 0.1), (10, 0.01), (1_000, 0.0001), (inf, 0.0)]
)
def test_the_bonus_for_what_is_new_is_the_designs(hours: float, bonus: float) -> None:
    """G34."""
    assert aegis.recency(hours) == pytest.approx(bonus)


def test_each_different_word_counts_once() -> None:
    """G34."""
    asked = aegis.words("deploy to AWS production, deploy now")
    assert aegis.relevance("Deploy target is AWS us-east-1: deploy, deploy!", asked, 1) == pytest.approx(2.1)


def test_nothing_in_common_scores_nothing_however_new() -> None:
    """G47, G-b."""
    assert aegis.relevance("User prefers tabs over spaces", aegis.words("deploy to AWS production"), 0) == 0


def test_a_search_with_this_profile_counts_the_same() -> None:
    """X-9: one formula, with its components."""
    old = a_memory("Deploy target is AWS", created_at=EPOCH - timedelta(hours=1))
    new = a_memory("Deploy to AWS", created_at=EPOCH)
    other = a_memory("Tabs", created_at=EPOCH)
    contenders = [Contender(record.id, place) for place, record in enumerate((old, new, other))]
    for contender, record in zip(contenders, (old, new, other), strict=True):
        contender.record = record
        aegis.score(contender, record, "Where do we deploy on AWS?", EPOCH)
    assert contenders[0].scores == {"lexical": 2.0, "recency": pytest.approx(0.1)}
    assert [contender.score for contender in contenders] == pytest.approx([2.1, 3.0, 0.0])
    assert [one.id for one in sorted(contenders, key=aegis.order)] == [new.id, old.id, other.id]
