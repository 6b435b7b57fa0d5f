"""Who speaks where in a source: written beside its body, so that no text inside can pretend to be a speaker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from commonplace.ingest.readers.text import paragraphs
from commonplace.model.base import from_micros, taken_apart, to_micros
from commonplace.model.transcript import Piece, Role, Transcript

if TYPE_CHECKING:
    from commonplace.model.source import Source

_Row = tuple[Role, int, int, str | None, int | None]


def outline_of(found: Transcript) -> str:
    """`[role, start, end, speaker, at]` for each piece."""
    rows = [(p.role, p.start, p.end, p.speaker, to_micros(p.at) if p.at else None) for p in found.pieces]
    return msgspec.json.encode(rows).decode()


def transcript_of(source: Source) -> Transcript:
    """The transcript that a source was kept from. Without an outline, or with one that cannot be read, it is plain text."""
    body = source.body or ""
    pieces = _pieces(body, source.outline) if source.outline else None
    return Transcript(
        format=source.format or "text",
        body=body,
        pieces=paragraphs(body) if pieces is None else pieces,
        title=source.title,
        observed_at=source.observed_at,
    )


def _pieces(body: str, outline: str) -> tuple[Piece, ...] | None:
    try:
        rows = msgspec.json.decode(outline, type=taken_apart(list[_Row]))
        return tuple(_piece(body, *row) for row in rows if 0 <= row[1] < row[2] <= len(body))
    except (msgspec.DecodeError, OverflowError, RecursionError):
        return None


def _piece(body: str, role: Role, start: int, end: int, speaker: str | None, at: int | None) -> Piece:
    moment = None if at is None else from_micros(at)
    return Piece(role=role, text=body[start:end], start=start, end=end, speaker=speaker, at=moment)
