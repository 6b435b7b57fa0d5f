"""Was it then? How much a memory belongs to the time that a question speaks of.

Two signs, each from 0 to 1. It was observed then, or a little later: people tell today what happened last week. And it speaks of
that time itself: `yesterday`, in a memory of 8 May, is 7 May. What has neither is not shut out; it only has to be better
otherwise. Questions that name a time are few, and for them this is worth more than any other step: see docs/guide/how-well.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import exp

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.moments import Span, spans_in
from commonplace.retrieve.understand import Question

_LATER = 0.7
"""What it is worth to be observed just after, beside having been observed then."""
_LINGERS = timedelta(days=7)
"""After so long a third of that is left."""
_BEGINNING = 500
"""So much of a long memory is read for times it speaks of: what stands over it and what it begins with."""
_ASLEEP = timedelta(days=3)
"""Whoever means a time as seen from the end of a book stands a little behind that end."""


def moment_of(record: MemoryRecord) -> datetime:
    """When it was true, as far as the book knows."""
    return record.observed_at or record.created_at


def observed(record: MemoryRecord, spans: Sequence[Span]) -> float:
    """1 if it was observed then, less the later."""
    moment = moment_of(record)
    if any(span.holds(moment) for span in spans):
        return 1.0
    return max((_LATER * exp((span.until - moment) / _LINGERS) for span in spans if moment >= span.until), default=0.0)


def told(record: MemoryRecord, spans: Sequence[Span]) -> float:
    """The share of a time it speaks of that falls into the time asked about."""
    spoken_of = spans_in(record.content[:_BEGINNING], moment_of(record))
    return max((_overlap(own, span) / (own.until - own.since) for own in spoken_of for span in spans), default=0.0)


def _overlap(one: Span, other: Span) -> timedelta:
    return max(min(one.until, other.until) - max(one.since, other.since), timedelta(0))


def by_the_book(question: Question, newest: Iterable[MemoryRecord]) -> Question:
    """`Last week` is counted from now; in a book that holds nothing so new, from the newest that it holds."""
    last = max(map(moment_of, newest), default=None)
    if last is None or any(span.since <= last for span in question.spans):
        return question
    read = (span for span in spans_in(question.text, last) if not (question.wants_help and span.holds(last)))
    # A date that is named is the same from wherever one looks.
    return question._replace(
        spans=tuple(span if span in question.spans else Span(span.since, span.until + _ASLEEP) for span in read)
    )
