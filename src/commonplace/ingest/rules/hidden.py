"""What stands in a transcript and is nobody's statement: injected memory, frames of the host, code, quotations.

The fence around injected memory is known by its mark (`guard/fence.py`). What was injected must not come back as
something new, so a fence that is opened and never closed hides all that follows it in the same turn.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

from commonplace.model.transcript import Piece, Role

Range = tuple[int, int]

# Our own fence, also as it looks after it was quoted; and the frames in which hosts put what nobody typed.
_LEFT, _RIGHT = "(?:[<‹＜]|&lt;)", "(?:[>›＞]|&gt;)"
_HOSTS = (
    "system-reminder|command-(?:name|message|args)|local-command-stdout|environment_context"
    "|user_instructions|ide_selection"
    "|ide_opened_file|function_results|tool_result|memory|memories|commonplace"
)
_FRAME = re.compile(
    rf"(?i){_LEFT}(?P<close>/?) ?(?P<name>{_HOSTS})(?: (?P<mark>[a-z2-7]{{20}}))?\b[^<>\n]{{0,200}}?{_RIGHT}"
)
_CODE = re.compile(r"^[ \t]{0,12}(?:[-*>] )?(```|~~~)", re.MULTILINE)
# One line of a context that lost its fence on the way: an id, its columns, the text.
_LINE = re.compile(r"^[^\S\n]{0,12}[-*]?[^\S\n]?[0-9A-HJKMNP-TV-Z]{26} \|[^\n]*", re.MULTILINE)
_QUOTED = re.compile(r"^[ \t]{0,12}>[^\n]*", re.MULTILINE)


def hidden_ranges(body: str, pieces: Iterable[Piece]) -> list[Range]:
    """The parts of the body that no rule reads, in order, none overlapping another."""
    found: list[Range] = []
    for start, end in _regions(pieces):
        text = body[start:end]
        for inner in (*_framed(text), *_coded(text), *_quoted(text)):
            found.append((start + inner[0], start + inner[1]))
    return _merged(found)


def visible_parts(start: int, end: int, hidden: list[Range]) -> Iterator[Range]:
    """What is left of a span when everything hidden is taken out."""
    at = max(0, bisect_left(hidden, (start, 0)) - 1)
    while at < len(hidden) and hidden[at][0] < end:
        from_, to = hidden[at]
        if from_ > start:
            yield start, from_
        start = max(start, to)
        at += 1
    if start < end:
        yield start, end


def _regions(pieces: Iterable[Piece]) -> Iterator[Range]:
    """Turns one by one; the paragraphs of a document together, because a code block may hold an empty line."""
    open_: Range | None = None
    for piece in pieces:
        if open_ and piece.role is Role.DOCUMENT and piece.start >= open_[1]:
            open_ = (open_[0], piece.end)
            continue
        if open_:
            yield open_
        open_ = (piece.start, piece.end)
        if piece.role is not Role.DOCUMENT:
            yield open_
            open_ = None
    if open_:
        yield open_


def _framed(text: str) -> Iterator[Range]:
    marks = [*_FRAME.finditer(text)]
    closes: dict[tuple[str, str], list[int]] = defaultdict(list)
    for match in marks:
        if match["close"]:
            closes[_key(match)].append(match.end())
    done = 0
    for match in marks:
        if not match["close"] and match.start() >= done:
            ends = closes[_key(match)]
            at = bisect_left(ends, match.end())
            done = ends[at] if at < len(ends) else len(text)
            yield match.start(), done


def _key(match: re.Match[str]) -> tuple[str, str]:
    return match["name"].lower(), (match["mark"] or "").lower()


def _coded(text: str) -> Iterator[Range]:
    """From one fence of backquotes or tildes to the next of the same sort; the last may be open."""
    start, sort = 0, ""
    for match in _CODE.finditer(text):
        if not sort:
            start, sort = match.start(), match[1]
        elif match[1] == sort:
            yield start, match.end()
            sort = ""
    if sort:
        yield start, len(text)


def _quoted(text: str) -> Iterator[Range]:
    for pattern in (_QUOTED, _LINE):
        yield from (match.span() for match in pattern.finditer(text))


def _merged(ranges: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
