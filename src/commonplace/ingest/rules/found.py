"""`Found`: what a family of rules says of one sentence. The extractor makes a proposal of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.model.words import Type


class Found(NamedTuple):
    """One statement, as a rule understood it. `subject`, `value` and `rationale` are words of the sentence."""

    rule: str
    type: Type
    kind: str
    confidence: float
    text: str | None = None
    """The statement, where it is not the whole sentence: `remember that` is no part of what is to be remembered."""
    subject: str | None = None
    """What it is about; `{who}` stands for whoever speaks."""
    value: str | None = None
    rationale: str | None = None
    tags: tuple[str, ...] = ()
    of_project: bool = False
    """Does `we` mean the project? Then it stays: the memory's scope says which one."""


Words = frozenset[str]
_WORD = re.compile(r"[a-z'-]+")


def known(words: str) -> Words:
    """A list of words, as it is written in a rule."""
    return frozenset(words.split())


def words_of(text: str) -> Words:
    """Its words in small letters. Most sentences hold none of the words that a family begins with, and are done."""
    return frozenset(_WORD.findall(text.lower().replace("’", "'")))


_TURNED = re.compile(
    r"""(?xi)\b(?:if|whether|unless|wish|imagine|suppose|supposing|pretend|maybe|perhaps|wonder(?:ing)?
      |hypothetically)\b
    | \b(?:he|she|they|people|everyone|someone|somebody|who|[a-z]+\ (?:team|boss|manager|doctor))[ ]
      (?:said|says|say|told|claims?|claimed|wrote|asked|suggested|thinks?|believes?|mentioned)\b
    | \baccording\ to\b"""
)
_SAYS = re.compile(
    r"\b[A-Z][a-z]+ (?:said|says|told|claims?|claimed|wrote|asked|suggested|thinks|believes|mentioned)\b"
)


def stands(match: re.Match[str]) -> bool:
    """Is it asserted by the speaker? Not behind `if`, not in somebody else's mouth, not inside quotation marks."""
    before = match.string[: match.start()]
    if _TURNED.search(before) or _SAYS.search(before):
        return False
    return before.count('"') % 2 == 0 and before.count("“") <= before.count("”")


def first(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first place where the pattern fits and what it says is asserted."""
    return next((match for match in pattern.finditer(text) if stands(match)), None)


_GOES_ON = re.compile(
    r",? (?:and|but|because|so|which|since|or|where|when|while) (?=(?:i|i'm|i've|my|we|it|they|that|he|she|the|there)\b)",
    re.IGNORECASE,
)


def said(match: re.Match[str], *groups: str) -> str | None:
    """What the first of these groups holds, up to where another statement begins. A dot inside `1.26` ends nothing."""
    group = next((name for name in groups if match.groupdict().get(name)), None)
    if group is None:
        return None
    text, (start, end) = match.string, match.span(group)
    while end + 1 < len(text) and text[end] in ".:" and not text[end + 1].isspace():
        end = next((at for at in range(end + 1, len(text)) if text[at] in ".!;"), len(text))
    return _GOES_ON.split(text[start:end])[0].strip(" .,;:\"'“”") or None
