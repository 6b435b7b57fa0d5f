"""Amounts: how many of what does a statement speak of? Two that speak of the same thing with different amounts disagree.

Here the statements may be long and worded differently, as people tell how things have moved on: `I lead a team of 4 engineers`,
and in another month `I now lead a team of five engineers`. So enough of what they speak of must be shared, and some of it right
beside the amounts. Dates are left out: what happened on one day and what happened on another are two things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import product, takewhile
from typing import NamedTuple

from commonplace.ingest.consolidate.values import DENIAL, NUMBER, TIME, Token, differ
from commonplace.ingest.consolidate.wording import root

# Chosen on candidates that the rules extract: of 173,205 pairs, of LongMemEval's questions that are about no update and of
# LoCoMo's conversations, one is taken for a conflict; with a share of 0.3 it were four, and dates as amounts made it sixty.
_LEAST, _SHARE = 3, 0.4
_AROUND = 6
_UNITS = 3
_MEASURES = frozenset(
    map(root, ("page", "port", "level", "score", "total", "count", "limit", "rating", "rank", "age", "size"))
)
_GENERAL_TEXT = "second minute hour day week month year time mile kilometer page point pound dollar person"
_GENERAL = frozenset(map(root, _GENERAL_TEXT.split()))
_SPEAKERS = frozenset(("i", "we", "you", "they"))


class Amount(NamedTuple):
    """A value, what it is an amount of, and what is spoken of around it."""

    value: Token
    of: frozenset[str]
    around: frozenset[str]


def another_amount(one: tuple[Token, ...], other: tuple[Token, ...]) -> str | None:
    """What the amounts are that differ; None if none do, or if it is not clear that they are amounts of the same thing."""
    if any(token.sort == DENIAL for token in (*one, *other)) or not _speak_of_the_same(one, other):
        return None
    in_both = {token.form for token in one} & {token.form for token in other}
    for first, second in product(_amounts(one, in_both), _amounts(other, in_both)):
        if differ(first.value, second.value) and _are_of_the_same(first, second):
            return f"different amounts: {first.value.text} and {second.value.text} {min(first.of & second.of)}"
    return None


def _speak_of_the_same(one: tuple[Token, ...], other: tuple[Token, ...]) -> bool:
    first, second = ({token.form for token in said if token.tells} for said in (one, other))
    shared = first & second
    return len(shared) >= max(_LEAST, _SHARE * min(len(first), len(second))) and not _is_qualified(one, other)


def _is_qualified(one: tuple[Token, ...], other: tuple[Token, ...]) -> bool:
    """Does another word stand in the same place: `for free users`, `for paid users`? Then both may be true."""
    first, second = ([token.form for token in said] for said in (one, other))
    for change, start, end, begin, stop in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if change == "replace" and end - start == stop - begin == 1 and one[start].tells and other[begin].tells:
            return True
    return False


def _are_of_the_same(one: Amount, other: Amount) -> bool:
    """Hours, miles and points are counted of anything: there more of what is around must be shared."""
    of = one.of & other.of
    return bool(of) and len(one.around & other.around) >= (2 if of - _GENERAL else 3)


def _amounts(tokens: tuple[Token, ...], in_both: set[str]) -> Iterator[Amount]:
    for at, token in enumerate(tokens):
        if token.form not in in_both and _is_amount(tokens, at):
            around = tokens[max(at - _AROUND, 0) : at + _AROUND + 1]
            yield Amount(token, _units(tokens, at), frozenset(near.form for near in around if near.tells))


def _units(tokens: tuple[Token, ...], at: int) -> frozenset[str]:
    """The words behind it, or the measure before it: `page 200`. A time is its own."""
    if tokens[at].sort == TIME:
        return frozenset((root("time"),))
    behind = takewhile(lambda near: near.tells, tokens[at + 1 : at + 1 + _UNITS])
    before = (near for near in tokens[max(at - 1, 0) : at] if near.form in _MEASURES)
    return frozenset(near.form for near in (*behind, *before))


def _is_amount(tokens: tuple[Token, ...], at: int) -> bool:
    """Not `one`, which is a pronoun more often; not a year; not `two dogs` or `server 2` at the head."""
    token = tokens[at]
    if token.sort != NUMBER:
        return token.sort == TIME
    is_pronoun_or_year = token.text.lower() == "one" or re.fullmatch(r"(?:19|20)\d\d", token.text)
    return at > 0 and not is_pronoun_or_year and not (at == 1 and is_label(tokens, at))


def is_label(tokens: tuple[Token, ...], at: int) -> bool:
    """Does the value stand behind what it is the number of, as in `server 2`? Behind a verb it counts: `runs 2 servers`."""
    before = tokens[at - 1]
    said = before.text.casefold()
    is_verb = said.endswith(("s", "ed", "ing")) and not said.endswith("ss")
    return before.tells and not is_verb and not (at > 1 and tokens[at - 2].form in _SPEAKERS)
