"""The lines of a ledger, read from whatever bytes are there and written one for each change.

    {"ts": "2026-11-15T12:00:00Z", "digest": "…", "retain": ["W @Bob: …"], "ids": ["01K…"]}

Only `ts`, `digest` and `retain` are the design's (V57); others may write nothing else and read nothing else. `ids` are ours:
they say which memory each item is. `kept` holds statements of ours that nobody should take for retained: what was brought
in archived or unconfirmed. Every other key belongs to whoever wrote it and stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from commonplace import settings
from commonplace.errors import InvalidError
from commonplace.model.base import utc
from commonplace.model.strict_json import parse
from commonplace.seam.format import Aside

BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Item(NamedTuple):
    """One statement in one line."""

    text: str
    id: str | None
    """The memory it belongs to, where the line says so."""
    status: str | None = None
    """Of what is only kept; None for what is retained."""
    kind: str | None = None
    """Only of a digest that does not stand on the page: it is written down, but it is no entry."""


Spot = tuple[str, int]
"""Where in a line: in which of its lists, and the how manyth there."""


class Line(NamedTuple):
    number: int
    table: dict[str, Any]

    @property
    def at(self) -> datetime | None:
        """When, if the line says it in a form that means one moment."""
        ts = self.table.get("ts")
        try:
            return utc(ts, "ts") if isinstance(ts, str) else None
        except InvalidError:
            return None

    @property
    def digest(self) -> str | None:
        given = self.table.get("digest")
        return given if isinstance(given, str) else None

    def items(self) -> Iterator[tuple[Spot, Item]]:
        """What it retains, then what it keeps. What is no text, or text that no book can hold, is passed over."""
        ids = self._listed("ids")
        for at, text in enumerate(self._listed("retain")):
            if is_text(text):
                yield ("retain", at), Item(text, _id(ids[at]) if at < len(ids) else None)
        for at, one in enumerate(self._listed("kept")):
            if isinstance(one, dict) and is_text(one.get("text")) and _id(one.get("id")) and "kind" not in one:
                yield ("kept", at), Item(one["text"], one["id"], str(one.get("status", "inbox")))

    def _listed(self, key: str) -> list[Any]:
        given = self.table.get(key)
        return given if isinstance(given, list) else []


def read_lines(raw: bytes) -> tuple[list[Line], list[Aside]]:
    """The lines that can be understood, and those that cannot, by number. Any bytes are legal (rows 27-34)."""
    if raw.startswith(_UTF16):
        return [], [Aside(1, "the file is UTF-16; save it as UTF-8")]
    lines: list[Line] = []
    aside: list[Aside] = []
    pieces = raw.removeprefix(BOM).split(b"\n")
    for number, piece in enumerate(pieces, 1):
        if not piece.strip():
            continue
        try:
            lines.append(Line(number, _table(piece)))
        except ValueError as problem:
            torn = number == len(pieces)  # the last one has no line end: it was cut, or is still being written
            aside.append(Aside(number, "torn off" if torn else str(problem)))
    return lines, aside


def _table(piece: bytes) -> dict[str, Any]:
    if len(piece) > settings.MAX_IMPORT_LINE_BYTES:
        raise ValueError("longer than any line may be")
    try:
        table = parse(piece.decode())
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    if not isinstance(table, dict):
        raise ValueError("not an object")  # noqa: TRY004 - one kind of trouble for whoever keeps it aside
    return table


def is_text(value: object) -> bool:
    """Can every book hold it: a text that is not blank, without NUL and without half a surrogate pair?"""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return False
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def _id(value: object) -> str | None:
    """Any name that a memory may have: not all were given by a book of ours."""
    return value if isinstance(value, str) and 0 < len(value) <= 64 and value.isprintable() else None


def write_line(table: Mapping[str, Any]) -> bytes:
    """One line with its end. Never a line break inside: JSON escapes it."""
    return json.dumps(table, ensure_ascii=False, separators=(", ", ": ")).encode() + b"\n"


def entry_line(now: datetime, digest: str | None, items: Sequence[Item]) -> bytes:
    """The line of one change: `ts`, and of the rest what there is (V57, V-n)."""
    retained = [item for item in items if item.status is None]
    kept = [_kept(item) for item in items if item.status is not None]
    table: dict[str, Any] = {"ts": stamp(now)}
    if digest is not None:
        table["digest"] = digest
    if retained:
        table["retain"] = [item.text for item in retained]
    if any(item.id for item in retained):
        table["ids"] = [item.id for item in retained]
    if kept:
        table["kept"] = kept
    return write_line(table)


def _kept(item: Item) -> dict[str, str | None]:
    said = {"id": item.id, "text": item.text, "status": item.status}
    return said if item.kind is None else {**said, "kind": item.kind}


def stamp(now: datetime) -> str:
    return now.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
