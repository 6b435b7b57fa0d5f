"""Diversity: the same thing said twice takes one place, not two.

Other numbers, other names, another order or a `not` make it another thing, however many words are shared: the sides of a
conflict, and the new value beside the old one, must both be heard (rfc 53).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.forms import each_form

_WEIGHTLESS = frozenset(
    each_form("a an the this that these those is are was were be it its of to and also just please very really")
)
"""Words that can come or go without a statement becoming another one."""

_LONGEST = 4_000
"""A page is repeated to the letter or not at all."""


_OPENING = 3
"""Two that say the same have their first weighty words in common: only who has those is compared to the end."""


def without_repeats(ranked: Iterable[Contender], limit: int) -> tuple[list[Contender], dict[str, str]]:
    """The first `limit` that do not repeat a better one; and those that do, with whom they repeat."""
    kept: list[Contender] = []
    repeating: dict[str, str] = {}
    alone: dict[object, Contender] = {}
    said: dict[object, str] = {}
    coming = iter(ranked)
    while len(kept) < limit and (contender := next(coming, None)) is not None:  # who is not asked for is not read
        other = alone.setdefault(_opening(contender), contender)
        if other is not contender:
            said.setdefault(_said(other), other.id)
        twin = contender.id if other is contender else said.setdefault(_said(contender), contender.id)
        if twin == contender.id:
            kept.append(contender)
        else:
            repeating[contender.id] = twin
    return kept, repeating


def _opening(contender: Contender) -> object:
    """What is the same for all that say the same, and for few others."""
    content = contender.record.content if contender.record else contender.id
    return content if len(content) > _LONGEST else tuple(islice(_weighty_forms(content), _OPENING))


def _weighty_forms(content: str) -> Iterator[str]:
    return (form for form in each_form(content) if form not in _WEIGHTLESS)


def _said(contender: Contender) -> object:
    return said_in(contender.record.content) if contender.record else contender.id


def said_in(content: str) -> object:
    """A statement, whatever weighs nothing in it."""
    return content if len(content) > _LONGEST else tuple(_weighty_forms(content)) or content
