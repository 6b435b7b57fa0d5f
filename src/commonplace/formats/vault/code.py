"""Where a text is code: between fences, and between ticks on one line. In one pass, however many ticks there are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_TICKS = re.compile(r"`+")


class Code:
    """The stretches of a text that are code, in order."""

    def __init__(self, text: str) -> None:
        self._spans = [*_spans(text)] if "`" in text or "~~~" in text else []
        self._starts = [start for start, _ in self._spans]

    def holds(self, at: int) -> bool:
        before = bisect_right(self._starts, at) - 1
        return before >= 0 and at < self._spans[before][1]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in _fenced(text):
        yield from _ticked(text, at, start)
        yield start, end
        at = end
    yield from _ticked(text, at, len(text))


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """A fence is closed by one that is as long and of the same sign; one that is not closed goes on to the end."""
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence
        elif fence[1].startswith(opening[1]):
            yield opening.start(), fence.end()
            opening = None
    if opening is not None:
        yield opening.start(), len(text)


def _ticked(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """`code`, or ``code with ` in it``: as many ticks at the end as at the beginning, on the same line."""
    closing: dict[int, int] = {}
    line_end, done = -1, start
    for run in _TICKS.finditer(text, start, end):
        if run.start() > line_end:
            line_end = text.find("\n", run.start(), end)
            line_end = end if line_end < 0 else line_end
            closing = _closings(text, run.start(), line_end)
        if run.start() >= done and run.start() in closing:
            done = closing[run.start()]
            yield run.start(), done


def _closings(text: str, start: int, end: int) -> dict[int, int]:
    """For each run of ticks in a line, where the next one of its length ends."""
    found: dict[int, int] = {}
    next_of: dict[int, int] = {}
    for run in reversed([*_TICKS.finditer(text, start, end)]):
        length = run.end() - run.start()
        if length in next_of:
            found[run.start()] = next_of[length]
        next_of[length] = run.end()
    return found
