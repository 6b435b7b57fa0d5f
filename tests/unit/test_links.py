"""`links`: how memories stand to each other, all of them or those of some (rfc 31)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from commonplace.errors import InvalidError


@pytest.fixture
def linked(book):
    ids = [book.save(f"Stone number {n}.", type="project", project_id="p", aliases=[f"stone-{n}"]).id for n in range(5)]
    for n in range(4):
        book.link(ids[n], "supports", ids[n + 1])
    return ids


def test_all_of_them_a_page_at_a_time_those_of_the_newest_memories_first(book, linked):
    pages, after = [], None
    while page := book.links(limit=3, after=after):
        pages.append(page)
        after = page[-1].id
    assert [link.from_id for page in pages for link in page] == [*reversed(linked[:4])]
    assert [len(page) for page in pages] == [3, 1]


def test_those_from_or_to_some_named_by_id_or_alias(book, linked):
    assert {link.id for link in book.links(memories=[linked[1], "stone-4"])} == {
        f"{one}>supports>{other}" for one, other in pairwise(linked) if linked[2] != one
    }
    assert book.links(memories="nobody") == []
    first, second = book.links(memories=linked[1])
    assert book.links(memories=linked[1], limit=1) == [first]
    assert book.links(memories=linked[1], after=first.id) == [second]


def test_what_was_taken_back_is_not_among_them(book, linked):
    book.unlink(linked[0], linked[1], "supports")
    assert linked[0] not in {link.from_id for link in book.links()}


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_page_has_an_end(book, limit):
    with pytest.raises(InvalidError, match="limit"):
        book.links(limit=limit)
