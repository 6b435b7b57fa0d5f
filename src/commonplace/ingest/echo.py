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
_ONE_SENTENCE = 12
"""With more telling words than this, a sentence may repeat several memories."""
_SAYS_SOMETHING = 3
"""With fewer telling words it is a greeting or a nod."""
_CLAUSE = re.compile(r"[,;:]\s|\s(?:and|but|or)\s(?:that\s)?|\s-\s")
_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]?")
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
    most = _LOOKED_AT if len(telling) <= _ONE_SENTENCE else 4 * _LOOKED_AT
    near = view.by_id([hit.id for hit in view.lexical(terms, _LIVE, most)])
    for record in near.values():
        if says_the_same(text, record) and view.was_handed_over(record.id):
            return record.id
    return _several(view, text, near) if len(telling) > _ONE_SENTENCE else None


def _several(view: View, text: str, near: dict[str, MemoryRecord]) -> str | None:
    """Does a long sentence only string together what several memories say that were handed out? Names one of them."""
    told = [record for record in near.values() if view.was_handed_over(record.id)]
    words = {form for record in told for form in _telling(record.content)}
    numbers = {number for record in told for number in _NUMBER.findall(record.content)}
    said = _telling(text)
    if not told or {*_NUMBER.findall(text)} - numbers or len(said & words) / len(said) < _SAME:
        return None
    return told[0].id


def is_own(view: View, text: str) -> bool:
    """Is there a sentence in it that says something, and not only what was handed out?"""
    injected = injected_spans(text)
    sentences = (match[0] for match in _SENTENCE.finditer(text) if not is_inside(match.span(), injected))
    return any(_adds(view, sentence) for sentence in sentences)


def _adds(view: View, sentence: str) -> bool:
    """A long sentence is an echo, too, if each of its clauses is."""
    if len(_telling(sentence)) < _SAYS_SOMETHING or echo_of(view, sentence) is not None:
        return False
    clauses = [clause for clause in _CLAUSE.split(sentence) if len(_telling(clause)) >= _SAYS_SOMETHING]
    return not clauses or any(echo_of(view, clause) is None for clause in clauses)


def says_the_same(text: str, record: MemoryRecord) -> bool:
    """Nearly all of the words of one are in the other, and the text has no number that the memory has not."""
    said, known = _telling(text), _telling(record.content)
    if not said or not known or {*_NUMBER.findall(text)} - {*_NUMBER.findall(record.content)}:
        return False
    return len(said & known) / len(said) >= _SAME


def _telling(text: str) -> set[str]:
    return forms_in(" ".join(telling_words(text)))
