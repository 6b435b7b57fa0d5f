"""Looking for secrets in a long text, a stretch at a time.

The scanner looks over a text cheaply and searches in earnest only for what was hinted at. In a megabyte something of everything
is hinted at somewhere; in most stretches of it nothing is. So each stretch is scanned by itself, together with so much before and
after it as any finder looks at. Whatever could reach further makes us scan the whole at once: slower, never blinder.
"""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.guard.secrets import Finding, scan

_STRETCH = 16_384
_AROUND = 1_000
"""Finders look a few hundred characters around a mark, or along its line; stretches begin and end with lines."""
_FAR = ("PRIVATE KEY", "Private-Lines")
"""Marks of what goes over many lines."""


def found_in(text: str) -> list[Finding]:
    """What `scan` finds in the whole text."""
    if len(text) < 2 * _STRETCH or any(mark in text for mark in _FAR):
        return scan(text)
    found: list[Finding] = []
    for begin, end, low, high in _stretches(text):
        if high - low > 4 * _STRETCH:
            return scan(text)  # a line so long that there are no stretches
        here = scan(text[low:high])
        if any(one.end == high - low < len(text) - low for one in here):
            return scan(text)  # it may go on
        found += [Finding(one.kind, one.start + low, one.end + low) for one in here if begin <= one.start + low < end]
    return found


def _stretches(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Where each stretch begins and ends, and where what is looked at with it does; all of them at the ends of lines."""
    begin = 0
    while begin < len(text):
        end = _line_end(text, begin + _STRETCH)
        low = text.rfind("\n", 0, max(begin - _AROUND, 0)) + 1
        yield begin, end, low, _line_end(text, end + _AROUND)
        begin = end


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1
