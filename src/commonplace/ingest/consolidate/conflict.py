"""Conflict: do two statements say what cannot both be true? The first reason that is clear, or none.

Precision first: a conflict asks a person to decide. What is unclear (another time, another condition, one says more) is none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.ingest.consolidate.quantities import another_amount, is_label
from commonplace.ingest.consolidate.relations import another_value
from commonplace.ingest.consolidate.values import DATE, DENIAL, TIME, VERSION, WORD, Token, differ, tokens_of
from commonplace.ingest.consolidate.wording import root

_OPPOSITES_TEXT = """
    enabled/disabled enable/disable allow/forbid allowed/forbidden allow/deny allowed/denied accept/reject
    required/optional mandatory/optional public/private always/never true/false yes/no open/closed before/after empty/full
    synchronous/asynchronous sync/async mutable/immutable online/offline tabs/spaces light/dark ascending/descending
    increase/decrease like/dislike likes/hates love/hate safe/unsafe valid/invalid supported/unsupported manual/automatic
    internal/external local/remote hot/cold early/late clean/dirty near/far
    single/married minimum/maximum
"""
_OPPOSITES = frozenset(frozenset(map(root, pair.split("/"))) for pair in _OPPOSITES_TEXT.split())


_EARLY = 3
# A word that tells of something done; not of something fixed for a time.
_HAPPENED = re.compile(
    r"(?!(?:schedul|plann|mov|chang|postpon|releas|found|start|delay|expect)\w*)(?:\w{3,}ed|met|went|saw|bought|ran|came|took|gave|had|got|left)"
)
_SWITCH = frozenset(("on", "off"))


class Disagreement(NamedTuple):
    """Which rule saw it, and what the two disagree about, in words."""

    rule: str
    reason: str


def disagreement(one: str, other: str) -> Disagreement | None:
    """Why these two cannot both be true; None if they can, or if nobody knows."""
    first, second = tokens_of(one), tokens_of(other)
    if reason := _denied(first, second):
        return Disagreement("denial", reason)
    differing = _differing(first, second)
    if differing and all(differ(*pair) for pair in differing):
        reason = _another_value(first, differing)
        return Disagreement("value", reason) if reason else None
    if reason := _opposite(first, differing):
        return Disagreement("opposite", reason)
    if reason := another_value(one, other):
        return Disagreement("relation", reason)
    if reason := another_amount(first, second):
        return Disagreement("amount", reason)
    return None


def _denied(one: tuple[Token, ...], other: tuple[Token, ...]) -> str | None:
    """One denies what the other says, perhaps with more detail. To deny the special case leaves the general one standing."""
    denials = [sum(token.sort == DENIAL for token in said) for said in (one, other)]
    if (denials[0] == 0) == (denials[1] == 0):
        return None
    denying, saying = (one, other) if denials[0] else (other, one)
    denied = [token.form for token in denying if token.sort != DENIAL]
    if len(denied) < 2 or not _is_said(denied, saying):
        return None
    return "one denies what the other says"


def _is_said(forms: list[str], tokens: tuple[Token, ...]) -> bool:
    said = iter(token.form for token in tokens)
    return all(form in said for form in forms)


def _another_value(one: tuple[Token, ...], differing: list[tuple[Token, Token]]) -> str | None:
    """The same words about the same subject with another number, date, time or version."""
    if any(_names_something(one, pair[0]) or _dates_an_event(one, pair[0]) for pair in differing):
        return None
    return "different values: " + "; ".join(
        " and ".join(token.text.rstrip(".") for token in pair) for pair in differing
    )


def _names_something(tokens: tuple[Token, ...], value: Token) -> bool:
    """Does it tell which one is spoken of, as in `server 2 runs nginx`, or how many at the head: `two dogs are running`?"""
    at = next(place for place, token in enumerate(tokens) if token is value)
    is_told_of = any(token.tells for token in tokens[at + 1 :])
    if at == 0 or value.sort == VERSION:
        return at == 0 and is_told_of
    is_next_telling = at + 1 < len(tokens) and tokens[at + 1].tells
    return is_label(tokens, at) and (is_next_telling or (at < _EARLY and is_told_of))


def _dates_an_event(tokens: tuple[Token, ...], value: Token) -> bool:
    """What happened on one day may have happened on another."""
    is_when = value.sort in (DATE, TIME) or re.fullmatch(r"(?:19|20)\d\d", value.text) is not None
    return is_when and any(token.sort == WORD and _HAPPENED.fullmatch(token.form) for token in tokens)


def _opposite(one: tuple[Token, ...], differing: list[tuple[Token, Token]]) -> str | None:
    """The same words but for one, and that is the opposite."""
    if len(differing) != 1:
        return None
    pair = frozenset(token.form for token in differing[0])
    is_switched = pair == _SWITCH and differing[0][0] is one[-1]  # elsewhere it tells where something is
    if pair not in _OPPOSITES and not is_switched:
        return None
    return "opposites: " + " and ".join(token.text for token in differing[0])


def _differing(one: tuple[Token, ...], other: tuple[Token, ...]) -> list[tuple[Token, Token]]:
    """The places where two statements of the same length differ, if there are others where they do not."""
    if len(one) != len(other) or any(token.sort == DENIAL for token in (*one, *other)):
        return []
    found = [pair for pair in zip(one, other, strict=True) if pair[0].form != pair[1].form]
    shared = sum(token.tells for token in one) - sum(pair[0].tells for pair in found)
    return found if shared > 0 else []
