"""Linking: how one memory stands to another (rfc 36)."""

from __future__ import annotations

import pytest

from commonplace.errors import InvalidError, NotFoundError
from commonplace.model.words import Relation


@pytest.fixture
def pair(book):
    return [book.save(text, type="episode", aliases=[text]).id for text in ("one", "two")]


@pytest.mark.parametrize("relation", [*Relation])
def test_every_relation_can_be_said_and_taken_back(book, pair, relation):
    made = book.link(*pair, relation, evidence_ref="chat/1")
    assert (made.from_id, made.relation, made.to_id, made.evidence_ref) == (pair[0], relation, pair[1], "chat/1")
    assert book.explain(pair[0]).links == book.explain(pair[1]).links == (made,)
    assert book.unlink(*pair, relation, reason="not so") == made
    assert book.explain(pair[0]).links == ()
    assert [op.verb for op in book.history(made.id)] == ["link", "unlink"]


def test_the_relation_may_stand_in_the_middle(book, pair):
    assert book.link(pair[0], "supports", pair[1]).relation == "supports"


def test_linking_twice_is_linking_once(book, everything, pair):
    first = book.link(*pair, "supports")
    before = everything(book)
    assert book.link(*pair, "supports", evidence_ref="other") == first
    assert everything(book) == before


def test_the_other_direction_and_other_relations_are_other_links(book, pair):
    book.link(*pair, "supports")
    book.link(*reversed(pair), "supports")
    book.link(*pair, "related_to")
    assert book.stats().links == 3


def test_aliases_name_the_ends_of_a_link_on_both_ways(book, pair):
    made = book.link("one", "two", "supports")
    assert [made.from_id, made.to_id] == pair
    assert book.unlink("one", "two", "supports") == made


def test_a_memory_is_not_linked_to_itself(book, everything, pair):
    before = everything(book)
    for other in (pair[0], "one"):
        with pytest.raises(InvalidError, match="itself"):
            book.link(pair[0], other, "supports")
    assert everything(book) == before


def test_taking_back_what_was_not_said_is_not_found(book, pair):
    book.link(*pair, "supports")
    for ends, relation in ((pair, "related_to"), (pair[::-1], "supports")):
        with pytest.raises(NotFoundError):
            book.unlink(*ends, relation)
