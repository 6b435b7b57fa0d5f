"""Tokens whose issuer gave them a recognisable form: the table of formats, asked of the runs of a text.

Every format lies within one run of its characters, so the runs are written one below another and searched together; what
stands between them, nearly all of an ordinary text, is never looked at.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

from commonplace.guard import secret_formats as formats
from commonplace.guard.secret_page import Candidate, Page
from commonplace.guard.secret_values import compiled

_Anchor = tuple[str, str, str]  # (anchor, kind, pattern)
_ISSUED = 1
_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def issued(page: Page) -> Iterator[Candidate]:
    """What has the form of a token and does not stand in the middle of a word."""
    if page.runs:
        runs = _Runs(page)
        yield from _by_format(runs)
        if ".ey" in runs.text:
            yield from _web_tokens(runs)


class _Runs:
    """The runs of a page, one below another."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._firsts: list[int] = []
        self.text = "\n".join([page.text[start:end] for start, end in page.runs])

    def token(self, kind: str, start: int, end: int) -> Candidate | None:
        """Where on the page it stands, if it may be one."""
        shift = self._origin(start) - start
        if not _starts_a_word(self._page.text, start + shift) or self._page.stands_in(start + shift, end + shift):
            return None
        return start + shift, end + shift, _ISSUED, kind

    def after_stand_ins(self, start: int, end: int) -> int:
        """From where on nothing in it stands in for something else."""
        shift = self._origin(start) - start
        return self._page.after_stand_ins(start + shift, end + shift) - shift

    def _origin(self, at: int) -> int:
        if not self._firsts:
            self._firsts = [0, *accumulate(end - start + 1 for start, end in self._page.runs)]
        run = bisect_right(self._firsts, at) - 1
        return self._page.runs[run][0] + at - self._firsts[run]


def _by_format(runs: _Runs) -> Iterator[Candidate]:
    by_hint, others = _anchors()
    hinted = by_hint.keys() & compiled(_HINT).findall(runs.text)
    rows = [*(row for hint in hinted for row in by_hint[hint]), *others]
    for kind, pattern in {(kind, pattern) for anchor, kind, pattern in rows if anchor in runs.text}:
        for match in compiled(pattern).finditer(runs.text):
            token = runs.token(kind, *match.span())
            if token:
                yield token


def _web_tokens(runs: _Runs) -> Iterator[Candidate]:
    """From the first `ey` of the word before a tail. A stand-in after it rules out every `ey` before that at once."""
    for tail in compiled(formats.JWT_TAIL).finditer(runs.text):
        last = tail.start()
        first = max(last - formats.JWT_HEAD_CHARS, 0)
        first += len(runs.text[first:last].rstrip(_WORD))
        first = runs.after_stand_ins(first, tail.end())
        for match in compiled(formats.JWT_HEAD).finditer(runs.text, first, last):
            token = runs.token("jwt", match.start(), tail.end())
            if token:
                yield token
                break


# Most prefixes end like `hp_` or `sk-`. Collecting such endings once is cheaper than asking for a hundred anchors, and looking
# back from their last character cheaper than looking forward from every letter.
_HINT = r"[-_.](?<=([A-Za-z0-9]{2}[-_.]))"


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
