"""Relations that hold of one value at a time: where somebody lives, what the default is. Another value of the same is a conflict.

Only those that are listed here. Somebody can like tea and coffee, and an API can be slow and documented.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from commonplace.ingest.consolidate.values import DENIAL, VALUES, Token, differ, tokens_of
from commonplace.ingest.consolidate.wording import root

_ATTRIBUTE_TEXT = """
    name port version branch editor language database timezone email address owner maintainer deadline role theme
    framework licence license url host hostname city country job employer birthday nickname model shell manager
    region color size limit timeout format indentation encoding runtime registry salary budget
"""
_ATTRIBUTES = frozenset(map(root, _ATTRIBUTE_TEXT.split()))
_PHRASES = {
    "lives in": r"(?:lives?|resides?|(?:is|are|am) (?:based|living)) in"
    r"|(?:has |have |just )*(?:moved|relocated)(?: back)? to",
    "works at": r"works? (?:at|for)|(?:is|are|am) (?:employed|working) (?:at|by|for)|(?:has |have )?joined",
    "is set to": r"(?:is|are) set to|defaults? to|equals",
    "is written in": r"(?:is|are) (?:written|implemented) in",
    "is hosted on": r"(?:is|are) (?:hosted|deployed) (?:on|to|at)",
    "is called": r"(?:is|are) (?:called|named)",
    "is due": r"(?:is|are) (?:due|scheduled)(?: for| on| by)?",
    "is owned by": r"(?:is|are) (?:owned|maintained) by",
    "reports to": r"reports? to",
    "is married to": r"(?:is|are) married to",
    "was born in": r"(?:was|were) born (?:in|on)",
    "prefers": r"(?:prefers?)(?= .+ (?:over|to|instead of) )",
    "is": r"(?:is|are)",
}
_RELATIONS = [
    (name, re.compile(rf"(?i)^(?P<subject>.{{1,120}}?)\s(?:{words})\s(?P<value>[^,;]{{1,80}}?)[.!]?$"))
    for name, words in _PHRASES.items()
]
_PREFERENCE = re.compile(r"(?i)^(?P<more>.+?) (?:over|instead of|to) (?P<less>.+)$")
_LONGEST = 250
_LONGEST_VALUE = 4
_VAGUE = frozenset(("and", "or", "but", "if", "when", "unless", "for", "while", "until", "because", "than"))


_SOMEBODY = frozenset(
    map(root, ("he", "she", "they", "this", "these", "those", "one", "everything", "something", "what"))
)
_CHOSEN = frozenset(map(root, ("default", "favorite", "preferred", "current", "primary", "main")))


class Claim(NamedTuple):
    """Of whom or what, which relation, and which value."""

    subject: tuple[str, ...]
    relation: str
    value: tuple[Token, ...]
    about: str
    said: str


def another_value(one: str, other: str) -> str | None:
    """What the two values are; None unless both claim the same relation of the same subject."""
    first, second = claim_of(one), claim_of(other)
    if first is None or second is None or (first.subject, first.relation) != (second.subject, second.relation):
        return None
    if not _are_different(first, second):
        return None
    return f"{first.about} {first.relation}: {first.said}, and {second.said}"


@lru_cache(maxsize=4096)
def claim_of(text: str) -> Claim | None:
    """The one relation that a short sentence claims."""
    for relation, pattern in _RELATIONS:
        found = pattern.match(text.strip()) if len(text) < _LONGEST else None
        if found:
            return _checked(relation, found["subject"], found["value"])
    return None


def _checked(relation: str, subject: str, value: str) -> Claim | None:
    whose, what = tokens_of(subject), tokens_of(value)
    if not (whose and 0 < len(what) <= _LONGEST_VALUE):
        return None
    if any(token.sort == DENIAL or token.form in _VAGUE for token in (*whose, *what)) or whose[-1].form in _SOMEBODY:
        return None
    if relation == "is" and not _is_attribute(whose, what):
        return None
    return Claim(tuple(token.form for token in whose), relation, what, subject, value)


def _is_attribute(subject: tuple[Token, ...], value: tuple[Token, ...]) -> bool:
    """Something that has one value: the port, the default branch, my favourite editor."""
    head = [token.form for token in subject]
    return (head[-1] in _ATTRIBUTES or not _CHOSEN.isdisjoint(head)) and len(value) <= 2


def _are_different(one: Claim, other: Claim) -> bool:
    if one.relation == "prefers":
        return _is_turned_round(one.said, other.said)
    first, second = ({token.form for token in claim.value} for claim in (one, other))
    if not first.isdisjoint(second):
        return False  # `Berlin`, `Berlin, Germany`: one may only be said with more care
    values = [(a, b) for a in one.value for b in other.value if a.sort in VALUES or b.sort in VALUES]
    return all(differ(*pair) for pair in values)


def _is_turned_round(one: str, other: str) -> bool:
    first, second = _PREFERENCE.match(one), _PREFERENCE.match(other)
    if not first or not second:
        return False
    more, less = (tuple(token.form for token in tokens_of(first[part])) for part in ("more", "less"))
    return (less, more) == tuple(tuple(token.form for token in tokens_of(second[part])) for part in ("more", "less"))
