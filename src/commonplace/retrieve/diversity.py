"""Diversity: the same thing said twice takes one place, not two.

Other numbers, other names, another order or a `not` make it another thing, however many words are shared: the sides of a
conflict, and the new value beside the old one, must both be heard (rfc 53).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.forms import forms_along, forms_in

_WEIGHTLESS = forms_in(
    "a an the this that these those is are was were be it its of to and also just please very really"
)
"""Words that can come or go without a statement becoming another one."""

_LONGEST = 4_000
"""A page is repeated to the letter or not at all."""


def without_repeats(ranked: Iterable[Contender], limit: int) -> tuple[list[Contender], dict[str, str]]:
    """The first `limit` that do not repeat a better one; and those that do, with whom they repeat."""
    kept: list[Contender] = []
    repeating: dict[str, str] = {}
    said: dict[object, str] = {}
    for contender in ranked:
        if len(kept) == limit:
            break
        twin = said.setdefault(_said(contender), contender.id)
        if twin == contender.id:
            kept.append(contender)
        else:
            repeating[contender.id] = twin
    return kept, repeating


def _said(contender: Contender) -> object:
    return _weighty(contender.record.content, lambda: contender.along) if contender.record else contender.id


def said_in(content: str) -> object:
    """A statement, whatever weighs nothing in it."""
    return _weighty(content, lambda: forms_along(content))


def _weighty(content: str, along: Callable[[], list[str]]) -> object:
    if len(content) > _LONGEST:
        return content
    return tuple([form for form in along() if form not in _WEIGHTLESS]) or content
