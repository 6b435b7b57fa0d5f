"""Words in their different forms: does a text hold this word, as `deploy`, `deploys` or `deployed`?"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")


def forms_in(*texts: str | None) -> set[str]:
    """What its words have in common in all their forms."""
    return {*map(_stem, _WORD.findall(" ".join(text for text in texts if text).lower()))}


def forms_along(text: str) -> list[str]:
    """The same, one after the other."""
    return [*map(_stem, _WORD.findall(text.lower()))]


def is_held(word: str, held: set[str]) -> bool:
    """Does a text with these forms hold the word? Of one without spaces, as a part of its long words."""
    parts = _parts(word)
    for form, part in parts:
        if form not in held and not (part and any(part in other for other in held)):
            return False
    return bool(parts)


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
