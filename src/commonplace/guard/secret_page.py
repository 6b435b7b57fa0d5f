"""A text as the scanner reads it: its letters without their case, and the runs that are long enough to be a token.

A regular expression that begins with a class or an option looks at every character, a search for a plain word leaps. So the
scanner asks this page where a mark stands, and matches only there. `low` has one character for each of `text`, whatever it
is, so that a place in the one is the same place in the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.guard import secret_formats as formats

_FLAT = bytes(ord("x" if chr(code) in formats.RUN_CHARS else " ") for code in range(256))
_LONG = b"x" * formats.RUN_LENGTH
# (start, end, rank, kind) of what may be a secret; a lower rank is a more specific finding.
Candidate = tuple[int, int, int, str]
# Stand-ins are looked for in a stretch of the text at a time: one search for each serves all the values that stand there.
_STRETCH, _OVERLAP = 4096, 256


class Page:
    """One text, and where things stand in it."""

    __slots__ = ("_from", "_here", "_stand_ins", "_upto", "low", "runs", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        plain = text.encode("latin-1", "replace")
        self.low = text.lower() if text.isascii() else _lowered(text)
        self.runs = _runs(plain.translate(_FLAT))
        self._stand_ins: dict[int, list[str]] = {}
        self._from = self._upto = 0  # of the stretch that was asked about last: the next value mostly stands there too
        self._here: Sequence[str] = ()

    def places(self, *marks: str) -> list[int]:
        """Where these marks begin, in order."""
        return sorted([at for mark in marks for at in places(self.low, mark)])

    def stands_in(self, start: int, end: int) -> bool:
        """Vendor documentation, masks and templates that only show where a secret would stand."""
        words = self._here if self._from <= start and end <= self._upto else self._words(start, end)
        return bool(words) and any(map(self.text[start:end].lower().__contains__, words))

    def after_stand_ins(self, start: int, end: int) -> int:
        """From where on none of them begins any more."""
        words = self._words(start, end)
        return start + 1 + max(map(self.low[start:end].rfind, words)) if words else start

    def _words(self, start: int, end: int) -> Sequence[str]:
        """Which of them may stand there."""
        first = start - start % _STRETCH
        last = first + _STRETCH + _OVERLAP
        words = self._stand_ins.get(first)
        if words is None:
            words = self._stand_ins[first] = _stand_ins(self.text[first:last].lower())
        if end > last:
            return formats.STAND_INS
        self._from, self._upto, self._here = first, first + _STRETCH, words
        return words


def places(text: str, mark: str) -> list[int]:
    """Where this mark begins."""
    found = []
    at = text.find(mark)
    while at >= 0:
        found.append(at)
        at = text.find(mark, at + 1)
    return found


def _stand_ins(lower: str) -> list[str]:
    return [word for word in formats.STAND_INS if word in lower]


def _lowered(text: str) -> str:
    """One character for each, and no other case but that of ASCII; two letters outside it have their other case inside."""
    cased = text.replace("\u017f", "s").replace("\u212a", "k")
    return cased.encode("latin-1", "replace").lower().decode("latin-1")


def _runs(flat: bytes) -> list[tuple[int, int]]:
    """From where to where each run goes that is long enough to hold the shortest format."""
    found: list[tuple[int, int]] = []
    start = flat.find(_LONG)
    while start >= 0:
        end = flat.find(b" ", start + formats.RUN_LENGTH)
        end = end if end >= 0 else len(flat)
        found.append((start, end))
        start = flat.find(_LONG, end)
    return found
