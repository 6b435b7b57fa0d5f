"""Words in their different forms: does a text hold this word, as `deploy`, `deploys` or `deployed`?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")


def each_form(text: str) -> Iterator[str]:
    """What each of its words has in common in all its forms, one after the other; whoever knows enough may stop."""
    return (_stem(match[0]) for match in _WORD.finditer(text.lower()))


def forms_in(text: str) -> set[str]:
    """The forms of all its words."""
    return {*each_form(text)}


def is_said(word: str, lowered: str) -> bool:
    """Does a text in lower case hold the word? Of a word without spaces, as a part of its long words.

    It is looked for where it may stand: most texts do not hold it, and nobody needs the forms of all their words.
    """
    parts = _parts(word)
    for form, part in parts:
        if not _stands_in(lowered, form) and not (part and _is_inside(lowered, part)):
            return False
    return bool(parts)


def _stands_in(lowered: str, form: str) -> bool:
    """Does a word of this form begin anywhere? A form is how its words begin."""
    at = lowered.find(form)
    while at >= 0:
        if not at or not lowered[at - 1].isalnum():
            word = _WORD.match(lowered, at)
            if word and _stem(word[0]) == form:
                return True
        at = lowered.find(form, at + 1)
    return False


def _is_inside(lowered: str, part: str) -> bool:
    return part in lowered and any(part in form for form in each_form(lowered))


@lru_cache(maxsize=1_024)
def _parts(word: str) -> list[tuple[str, str]]:
    """The forms of a word's parts, each with the part itself if it may stand inside of a longer word."""
    return [(_stem(part), "" if part.isascii() else part) for part in _WORD.findall(word.lower())]


@lru_cache(maxsize=32_768)
def _stem(word: str) -> str:
    """Without the endings that English changes most; short words whole."""
    for endings in (("s",), ("ing", "ed"), ("e", "y", "i")):
        for ending in endings:
            if len(word) > len(ending) + 2 and word.endswith(ending):
                word = word[: -len(ending)]
                break
    return word
