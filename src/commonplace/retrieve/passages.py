"""Passages: what is turned into a vector. A short memory is one passage; a long one is several, and its best one counts."""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.model.record import MemoryRecord

# Short ones: a long passage has no one meaning. Sessions of LongMemEval found by passages of 400 characters: 95.6 % (all@10),
# by those of 800: 91.2 %.
LENGTH = 400
OVERLAP = 60
MOST = 192

_BREAK = re.compile(r"\n\s*\n|\n|(?<=[.!?。！？])\s+|\s+")


class Passage(NamedTuple):
    """A stretch of a memory's content, from `start` to `end`."""

    start: int
    end: int


def passages_of(content: str) -> list[Passage]:
    """Stretches that cover the content, each ending where a paragraph, a sentence or at least a word ends."""
    if len(content) <= LENGTH:
        return [Passage(0, len(content))]
    found: list[Passage] = []
    start = 0
    while start < len(content) and len(found) < MOST:
        end = _good_end(content, start)
        found.append(Passage(start, end))
        if end >= len(content):
            break
        start = _good_start(content, max(end - OVERLAP, start + 1), end)
    return found


def _good_end(content: str, start: int) -> int:
    """The last place to stop within reach: after a paragraph if one ends late enough, else a sentence, else a word."""
    limit = start + LENGTH
    if limit >= len(content):
        return len(content)
    window = content[start:limit]
    for mark in ("\n\n", "\n", ". ", "? ", "! ", "。", " "):
        at = window.rfind(mark, LENGTH // 2)
        if at >= 0:
            return start + at + len(mark)
    return limit


def _good_start(content: str, near: int, end: int) -> int:
    """Begin at a word."""
    match = _BREAK.search(content, near, end)
    return match.end() if match and match.end() < end else end


def embedded_texts(record: MemoryRecord) -> list[str]:
    """What the model reads: each passage, under the memory's title if it has one that says more."""
    heading = record.title if record.title and record.title not in record.content else None
    texts = [record.content[passage.start : passage.end].strip() for passage in passages_of(record.content)]
    return [f"{heading}\n{text}" if heading else text for text in texts]
