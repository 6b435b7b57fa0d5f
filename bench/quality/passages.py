"""Long texts in passages: whole lines, then whole sentences, packed up to a length the embedder reads well."""

from __future__ import annotations

import re
from collections.abc import Iterator

LIMIT = 800  # characters: about 180 word pieces, well inside what the model was trained on
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def passages(text: str, limit: int = LIMIT) -> list[str]:
    if len(text) <= limit:
        return [text]
    packed: list[str] = []
    for unit in _units(text, limit):
        if packed and len(packed[-1]) + 1 + len(unit) <= limit:
            packed[-1] += "\n" + unit
        else:
            packed.append(unit)
    return packed or [text]


def _units(text: str, limit: int) -> Iterator[str]:
    for line in filter(None, map(str.strip, text.split("\n"))):
        for sentence in [line] if len(line) <= limit else _SENTENCE.split(line):
            yield from _pieces(sentence, limit)


def _pieces(sentence: str, limit: int) -> Iterator[str]:
    while len(sentence) > limit:
        cut = max(sentence.rfind(" ", 0, limit), 0) or limit
        yield sentence[:cut]
        sentence = sentence[cut:].strip()
    if sentence:
        yield sentence
