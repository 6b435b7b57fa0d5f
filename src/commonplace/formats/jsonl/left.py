"""What left the file and may come back: `.commonplace/left.jsonl` says which memory had which id.

A line that people wrote in a form of their own, with fields that no memory has, is kept there too, so that it comes back as it
was. A purge takes that away as well; the note that there was such an id tells nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.seam.format import Append, Put

if TYPE_CHECKING:
    from commonplace.seam.format import Shelf

LEFT = ".commonplace/left.jsonl"


class Note(NamedTuple):
    """One memory that stood in the file."""

    key: str
    memory_id: str
    line: bytes | None = None
    """How it stood there, if not in our own form."""

    @property
    def raw(self) -> bytes:
        told: dict[str, Any] = {"id": self.key, "memory": self.memory_id}
        if self.line is not None:
            told["line"] = self.line.decode()
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def noted(leaving: Sequence[Note], purged: set[str], shelf: Shelf) -> list[Append | Put]:
    """Notes of these; and none any more of how those stood that are destroyed."""
    notes = b"".join(note.raw for note in leaving)
    before = (shelf.content(LEFT) or b"") if purged else b""
    kept = _without_lines_of(purged, before)
    if kept != before:
        return [Put(LEFT, kept + notes, sha256(before).digest())]
    return [Append(LEFT, notes)] if notes else []


def recalled(memory_id: str, shelf: Shelf) -> Note | None:
    """How this memory stood in the file when it last left."""
    for raw in reversed((shelf.content(LEFT) or b"").splitlines()):
        note = _note(raw) if json.dumps(memory_id).encode() in raw else None
        if note is not None and note.memory_id == memory_id:
            return note
    return None


def _without_lines_of(purged: set[str], content: bytes) -> bytes:
    return b"".join(_without_line_of(purged, raw) for raw in content.splitlines(keepends=True))


def _without_line_of(purged: set[str], raw: bytes) -> bytes:
    note = _note(raw)
    if note is None or note.memory_id not in purged or note.line is None:
        return raw
    return note._replace(line=None).raw


def _note(raw: bytes) -> Note | None:
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        told = json.loads(raw)
        line = told.get("line")
        if isinstance(told["id"], str) and isinstance(told["memory"], str):
            return Note(told["id"], told["memory"], line.encode() if isinstance(line, str) else None)
    return None
