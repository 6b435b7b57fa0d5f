"""Turns become a body that a person can read, in which every piece knows where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from commonplace.ingest.readers.material import keepable
from commonplace.model.base import from_micros
from commonplace.model.transcript import Piece, Role, Transcript

NAMES = {Role.PERSON: "User", Role.AGENT: "Assistant", Role.TOOL: "Tool", Role.SYSTEM: "System", Role.DOCUMENT: ""}
_ROLES = {
    **dict.fromkeys(("user", "human", "me", "you", "customer", "person"), Role.PERSON),
    **dict.fromkeys(("assistant", "ai", "bot", "agent", "model", "claude", "codex", "chatgpt", "gpt"), Role.AGENT),
    **dict.fromkeys(("copilot", "gemini", "llm", "openclaw", "cursor"), Role.AGENT),
    **dict.fromkeys(("tool", "function", "toolresult", "tool_result", "ipython", "bashexecution"), Role.TOOL),
    **dict.fromkeys(("system", "developer", "custom"), Role.SYSTEM),
}
_MAX_SPEAKER = 80


class Turn(NamedTuple):
    """What somebody said, before it has a place in a body."""

    role: Role
    text: str
    speaker: str | None = None
    at: datetime | None = None


def role_of(word: object) -> Role | None:
    """The role that a format's own word stands for; None for a word that is none."""
    return _ROLES.get(word.strip().lower()) if isinstance(word, str) else None


def render(
    format: str,
    turns: Iterable[Turn],
    *,
    title: object = None,
    at: datetime | None = None,
    odd: Sequence[str] = (),
) -> Transcript | None:
    """`User: text`, a blank line between turns. None if nobody said anything. Lines that were no JSON come last, as they are."""
    parts: list[str] = []
    pieces: list[Piece] = []
    place = 0
    for turn in (*turns, *(Turn(Role.DOCUMENT, line) for line in odd)):
        text = keepable(turn.text).strip("\n")
        if not text.strip():
            continue
        speaker = _name(turn.speaker) or NAMES[turn.role]
        lead = ("\n\n" if parts else "") + (f"{speaker}: " if speaker else "")
        start = place + len(lead)
        place = start + len(text)
        parts += (lead, text)
        pieces.append(Piece(role=turn.role, text=text, start=start, end=place, speaker=speaker or None, at=turn.at))
    if not any(piece.role is not Role.DOCUMENT for piece in pieces):
        return None
    moments = [piece.at for piece in pieces if piece.at is not None]
    return Transcript(
        format=format,
        body="".join(parts),
        pieces=tuple(pieces),
        title=_name(title),
        observed_at=at or (moments[0] if moments else None),
        note=f"{len(odd)} lines were not JSON; they are kept as they are" if odd else None,
    )


def _name(given: object) -> str | None:
    """A name on one line, short; None if it is none."""
    if not isinstance(given, str):
        return None
    return " ".join(keepable(given).split())[:_MAX_SPEAKER].strip() or None


def moment_of(value: object) -> datetime | None:
    """A moment from what formats write: ISO 8601 with an offset, or seconds or milliseconds since 1970. Else None."""
    try:
        if isinstance(value, str) and len(value) <= 40:
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else None
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e14:
            return from_micros(int(value * (1_000 if value > 1e11 else 1_000_000)))
    except (ValueError, OverflowError):
        return None
    return None


def said(content: object) -> str:
    """The text of a message's content: text, or a list of blocks of which some hold text."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return next((held for key in _TEXTS if isinstance(held := content.get(key), str)), "")
    if isinstance(content, list):
        return "\n".join(text for block in content if (text := _block(block)))
    return ""


_TEXTS = ("text", "content", "output", "result")


def _block(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return ""
    if "image" in str(block.get("type", "")):
        return "[image]"
    return said(block.get("text", block.get("content")))


def called(name: object, arguments: object) -> Turn:
    """A tool that an agent called, and with what."""
    text = arguments if isinstance(arguments, str) else _encoded(arguments)
    return Turn(Role.TOOL, text, f"{_name(name) or 'tool'} call")


def _encoded(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return ""
