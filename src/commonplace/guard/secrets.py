"""The one secret scanner: every way in asks it, and so do injection, export and `scan`.

A text is first looked over cheaply: does it hold a run long enough for an issued token, a word people put before a
password, the marks of a URL login or of a key block? Only what was hinted at is searched for in earnest, and only where
the hint stands, so an ordinary memory costs a few microseconds. A finding says what kind of secret stands where; it never
holds the secret.
"""

import re
from collections.abc import Iterable, Iterator

from commonplace.guard.secret_context import in_context
from commonplace.guard.secret_issued import issued
from commonplace.guard.secret_page import Candidate, Page
from commonplace.guard.secret_values import compiled
from commonplace.guard.text import HIDDEN


class Finding(tuple[str, int, int]):
    """A secret of some `kind` at `text[start:end]`. Immutable, and silent about the value."""

    __slots__ = ()

    def __new__(cls, kind: str, start: int, end: int) -> "Finding":
        return tuple.__new__(cls, (kind, start, end))

    @property
    def kind(self) -> str:
        return self[0]

    @property
    def start(self) -> int:
        return self[1]

    @property
    def end(self) -> int:
        return self[2]

    def __repr__(self) -> str:
        return f"Finding(kind={self.kind!r}, start={self.start}, end={self.end})"


_made = tuple.__new__  # of many findings, a call of our own for each would be a good part of the cost


def scan(text: str) -> list[Finding]:
    """Every secret in `text`, in order, none overlapping another."""
    if text.isascii():
        return _merged(_candidates(text))
    plain, origin = _unhidden(text)
    found = _merged(_candidates(plain))
    return found if origin is None else [Finding(f.kind, origin[f.start], origin[f.end - 1] + 1) for f in found]


def has_secret(text: str) -> bool:
    """Whether `scan` would find anything."""
    return next(_candidates(text if text.isascii() else _unhidden(text)[0]), None) is not None


def redact(text: str) -> tuple[str, list[Finding]]:
    """`text` with `[REDACTED:kind]` in place of each secret, and what was found (offsets into the text given)."""
    found = scan(text)
    if not found:
        return text, found
    parts: list[str] = []
    done = 0
    for kind, start, end in found:
        parts += (text[done:start], f"[REDACTED:{kind}]")
        done = end
    return "".join([*parts, text[done:]]), found


def _candidates(text: str) -> Iterator[Candidate]:
    page = Page(text)
    yield from issued(page)
    yield from in_context(page)


def _merged(candidates: Iterable[Candidate]) -> list[Finding]:
    """Overlapping candidates become one finding: together they tell how far it goes, the most specific what it is."""
    merged: list[Candidate] = []
    last = 0
    for found in sorted(candidates):
        if found[0] < last:
            before = merged[-1]
            last = max(last, found[1])
            merged[-1] = (before[0], last, *min(before, found, key=_vagueness)[2:])
        else:
            merged.append(found)
            last = found[1]
    return [_made(Finding, (kind, start, end)) for start, end, _, kind in merged]


def _vagueness(candidate: Candidate) -> tuple[int, int]:
    start, end, rank, _ = candidate
    return rank, start - end


# Full-width letters and digits stand for the ASCII they imitate; one character each, so offsets stay.
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_WIDE = "[\uff10-\uff19\uff21-\uff5a]"
_ASCII = bytes(range(128))


def _narrowed(text: str) -> str:
    return re.sub("[\uff01-\uff5e]+", lambda wide: wide[0].translate(_NARROW), text)


def _unhidden(text: str) -> tuple[str, list[int] | None]:
    """The text without characters that only hide a secret, and where each kept character came from."""
    # Most of a text in Latin letters is ASCII, and taking that out is far cheaper than looking for the rest in it.
    others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    plain = _narrowed(text) if compiled(_WIDE).search(others) else text
    if not compiled(HIDDEN).search(others):
        return plain, None
    hidden = {match.start() for match in compiled(HIDDEN).finditer(plain)}
    origin = [at for at in range(len(plain)) if at not in hidden]
    return re.sub(HIDDEN, "", plain), origin
