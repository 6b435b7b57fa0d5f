"""What stays at hand stays little: whatever is asked, however often, and from however many threads (rfc 45, ADR 0028)."""

from __future__ import annotations

import threading

import numpy as np  # noqa: F401 - words are remembered one by one only where it is loaded anyway
import pytest

from commonplace.catalog.sqlite import addends, at_hand
from commonplace.model.filter import Filter
from commonplace.testing.makers import a_memory

from .canons import committed


def asked_twice(canon, *words):
    with canon.reading() as view:
        for _ in range(2):
            hits = [*view.lexical([(word,) for word in words], Filter(), 5)]
        return hits, at_hand.of(view.connection)


def test_words_that_nobody_holds_are_not_remembered_for_ever(canon, monkeypatch):
    """They have no numbers to count, and there is no end of them."""
    monkeypatch.setattr(addends, "_WORDS", 20)
    committed(canon, a_memory(content="We ship on Friday."))
    first, _ = asked_twice(canon, "ship")
    for n in range(200):
        assert not asked_twice(canon, f"unheard{n}", f"of{n}")[0]
    hits, hand = asked_twice(canon, "ship")
    assert hits == first
    assert 10 < len(hand.addends) <= 20


@pytest.mark.parametrize("few", [2, 512], ids=["each sum once", "each sum by itself"])
def test_how_much_is_kept_is_counted_right(canon, monkeypatch, few):
    monkeypatch.setattr(addends, "_FEW", few)
    monkeypatch.setattr(addends, "_MOST", 300)
    committed(canon, *[a_memory(content=f"ship car boat {n}") for n in range(10)])
    for word in ("ship", "car", "boat", "ship", "4", "nowhere", "car"):
        _, hand = asked_twice(canon, word)
        assert hand.kept == sum(each.size for each in hand.addends.values()) <= 300


def test_what_is_too_long_to_be_a_word_is_not_remembered(canon):
    committed(canon, a_memory(content="We ship on Friday. " + "x" * 5_000))
    hits, hand = asked_twice(canon, "x" * 5_000, "ship")
    assert len(hits) == 1
    assert all(len(word) < 300 for word in hand.addends)


def test_long_memories_do_not_fill_the_room_of_many(canon, monkeypatch):
    """A memory may be half a megabyte long."""
    monkeypatch.setattr(at_hand, "_LETTERS", 100_000)
    records = [a_memory(content=f"Memory {n}. " + "long " * 4_000) for n in range(30)]
    committed(canon, *records)
    with canon.reading() as view:
        for record in records:
            assert view.by_id([record.id]) == {record.id: record}
        assert sum(len(record.content) for record in at_hand.of(view.connection).records.values()) <= 100_000


def test_threads_that_have_ended_do_not_pile_up_what_they_read(canon, monkeypatch):
    monkeypatch.setattr(at_hand, "_CONNECTIONS", 4)
    committed(canon, a_memory(content="We ship on Friday."))
    found = []
    for _ in range(12):
        thread = threading.Thread(target=lambda: found.append(asked_twice(canon, "ship")[0]))
        thread.start()
        thread.join()
    assert len(found) == 12
    assert all(hits == found[0] and len(hits) == 1 for hits in found)
    assert len(at_hand._known) <= 4
