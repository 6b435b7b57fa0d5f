"""The lines of an export: one JSON object each, with one key that says what it is. `docs/format/export.md` is the page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from commonplace.model.base import Noun, taken_apart
from commonplace.model.link import Conflict, Link
from commonplace.model.operation import Entry
from commonplace.model.record import MemoryRecord
from commonplace.model.source import IngestionEvent, Source
from commonplace.model.words import Entity

VERSION = 1


class Manifest(Noun, frozen=True, kw_only=True):
    """The first line: what this file is."""

    format: str = "commonplace-export"
    version: int = VERSION
    book_id: str
    exported_at: datetime
    counts: dict[str, int] = {}


class Tombstone(Noun, frozen=True, kw_only=True):
    """What was purged: its id and the sequence of the purge, nothing else."""

    id: str
    seq: int


class End(Noun, frozen=True, kw_only=True):
    """The last line: how many lines came before it, and their hash. Without it the file was cut off."""

    lines: int
    sha256: str


class Line(Noun, frozen=True, kw_only=True, omit_defaults=True):
    """Any line. Exactly one field is set."""

    manifest: Manifest | None = None
    journal: Entry | None = None
    source: Source | None = None
    event: IngestionEvent | None = None
    memory: MemoryRecord | None = None
    link: Link | None = None
    conflict: Conflict | None = None
    tombstone: Tombstone | None = None
    end: End | None = None


# In this order, so that whatever a line refers to stands before it.
ENTITIES = (
    ("source", Entity.SOURCE),
    ("event", Entity.EVENT),
    ("memory", Entity.MEMORY),
    ("link", Entity.LINK),
    ("conflict", Entity.CONFLICT),
)
encode = msgspec.json.Encoder().encode
decoder = msgspec.json.Decoder(taken_apart(Line))


def line_of(name: str, noun: Noun) -> bytes:
    return encode({name: noun}) + b"\n"


def content_of(line: Line) -> tuple[str, Any]:
    """What the line holds, by name. A line that holds nothing known has the name ''."""
    for name in Line.__struct_fields__:
        held = getattr(line, name)
        if held is not None:
            return name, held
    return "", None
