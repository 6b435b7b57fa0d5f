"""Amounts: how many of what does a statement speak of? Two that speak of the same thing with different amounts disagree.

Here the statements may be long and worded differently, as people tell how things have moved on: `I lead a team of 4 engineers`,
and in another month `I now lead a team of five engineers`. So enough of what they speak of must be shared.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import product, takewhile

from commonplace.ingest.consolidate.values import DENIAL, NUMBER, VALUES, Token, differ
from commonplace.ingest.consolidate.wording import root

# So many telling words in common, and such a share of the shorter one's. Chosen on LongMemEval's knowledge updates (docs/guide).
_LEAST = 3
_SHARE = 0.3
_UNITS = 3
# What a number behind it is the value of. Elsewhere it tells which one: issue 12, server 2.
_MEASURES = frozenset(
    map(root, ("page", "port", "level", "score", "total", "count", "limit", "rating", "rank", "age", "size"))
)


def another_amount(one: tuple[Token, ...], other: tuple[Token, ...]) -> str | None:
    """What the amounts are that differ; None if none do, or if it is not clear that they are amounts of the same thing."""
    if any(token.sort == DENIAL for token in (*one, *other)) or not _speak_of_the_same(one, other):
        return None
    in_both = {token.form for token in one} & {token.form for token in other}
    for (amount, of), (another, what) in product(_amounts(one, in_both), _amounts(other, in_both)):
        shared = of & what
        if shared and differ(amount, another):
            return f"different amounts of {min(shared)}: {amount.text} and {another.text}"
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


def _amounts(tokens: tuple[Token, ...], in_both: set[str]) -> list[tuple[Token, set[str]]]:
    """Each value with what it is an amount of: the words behind it, or the word before it (`page 200`)."""
    found = []
    for at, token in enumerate(tokens):
        if token.form in in_both or not _is_amount(token, at) or (at == 1 and is_label(tokens, at)):
            continue
        behind = [near.form for near in takewhile(_tells, tokens[at + 1 : at + 1 + _UNITS])]
        before = [near.form for near in tokens[at - 1 : at] if near.form in _MEASURES]
        # A date or a time is an amount of nothing else: two of them, said of the same thing, are compared.
        found.append((token, {*behind, *before} if token.sort == NUMBER else {token.sort}))
    return found


def _is_amount(token: Token, at: int) -> bool:
    """Not `one`, which is a pronoun more often; not a year; and not `two dogs` at the head, which may be any two."""
    is_word_or_year = token.text.lower() == "one" or re.fullmatch(r"(?:19|20)\d\d", token.text)
    return token.sort in VALUES and not (token.sort == NUMBER and (at == 0 or is_word_or_year))


def is_label(tokens: tuple[Token, ...], at: int) -> bool:
    """Does the value stand behind what it is the number of, as in `server 2`? Behind a verb it counts: `runs 2 servers`."""
    before = tokens[at - 1]
    said = before.text.casefold()
    is_verb = said.endswith(("s", "ed", "ing")) and not said.endswith("ss")
    return before.tells and not is_verb and not (at > 1 and tokens[at - 2].form in _SPEAKERS)


_SPEAKERS = frozenset(("i", "we", "you", "they"))


def _tells(token: Token) -> bool:
    return token.tells
