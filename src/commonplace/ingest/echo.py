"""Echoes: what was injected into a prompt must not come back as something new.

An agent that was handed a memory will repeat it, word for word or nearly so, and its transcript is captured. That is a use of the
memory, not evidence for it. Two signs tell: the text stands inside one of our fences, or a receipt says that a memory which
says the same was handed out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.model.filter import Filter
from commonplace.model.receipt import Moment
from commonplace.model.terms import query_terms
from commonplace.model.words import Status
from commonplace.retrieve.forms import forms_in
from commonplace.retrieve.understand import telling_words

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

Span = tuple[int, int]

_FENCE = re.compile(r"<memory ([a-z2-7]{16,32})>.*?(?:</memory \1>|\Z)", re.DOTALL)
# One line of a context that lost its fence on the way: an id, its columns, the text.
_LINE = re.compile(r"^[^\S\n]*[-*>]?[^\S\n]*[0-9A-HJKMNP-TV-Z]{26} \|[^\n]*", re.MULTILINE)
_NUMBER = re.compile(r"\d+")
_SAME = 0.75
"""So much of the shorter text's telling words must be in the longer one: a light paraphrase keeps more."""
_LOOKED_AT = 8
_LIVE = Filter(statuses=(Status.ACTIVE, Status.INBOX, Status.SUPERSEDED, Status.CONTRADICTED, Status.ARCHIVED))


def injected_spans(text: str) -> list[Span]:
    """The stretches of a captured text that are a context of ours, fenced or line by line."""
    found = [match.span() for match in _FENCE.finditer(text)] if "<memory " in text else []
    found += [match.span() for match in _LINE.finditer(text) if not is_inside(match.span(), found)]
    return sorted(found)


def is_inside(span: Span, spans: Sequence[Span]) -> bool:
    """Does it touch any of these?"""
    return any(span[0] < end and start < span[1] for start, end in spans)


def echo_of(view: View, text: str) -> str | None:
    """The memory that this text only repeats because it was handed out; None if it says something of its own."""
    telling = _telling(text)
    if not telling:
        return None
    terms = [term for word in telling_words(text)[:12] for term in query_terms(word)[:1]]
    near = view.by_id([hit.id for hit in view.lexical(terms, _LIVE, _LOOKED_AT)])
    for record in near.values():
        if says_the_same(text, record) and was_injected(view, record.id):
            return record.id
    return None


def says_the_same(text: str, record: MemoryRecord) -> bool:
    """Nearly all of the words of one are in the other, and the text has no number that the memory has not."""
    said, known = _telling(text), _telling(record.content)
    if not said or not known or {*_NUMBER.findall(text)} - {*_NUMBER.findall(record.content)}:
        return False
    return len(said & known) / len(said) >= _SAME


def was_injected(view: View, memory_id: str) -> bool:
    """Do the receipts say that it was handed to somebody, not only looked at?"""
    told = view.receipts(memory_id=memory_id, limit=50)
    return any(
        candidate.memory_id == memory_id
        for receipt in told
        if receipt.moment is not Moment.SEARCH
        for candidate in receipt.chosen
    )


def _telling(text: str) -> set[str]:
    return forms_in(" ".join(telling_words(text)))
