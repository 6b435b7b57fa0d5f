"""The later word on a value, where a reranker that tells a yes from a no has read the best: it must answer."""

from __future__ import annotations

from datetime import timedelta

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.freshest import freshest_first
from commonplace.retrieve.understand import understand
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory

OLD, NEW, OTHER = "The port of the shop is 8080.", "The port of the shop is 9090.", "The shop got port 3 of wine."


def first(*told: tuple[str, float], judged: bool = True) -> str:
    """Of memories, each a day younger than the one before it and a little behind it, with what the reranker says of them."""
    ranked = []
    for n, (said, answer) in enumerate(told):
        one = Contender(str(n), n + 1)
        one.record = a_memory(content=said, observed_at=EPOCH + timedelta(days=n))
        one.score, one.raw["rerank"] = 9.0 - n, answer
        ranked.append(one)
    asked = understand("What is the current port of the shop?", EPOCH)
    found = freshest_first(ranked, asked, lambda *_: 4.0, are_long=False, is_judged=judged)
    assert found[0].record is not None
    return found[0].record.content


def test_the_later_word_goes_first_if_it_may_answer():
    assert first((OLD, 3.0), (NEW, -0.5)) == NEW


def test_what_does_not_answer_is_no_later_word():
    assert first((OLD, 3.0), (OTHER, -1.5)) == OLD
    assert first((OLD, 3.0), (OTHER, -1.5), judged=False) == OTHER, "nobody said that it does not"
