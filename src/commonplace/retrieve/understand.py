"""What does a question ask for? Its telling words, what it puts in quotes, whom it names, and when it speaks of.

Any text is a legal question and nothing in it is syntax: quotes and `@` only make what they mark count for more.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from commonplace.model.terms import query_terms
from commonplace.retrieve.asking import Wanted, asks_for_help, wanted_by
from commonplace.retrieve.mentions import MENTION
from commonplace.retrieve.moments import Span, spans_in

Term = tuple[str, ...]
"""Words that must stand together: one word, a phrase, the parts of an identifier."""


class Question(NamedTuple):
    """A question, understood."""

    text: str
    words: tuple[str, ...]
    """Its telling words, lower-case, each once: what an explanation names."""
    terms: tuple[Term, ...]
    """What the lexical stream looks for."""
    phrases: tuple[str, ...]
    """What stood in quotes."""
    entities: tuple[str, ...]
    """Whom it marks with `@`."""
    spans: tuple[Span, ...]
    """When it speaks of."""
    wants_help: bool
    """Is something to be made or advised, rather than remembered?"""
    wanted: Wanted
    """Which sort of answer."""


_WORD = re.compile(r"[^\W_]+(?:[_'’./:@+#-]+[^\W_]+)*(?:\+\+|#)?", re.UNICODE)
_QUOTED = re.compile(r"[\"“«„]([^\"“”«»„]{2,200})[\"”»“]")
# Words that every question has; they say how it asks, not what it asks for.
_COMMON_TEXT = """
    a about after all also am an and any are as at be because been before being but by can could did do does doing done
    ever for from get getting given go going had has have having he her here hers him his how i if in into is it its just
    kind know like made make many me might more most much my of off on once one only or other our out over said say should
    so some such tell than that the their them then there these they thing things this those to too up upon us use used
    using very was way we were what whats when where whether which while who whom whose why will with would you your yours
"""
_COMMON = frozenset(_COMMON_TEXT.split())
_ENDINGS = ("'s", "’s")
# A question has a few words; a pasted page is asked about by its first ones.
_MOST = 32
_LONGEST = 20_000


def understand(query: str, now: datetime) -> Question:
    """Read a question as of `now`."""
    text = query[:_LONGEST]
    words = telling_words(text)
    phrases = tuple(dict.fromkeys(phrase.strip() for phrase in _QUOTED.findall(text)))
    quoted = [term for phrase in phrases for term in (_as_term(phrase),) if len(term) > 1]
    terms = dict.fromkeys([*quoted, *(term for word in words for term in _terms_of(word))])
    wants_help = asks_for_help(text)
    # Who wants a dinner for tonight asks for nothing that was said today.
    spans = tuple(span for span in spans_in(text, now) if not (wants_help and span.holds(now)))
    return Question(
        text=text,
        words=tuple(_bare(word).lower() for word in words),
        terms=tuple(terms)[: 2 * _MOST],
        phrases=phrases,
        entities=_names(text),
        spans=spans,
        wants_help=wants_help,
        wanted=wanted_by(text),
    )


def telling_words(text: str) -> tuple[str, ...]:
    """The words to look for, as they are written. If only common words are asked for, those are looked for."""
    words = dict.fromkeys(_WORD.findall(text))
    telling = [word for word in words if not is_common(word)]
    return tuple((telling or [*words])[:_MOST])


def is_common(word: str) -> bool:
    """Does it say how a question asks, not what it asks for?"""
    return _bare(word).lower() in _COMMON


def _terms_of(word: str) -> list[Term]:
    """The whole and its parts. Of text without spaces every pair is a part: nobody says where its words begin."""
    found = query_terms(word)
    return [*found, *((part,) for term in found if len(term) > 1 for part in term if not part.isascii())]


def _bare(word: str) -> str:
    return word[:-2] if word.endswith(_ENDINGS) else word


def _as_term(phrase: str) -> Term:
    return tuple(part for word in _WORD.findall(phrase) for term in query_terms(word)[:1] for part in term)


def _names(text: str) -> tuple[str, ...]:
    """Whom the question marks with `@`."""
    return tuple(dict.fromkeys(MENTION.findall(text)))
