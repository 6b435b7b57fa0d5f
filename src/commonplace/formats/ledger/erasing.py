"""The only reason to rewrite a line of the ledger: a purge. What was said goes; that something was said there stays."""

from __future__ import annotations

from typing import Any

from commonplace.formats.ledger.entries import entries_of
from commonplace.formats.ledger.lines import BOM, Line, Spot, read_lines, write_line


def erased(raw: bytes, keys: frozenset[str], *, digests: bool = False) -> bytes:
    """The file without these entries, and with `digests` without every digest it ever had. Other lines keep their bytes."""
    lines, _ = read_lines(raw)
    doomed: dict[int, set[Spot]] = {}
    for entry in entries_of(lines):
        if entry.key in keys:
            for number, spot in entry.spots:
                doomed.setdefault(number, set()).add(spot)
    pieces = raw.split(b"\n")
    for line in lines:
        spots = doomed.get(line.number, set())
        if digests:
            spots = spots | _digests_of(line)
        if spots:
            pieces[line.number - 1] = _like(pieces[line.number - 1], _stripped(line, spots))
    return b"\n".join(pieces)


def _digests_of(line: Line) -> set[Spot]:
    """The line's own digest, and those that it only keeps."""
    own: set[Spot] = {("digest", 0)} if "digest" in line.table else set()
    kept = line.table.get("kept")
    listed = kept if isinstance(kept, list) else []
    return own | {("kept", at) for at, one in enumerate(listed) if isinstance(one, dict) and "kind" in one}


def _stripped(line: Line, spots: set[Spot]) -> dict[str, Any]:
    table = dict(line.table)
    if ("digest", 0) in spots:
        del table["digest"]
    for name, of in (("retain", "retain"), ("ids", "retain"), ("kept", "kept")):
        if isinstance(table.get(name), list):
            table[name] = [one for at, one in enumerate(table[name]) if (of, at) not in spots]
    return {**table, "purged": len(spots)}


def _like(before: bytes, table: dict[str, Any]) -> bytes:
    """The new line with the byte order mark and the carriage return that the old one had."""
    mark = BOM if before.startswith(BOM) else b""
    end = b"\r" if before.endswith(b"\r") else b""
    return mark + write_line(table).removesuffix(b"\n") + end
