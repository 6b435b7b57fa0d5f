"""`Transcript`: a source as a reader understood it, piece by piece; each piece knows where it stands in the source's text."""

from __future__ import annotations

from datetime import datetime

from commonplace.model.base import Closed, Noun


class Role(Closed):
    """Who speaks in a piece."""

    PERSON = "person"
    AGENT = "agent"
    TOOL = "tool"
    SYSTEM = "system"
    DOCUMENT = "document"


class Piece(Noun, frozen=True, kw_only=True):
    """One turn of a conversation, one step of a run, one paragraph of a document."""

    role: Role
    text: str
    start: int
    """Where it begins in the source's body; `body[start:end] == text`."""
    end: int
    speaker: str | None = None
    at: datetime | None = None


class Transcript(Noun, frozen=True, kw_only=True):
    """What a reader made of raw material: a body to keep, and its pieces in order."""

    format: str
    """Which reader understood it; `text` when none did, and then `note` says so."""
    body: str
    """What is kept as the source's text: readable, whole, with nothing left out that somebody said."""
    pieces: tuple[Piece, ...]
    title: str | None = None
    observed_at: datetime | None = None
    """When it took place, as far as the material says."""
    note: str | None = None
