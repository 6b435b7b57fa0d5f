"""The one secret scanner: every way in asks it, and so do injection, export and `scan`.

A text is first looked over cheaply: does it hold a run long enough for an issued token, a word people put before a
password, the marks of a URL login or of a key block? Only what was hinted at is searched for in earnest, so an ordinary
memory costs a few microseconds. A finding says what kind of secret stands where; it never holds the secret.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from commonplace.guard import secret_formats as formats
from commonplace.guard.secret_context import in_context
from commonplace.guard.secret_values import compiled, is_stand_in
from commonplace.guard.text import HIDDEN

# (rank, kind, start, end); a lower rank is a more specific finding.
Candidate = tuple[int, str, int, int]
_Anchor = tuple[str, str, str]  # (anchor, kind, pattern)
_ISSUED = 1


class Finding(tuple[str, int, int]):
    """A secret of some `kind` at `text[start:end]`. Immutable, and silent about the value."""

    __slots__ = ()

    def __new__(cls, kind: str, start: int, end: int) -> "Finding":
        return super().__new__(cls, (kind, start, end))

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


def scan(text: str) -> list[Finding]:
    """Every secret in `text`, in order, none overlapping another."""
    if text.isascii():
        return _merged(_candidates(text))
    plain, origin = _unhidden(text)
    found = _merged(_candidates(plain))
    return found if origin is None else [Finding(f.kind, origin[f.start], origin[f.end - 1] + 1) for f in found]


def has_secret(text: str) -> bool:
    """Whether `scan` would find anything."""
    return any(True for _ in _candidates(text if text.isascii() else _unhidden(text)[0]))


def redact(text: str) -> tuple[str, list[Finding]]:
    """`text` with `[REDACTED:kind]` in place of each secret, and what was found (offsets into the text given)."""
    found = scan(text)
    if not found:
        return text, found
    parts: list[str] = []
    done = 0
    for finding in found:
        parts += (text[done : finding.start], f"[REDACTED:{finding.kind}]")
        done = finding.end
    return "".join([*parts, text[done:]]), found


def _candidates(text: str) -> Iterator[Candidate]:
    runs = compiled(formats.RUN).findall(text)
    if runs:
        yield from _issued(text, "\n".join(runs))
    yield from in_context(text)


def _issued(text: str, runs: str) -> Iterator[Candidate]:
    """Tokens whose issuer gave them a recognisable form."""
    by_hint, others = _anchors()
    hinted = by_hint.keys() & compiled(_HINT).findall(runs)
    rows = [*(row for hint in hinted for row in by_hint[hint]), *others]
    for kind, pattern in {(kind, pattern) for anchor, kind, pattern in rows if anchor in runs}:
        for match in compiled(pattern).finditer(text):
            if _starts_a_word(text, match.start()) and not is_stand_in(match.group()):
                yield _ISSUED, kind, *match.span()
    if ".ey" in runs:
        yield from _web_tokens(text)


def _web_tokens(text: str) -> Iterator[Candidate]:
    for tail in compiled(formats.JWT_TAIL).finditer(text):
        first = max(tail.start() - formats.JWT_HEAD_CHARS, 0)
        head = text[first : tail.start()]
        for match in compiled(formats.JWT_HEAD).finditer(head, len(head.rstrip(_WORD))):
            if _starts_a_word(text, first + match.start()) and not is_stand_in(
                text[first + match.start() : tail.end()]
            ):
                yield _ISSUED, "jwt", first + match.start(), tail.end()
                break


_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


# Most prefixes end like `hp_` or `sk-`. Collecting such endings once is cheaper than asking for a hundred anchors.
_HINT = r"[A-Za-z0-9]{2}[-_.]"


@cache
def _anchors() -> tuple[dict[str, list[_Anchor]], list[_Anchor]]:
    """The formats by the ending of their anchors, and those whose anchors have none."""
    by_hint: dict[str, list[_Anchor]] = {}
    others: list[_Anchor] = []
    for kind, anchors, pattern in formats.FORMATS:
        for anchor in anchors:
            hints = compiled(_HINT).findall(anchor)
            (by_hint.setdefault(hints[-1], []) if hints else others).append((anchor, kind, pattern))
    return by_hint, others


def _starts_a_word(text: str, start: int) -> bool:
    """No letter or digit stands before it, unless that is the tail of an escape such as `\\n` or `%3D`."""
    if start == 0 or not (text[start - 1].isascii() and text[start - 1].isalnum()):
        return True
    return text[max(start - 2, 0)] == "\\" or text[max(start - 3, 0)] == "%"


def _merged(candidates: Iterable[Candidate]) -> list[Finding]:
    """Overlapping candidates become one finding: together they tell how far it goes, the most specific what it is."""
    merged: list[Candidate] = []
    for found in sorted(candidates, key=lambda candidate: candidate[2:]):
        if merged and found[2] < merged[-1][3]:
            last = merged[-1]
            kind = min(last, found, key=_vagueness)
            merged[-1] = (*kind[:2], last[2], max(last[3], found[3]))
        else:
            merged.append(found)
    return [Finding(kind, start, end) for _, kind, start, end in merged]


def _vagueness(candidate: Candidate) -> tuple[int, int]:
    rank, _, start, end = candidate
    return rank, start - end


# Full-width letters and digits stand for the ASCII they imitate; one character each, so offsets stay.
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


def _unhidden(text: str) -> tuple[str, list[int] | None]:
    """The text without characters that only hide a secret, and where each kept character came from."""
    plain = text.translate(_NARROW) if compiled("[\uff10-\uff19\uff21-\uff5a]").search(text) else text
    if not compiled(HIDDEN).search(plain):
        return plain, None
    hidden = {match.start() for match in compiled(HIDDEN).finditer(plain)}
    origin = [at for at in range(len(plain)) if at not in hidden]
    return re.sub(HIDDEN, "", plain), origin
