"""What does a question ask for? So far: its words, each once, without those that every sentence has."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_COMMON_TEXT = (
    "a an and are as at be but by did do does for from had has have how i in is it its me my of on or our should so that the"
    " their them there these they this to us was we were what when where which who why will with you your"
)
_COMMON = frozenset(_COMMON_TEXT.split())
_MOST = 32


def words_of(query: str) -> tuple[str, ...]:
    """The words to look for. If only common words are asked for, those are looked for."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(query))
    telling = [word for word in words if word not in _COMMON]
    return tuple((telling or [*words])[:_MOST])
