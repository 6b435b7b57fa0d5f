"""Which words beside the plain ones can a text be found by? The same rules for what is kept and for what is asked.

The full text index splits at everything that is no letter or digit. That is right for `max_inject_chars` and `us-east-1`,
whose parts are then words that stand together. Three things it cannot see are given to it as extra words:

- the parts of camelCase: `maxInjectChars` can also be found as max, inject, chars;
- names that end in signs: C++ is `cplusplus`, C# is `csharp`;
- text without spaces between its words (Chinese, Japanese, Korean, Thai, ...): every two neighbouring characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, normalize

_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z][A-Z][a-z]")
_SIGNED = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{1,3})(\+\+|#)(?![A-Za-z0-9+#])")
# One glance at a text, from its capitals and signs: most texts need no more.
_TELLING = re.compile(r"[A-Z#+](?:(?<=[a-z][A-Z])|(?<=[A-Z][A-Z])(?=[a-z])|(?<=[A-Za-z]#)|(?<=\+\+))")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIER = re.compile(r"[A-Za-z0-9]+")
_PIECE = re.compile(r"[^\W_]+")
_SIGNS = {"++": "plusplus", "#": "sharp"}
# Thai, Lao, Myanmar, Hangul, Khmer, kana, ideographs.
_UNSPACED_CLASS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003134f"
)
_UNSPACED = re.compile(f"[{_UNSPACED_CLASS}]+")
# A memory may be long, and what is beyond this adds only weight.
_MOST = 2_000


def index_terms(*texts: str | None) -> str | None:
    """The extra words of a memory's texts, or None if it needs none, which is the rule."""
    found: list[str] = []
    for text in texts:
        if text and _is_telling(text):
            found += _extra(text)
    return " ".join(found[:_MOST]) or None


def _is_telling(text: str) -> bool:
    """May there be anything in it that needs extra words?"""
    return _TELLING.search(text) is not None or not (text.isascii() or not _UNSPACED.search(text))


def _extra(text: str) -> list[str]:
    found = [letter.lower() + _SIGNS[sign] for letter, sign in _SIGNED.findall(text)]
    for name in _IDENTIFIER.findall(text):
        if _CAMEL.search(name):
            found += camel_parts(name)
    if not text.isascii():
        for run in _UNSPACED.findall(normalize("NFKC", text)):
            found += pairs(run)
    return found


def camel_parts(name: str) -> list[str]:
    """`getHTTPResponse2` is get, http, response, 2."""
    return [part.lower() for part in _PART.findall(name)]


def pairs(run: str) -> list[str]:
    """Every two neighbours and, so that a single character is found by how words begin, the last one alone."""
    letters = [letter for letter in run if category(letter)[0] in "LN"]
    return [one + two for one, two in pairwise(letters)] + letters[-1:]


@lru_cache(maxsize=1024)
def query_terms(word: str) -> list[tuple[str, ...]]:
    """What to look for when this is asked: the whole first, as words that stand together, then its telling parts.

    Nothing in it is syntax. A word without a letter or digit asks for nothing.
    """
    signed = _SIGNED.fullmatch(word.strip(".,;:!?()[]{}\"'"))
    if signed:
        return [(signed[1].lower() + _SIGNS[signed[2]],)]
    if word.isascii() or not _UNSPACED.search(word):
        return _spaced(word)
    return _mixed(normalize("NFKC", word))


def _spaced(word: str) -> list[tuple[str, ...]]:
    pieces = _PIECE.findall(word)
    if len(pieces) > 1 and pieces[-1].lower() in _ENDINGS and word[-len(pieces[-1]) - 1] in "'’":
        pieces.pop()  # Caroline's asks for Caroline
    whole = tuple(piece.lower() for piece in pieces)
    found = [whole] if whole else []
    parts = [part for piece in pieces for part in (camel_parts(piece) if _CAMEL.search(piece) else [piece.lower()])]
    if tuple(parts) != whole:
        found.append(tuple(parts))
    if len(parts) > 1:
        found += [(part,) for part in parts if len(part) > 1 and not part.isdigit()]
    return list(dict.fromkeys(found))


def _mixed(word: str) -> list[tuple[str, ...]]:
    """Text without spaces, perhaps with other words in it."""
    found: list[tuple[str, ...]] = []
    for run in _UNSPACED.findall(word):
        asked = pairs(run)
        found.append(tuple(asked[:-1] or asked))
    for rest in _UNSPACED.split(word):
        found += _spaced(rest)
    return list(dict.fromkeys(term for term in found if term))


def is_unspaced(word: str) -> bool:
    """A single character of a text without spaces: it is looked for as the beginning of a pair."""
    return len(word) == 1 and _UNSPACED.match(word) is not None


_ENDINGS = ("s", "d", "m", "ll", "re", "ve")
