"""Passages: what is turned into a vector. A short memory is one passage; a long one is several, and its best one counts.

An instruction that says when it is meant has one more: those words, alone. "Always name the units when I ask about distances"
is far from a question about distances; `distances` is near.

Whole lines are kept together as long as they fit: a line of a conversation begins with who speaks, and a passage that begins in
the middle of it does not. Only a line that is too long by itself is cut, where a sentence ends, or at least a word.
"""

from __future__ import annotations

from typing import NamedTuple

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.speech import is_conversation
from commonplace.retrieve.wishes import condition_of

# Short ones: a long passage has no one meaning. Sessions of LongMemEval found by passages of 400 characters: 95.6 % (all@10),
# by those of 800: 91.2 %.
LENGTH = 400
_HALF = LENGTH // 2
"""Of a conversation halves of them beside them: what is told in one line is nearer by itself, what is told in five only
together. Not of an essay: it has a passage for nearly everything as it is (ADR 44)."""
OVERLAP = 60
"""So much of a sentence that had to be cut is told again in the next passage."""
MOST = 192
CUT = "lines, halves, conditions"
"""The name of this way of cutting. Who cuts in another way gives it another name: then `index` makes the vectors anew of what has
several passages, because the third one of before is not the third of now."""
_ENDS = (". ", "? ", "! ", "。", "！", "？")


class Passage(NamedTuple):
    """A stretch of a memory's content, from `start` to `end`."""

    start: int
    end: int


def passages_of(content: str, length: int = LENGTH) -> list[Passage]:
    """Stretches of up to so many characters that cover the content, each ending where a line, a sentence or at least a word
    ends."""
    if len(content) <= length:
        return [Passage(0, len(content))]
    found: list[Passage] = []
    start = 0
    while start < len(content) and len(found) < MOST:
        end, whole = _end(content, start, length)
        found.append(Passage(start, end))
        start = end if whole or end >= len(content) else _again(content, end)
    return found


def _end(content: str, start: int, length: int) -> tuple[int, bool]:
    """Where the passage that begins here ends, and whether a line or a sentence ends there too."""
    limit = start + length
    if limit >= len(content):
        return len(content), True
    shortest = start + length // 4  # a heading alone is no passage
    line = _after_last("\n", content, shortest, limit)
    if line and _next_line_fits(content, line, length):
        return line, True
    whole = max(line, *(_after_last(mark, content, shortest, limit) for mark in _ENDS))
    return (whole, True) if whole else (_after_last(" ", content, shortest, limit) or limit, False)


def _after_last(mark: str, content: str, shortest: int, limit: int) -> int:
    """The place behind the last such mark, or 0 if there is none late enough."""
    at = content.rfind(mark, shortest, limit)
    return at + len(mark) if at >= 0 else 0


def _next_line_fits(content: str, line: int, length: int) -> bool:
    return len(content) - line <= length or content.find("\n", line, line + length) >= 0


def _again(content: str, end: int) -> int:
    """Where to begin after a cut inside of a sentence: a little before it, at a word."""
    word = content.find(" ", end - OVERLAP, end) + 1
    return word if 0 < word < end else end


def embedded_passages(content: str) -> list[Passage]:
    """What has a vector of its own: the passages, of a conversation their halves, and when it is meant, if it says so."""
    found = passages_of(content)
    if 1 < len(found) <= MOST // 2 and is_conversation(content):  # of what is as long as a book, passages must do
        found += [half for half in passages_of(content, _HALF) if half not in found]
    condition = condition_of(content)
    return [*found, Passage(*condition)] if condition else found


def has_several(content: str) -> bool:
    """Has it more than one vector?"""
    return len(content) > LENGTH or condition_of(content) is not None


def embedded_texts(record: MemoryRecord) -> list[str]:
    """What the model reads: each passage, under the memory's title if it has one that says more."""
    heading = record.title if record.title and record.title not in record.content else None
    texts = [record.content[passage.start : passage.end].strip() for passage in embedded_passages(record.content)]
    return [f"{heading}\n{text}" if heading else text for text in texts]
