"""The latest word on a value goes first: of two memories that give a number for the same thing, the later one is what holds now.

Supersession says so where somebody said so; here it is read off the texts. Careful on purpose: it only moves neighbours in
meaning that both hold a number (or, if the question asks what holds now, any), and only for a question that asks for a value
and not for the past. Without those gates it would push good answers down (LoCoMo's first place: 40 % to 24 %).

A reranker that tells a yes from a no says whether the later one answers at all; what does not is not moved.

What changed is often said to have: "the new deadline", "they moved to". To such a question that counts (`tells_of_a_change`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from commonplace.retrieve.contender import Contender
from commonplace.retrieve.then import moment_of
from commonplace.retrieve.understand import Question

FIRST = 8
"""Only the first few are set right; what is below was not going to be read as the answer."""
_ALIKE = 1.5
"""In spreads. It was 3 before the embedder was taught, which tells the old value from the new one better, and 2 after its first
course. From 1 to 2 it is the same on the public sets; in our worlds the newer one stands first for 47 instead of 43 of 100."""
_SHARED = 0.3
"""Of the question's words. Who tells no number had to share 0.6 of them once: that gained nothing anywhere."""
_SHARED_BY_WORDS_ALONE = 0.5
_MAY_ANSWER = -1.0
"""What a reranker that tells a yes from a no says at least of the later one. With it the first place is right for 56.2 instead of
53.8 of 100 on BEAM and for 64 instead of 61 in our worlds, and the newer one stands first as often (ADR 40)."""
_AS_GOOD = 0.1
"""Of several later ones those that score about as high. To go by age alone brought up whatever came last: the first place was
right for 27 instead of 47 of 100 of BEAM's updates."""
_LONGEST = 1_500
LONGEST_CHANGE = 500
"""A longer text has some such word whatever it tells: with them sessions of LongMemEval lose one in a hundred (all@5)."""
_READ = 2_000

_ASKS_WHAT_HOLDS_NOW = re.compile(
    r"""(?xi)\b(?:current|currently|now|nowadays|latest|(?:most\ )?recent(?:ly)?|still|these\ days|today|at\ the\ moment
    |so\ far|up\ to\ date|new)\b
    | \b(?:did|have|has)\ (?:i|we|he|she|they)\ (?:(?:ever|already)\ )?
      (?:finish|complete|switch|change|stop|quit|start|decide|move|replace|upgrade)\w*\b"""
)
_ASKS_A_VALUE = re.compile(
    r"""(?xi)\bhow\ (?:many|much|often|far|big|old|tall|fast|large|frequently|long)\b
    | \b(?:number|amount|total|percentage|percent|rate|average|time|score|price|cost|budget|deadline|date|quota|limit
      |coverage|version|record|goal|target|duration|size|count)\b
    | \bwhere\ (?:do|does|did|is|am|are)\b | \bwhen\ (?:is|are|do|does|will)\b | \bwho\ (?:is|are)\b
    | \bwhat\ (?:day|time|kind|type|brand|size|colou?r)\b"""
)
_ASKS_THE_PAST = re.compile(
    r"""(?xi)\b(?:first|original(?:ly)?|initial(?:ly)?|previous(?:ly)?|earlier|earliest|used\ to|order|sequence|between
    |when\ did|summar\w+|history|over\ time|throughout|across)\b
    | \bhow\ many\ (?:days|weeks|months|years)\b(?!\ (?:(?:a|per|each)\ \w+\ )?(?:(?:are|is)\ (?!there)|(?:do|does|will)\b))"""
)
_NAMES_THIS_TIME = re.compile(
    r"(?i)\b(?:this|the\ current)\ (?:year|quarter|month|week|season|term|semester)\b|\btoday\b"
)
_VALUE = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|hundred|thousand)\b"
)

_CHANGED = r"""updated|increased|decreased|raised|reduced|lowered|rescheduled|postponed|extended|expanded|shortened|changed
    |switched|moved|replaced|no\ longer|revised|adjusted"""
_SAYS_WHAT_CHANGED = re.compile(rf"(?xi)\b(?:{_CHANGED})\b")
"""A later word that says so needs no number: "it has been rescheduled". Of BEAM's pairs one more is in order, and of our worlds'
one in a hundred. If `now`, `new` and `just` say so too, the first place is right for two in a hundred fewer of LoCoMo's."""
_TELLS_OF_A_CHANGE = re.compile(rf"(?xi)\b(?:{_CHANGED}|now|new|recently|just|actually)\b")


