"""A source cut into sentences, each with its exact place: `body[sentence.start : sentence.end] == sentence.text`.

A list item, a heading or a turn ends a sentence; a line that was only wrapped does not. Of a statement with a
question behind it ("I have two cats, can you suggest a toy?") the statement is kept. Every step looks at each
character a fixed number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from commonplace.ingest.rules.found import known
from commonplace.ingest.rules.hidden import Range, visible_parts
from commonplace.model.transcript import Piece

LONGEST = 600
"""A longer one is no sentence: a table, a dump, a text without stops."""

_MARK = re.compile(
    r"[ \t]{0,40}(?P<mark>(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[(?P<box>[ xX])\][ \t]+)?)(?P<rest>#{1,6}[ \t]|\|)?"
)
_STOP = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)")
_SHORT = known("e.g i.e etc vs mr mrs ms dr prof st no vol fig approx inc ltd co jr sr a.m p.m cf al est dept")
_TAIL = r"(?:,|;| -| –| —|—| and| so| but)\s+(?:and |so |but )?"
_ASKS = re.compile(
    _TAIL
    + r"""(?ix:(?=(?:
      (?:can|could|would|will|do|does|did|is|are|should|have|has|may)\ (?:you|i|we|there|it|that|this|they|anyone|the)\b
    | what|how\b|which|where|when\ |who\b|why|any\b)[^?]*\?[\s"'”’)]*$))"""
)
_WONDERS = re.compile(
    _TAIL
    + r"(?i:(?:i(?: was|'m|’m| am) (?:just )?|was (?:just )?|i )wonder(?:ing)?\b"
    + r"|if you (?:have|know|could|can)\b|any (?:tips|ideas|suggestions)\b)"
)


class Sentence(NamedTuple):
    text: str
    start: int
    end: int
    piece: Piece
    box: str = ""
    """A checkbox before it: a space is open, an x is done."""
    is_item: bool = False
    opens_line: bool = False


def sentences_of(piece: Piece, body: str, hidden: list[Range]) -> Iterator[Sentence]:
    """The sentences of a piece in their order, without what is hidden."""
    for start, end in visible_parts(piece.start, piece.end, hidden):
        for block in _blocks(body, start, end):
            yield from _cut(body, block, piece)


class _Block(NamedTuple):
    start: int
    end: int
    box: str
    is_item: bool


def _blocks(body: str, start: int, end: int) -> Iterator[_Block]:
    """Lines that belong together: wrapped prose is one block, and so is each item of a list."""
    open_: _Block | None = None
    for line_start, line_end in _lines(body, start, end):
        mark = _MARK.match(body, line_start, line_end)
        assert mark is not None
        begin = mark.end("mark")
        is_blank = not body[begin:line_end].strip() or bool(mark["rest"])
        continues = open_ is not None and not is_blank and not mark["mark"] and _is_wrapped(body, open_, begin)
        if open_ and continues:
            open_ = open_._replace(end=line_end)
            continue
        if open_:
            yield open_
        open_ = None if is_blank else _Block(begin, line_end, mark["box"] or "", bool(mark["mark"].strip()))
    if open_:
        yield open_


def _lines(body: str, start: int, end: int) -> Iterator[Range]:
    while start < end:
        stop = body.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _is_wrapped(body: str, block: _Block, begin: int) -> bool:
    """Does the line that begins here go on where the block ended?"""
    last = body[max(block.start, block.end - 80) : block.end].rstrip()
    if block.end - block.start > 4 * LONGEST or last.endswith((".", "!", "?", ":")):
        return False
    return body[begin].islower() or ("\n" not in last and len(last) >= 60)


def _cut(body: str, block: _Block, piece: Piece) -> Iterator[Sentence]:
    start, is_first = block.start, True
    for end in (*_stops(body, block), block.end):
        made = _trimmed(body, start, end, piece, block)
        if made:
            yield made._replace(opens_line=is_first)
            is_first = False
        start = end


def _stops(body: str, block: _Block) -> Iterator[int]:
    for match in _STOP.finditer(body, block.start, block.end):
        if match[0][0] != "." or not _is_short(body, block.start, match.start()):
            yield match.end()


def _is_short(body: str, start: int, stop: int) -> bool:
    """Is the word before this full stop an abbreviation or an initial?"""
    word = body[max(start, stop - 12) : stop].rpartition(" ")[2].lstrip("(\"'").lower()
    return word in _SHORT or (len(word) == 1 and word.isalpha() and word != "i")


def _trimmed(body: str, start: int, end: int, piece: Piece, block: _Block) -> Sentence | None:
    if end - start > 2 * LONGEST:
        return None
    text = body[start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    text = _without_question(text)
    if not text or len(text) > LONGEST:
        return None
    return Sentence(text, start, start + len(text), piece, block.box, block.is_item)


def _without_question(text: str) -> str:
    asked = _ASKS.search(text) if "?" in text[-4:] else None
    asked = asked or (_WONDERS.search(text) if "wonder" in text or "if you" in text or "any " in text else None)
    return text[: asked.start()].rstrip(" ,;-–—") if asked else text