Alike = Callable[[Contender, Contender], float | None]
"""How near the meanings of two are, in spreads of the nearness of anything; None if nothing is known of them."""


def asks_for_the_latest(question: Question) -> bool:
    """Is it a value that may have changed, and is its last one wanted? Who names a time wants that of then, and who names
    this year that of now."""
    asked = question.text[:_READ]
    wanted = _ASKS_A_VALUE.search(asked) or _ASKS_WHAT_HOLDS_NOW.search(asked)
    of_then = question.spans and not (len(question.spans) == 1 and _NAMES_THIS_TIME.search(asked))
    return wanted is not None and not of_then and not _ASKS_THE_PAST.search(asked)


def tells_of_a_change(content: str, signs: re.Pattern[str] = _TELLS_OF_A_CHANGE) -> bool:
    """Does it say that something is otherwise than before?"""
    return len(content) < LONGEST_CHANGE and signs.search(content) is not None


def freshest_first(
    ranked: Sequence[Contender], question: Question, alike: Alike, *, are_long: bool, is_judged: bool = False
) -> list[Contender]:
    """The same contenders; of those that tell one value at different times, the latest before the earlier. Not where they are all
    long: a session or an essay holds some number whatever it tells (first place 72 to 67 of 100 among LongMemEval's, pooled).
    `is_judged`: what a reranker that tells a yes from a no said of the best is known."""
    head, rest = list(ranked[:FIRST]), ranked[FIRST:]
    head = _after_supersession(head)
    if asks_for_the_latest(question) and not are_long:
        asked = _Asked(question, alike, is_judged)
        for place in range(len(head)):
            _lift_the_latest(head, place, asked)
    _keep_in_order(head)
    return [*head, *rest]


class _Asked(NamedTuple):
    """What later words are told by."""

    question: Question
    alike: Alike
    is_judged: bool


def _lift_the_latest(head: list[Contender], place: int, asked: _Asked) -> None:
    """To this place the best of those that have a later word on it; then the latest of those that are as good as that one."""
    chosen = _later_words(head, place, asked)[:1]
    as_good = chosen[0].score - _AS_GOOD * abs(chosen[0].score) if chosen else 0.0
    while chosen:
        latest = max(chosen, key=_age)
        head.remove(latest)
        head.insert(place, latest)
        chosen = [one for one in _later_words(head, place, asked) if one.score >= as_good]


def _later_words(head: list[Contender], place: int, asked: _Asked) -> list[Contender]:
    return [other for other in head[place + 1 :] if _is_later_word(head[place], other, asked)]


def _after_supersession(head: list[Contender]) -> list[Contender]:
    """Whoever was superseded stands behind the one that did it."""
    for old in [one for one in head if one.record and one.record.superseded_by]:
        new = next((one for one in head if old.record and one.id == old.record.superseded_by), None)
        if new is not None and head.index(new) > head.index(old):
            head.remove(new)
            head.insert(head.index(old), new)
    return head


def _is_later_word(one: Contender, other: Contender, asked: _Asked) -> bool:
    if one.record is None or other.record is None or _age(other) <= _age(one):
        return False
    if asked.is_judged and other.raw.get("rerank", _MAY_ANSWER) < _MAY_ANSWER:
        return False
    texts, question = (one.record.content, other.record.content), asked.question
    if max(map(len, texts)) > _LONGEST:
        return False
    holds_now = _ASKS_WHAT_HOLDS_NOW.search(question.text[:_READ]) or tells_of_a_change(texts[1], _SAYS_WHAT_CHANGED)
    if not (holds_now or all(map(_VALUE.search, texts))):
        return False
    near = asked.alike(one, other)
    least = _SHARED_BY_WORDS_ALONE if near is None else _SHARED
    return _shared(one, other, question) >= least and (near is None or near >= _ALIKE)


def _shared(one: Contender, other: Contender, question: Question) -> float:
    """Of the question's words that either holds, the share that both hold."""
    in_first, in_second = {*one.holding(question.words)}, {*other.holding(question.words)}
    return len(in_first & in_second) / max(len(in_first | in_second), 1)


def _age(contender: Contender) -> tuple[object, int]:
    assert contender.record is not None
    return (moment_of(contender.record), contender.place)


def _keep_in_order(head: list[Contender]) -> None:
    """The scores say what was done: whoever was moved up gets what was missing, as a component of its own."""
    for above, below in zip(reversed(head[:-1]), reversed(head[1:]), strict=True):
        if above.score < below.score:
            above.scores["freshness"] = above.scores.get("freshness", 0.0) + below.score - above.score
            above.score = below.score
