"""The file again, with some lines changed, gone or put in. All other bytes stay, also what cannot be understood (G-h)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from commonplace.formats.jsonl.lines import Odd, changed, entry_of, number_of
from commonplace.model.record import MemoryRecord

BOM = b"\xef\xbb\xbf"


class Rewritten(NamedTuple):
    content: bytes
    repeated: list[bytes]
    """Earlier lines under an id that left: they never counted, and would now come up in its place."""
    now: dict[str, bytes]
    """The changed lines, by their ids."""
    gone: dict[str, bytes]
    """The lines that left."""


def rewritten(
    content: bytes, changing: Mapping[str, MemoryRecord], leaving: Iterable[str], entering: Mapping[str, bytes]
) -> Rewritten:
    mark = BOM if content.startswith(BOM) else b""  # the file's, not that of its first line, which may leave (row 31)
    lines = content.removeprefix(mark).splitlines(keepends=True)
    standing = _standing(lines, {*changing, *leaving})
    repeated: list[bytes] = []
    now: dict[str, bytes] = {}
    gone: dict[str, bytes] = {}
    for key, at in standing.items():
        if key in changing:  # of several lines under one id the last is the one that counts
            body, end = _parted(lines[at[-1]])
            now[key] = changed(body, changing[key])
            lines[at[-1]] = now[key] + end
        else:
            *earlier, gone[key] = (_parted(lines[number])[0] for number in at)
            repeated += earlier
            for number in at:
                lines[number] = b""
    return Rewritten(mark + _with_entering(lines, entering), repeated, now, gone)


def without(content: bytes, keys: set[str]) -> bytes:
    """The file without any line under one of these ids."""
    lines = content.splitlines(keepends=True)
    for at in _standing(lines, keys).values():
        for number in at:
            lines[number] = b""
    return b"".join(lines)


def highest_in(content: bytes) -> int:
    """The highest number that any line names as its id, also one that is torn or damaged otherwise: it was given once."""
    return max((int(number) for number in re.findall(rb'"id"\s*:\s*"m-([0-9]{1,15})\b', content)), default=-1)


def _standing(lines: list[bytes], keys: set[str]) -> dict[str, list[int]]:
    """Which lines stand under each of these ids. Only lines that could be meant are taken apart."""
    if not keys:
        return {}
    could_be = re.compile(b"|".join([rb"\\", *(re.escape(key.encode()) for key in sorted(keys))]))
    standing: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if could_be.search(line):
            try:
                key = entry_of(_parted(line)[0]).key
            except Odd:
                continue
            if key in keys:
                standing.setdefault(key, []).append(number)
    return standing


def _with_entering(lines: list[bytes], entering: Mapping[str, bytes]) -> bytes:
    """New lines go to the end. One that comes back goes before the first higher id, so that the last stays the highest."""
    for key, line in entering.items():
        at = _place_of(lines, number_of(key))
        if at and lines[at - 1] and not lines[at - 1].endswith((b"\n", b"\r")):
            lines[at - 1] += b"\n"
        lines.insert(at, line + b"\n")
    return b"".join(lines)


def _place_of(lines: list[bytes], number: int | None) -> int:
    at = len(lines)
    while at and number is not None and (not lines[at - 1].strip() or highest_in(lines[at - 1]) > number):
        at -= 1
    return at if at < len(lines) and any(line.strip() for line in lines[at:]) else len(lines)


def _parted(line: bytes) -> tuple[bytes, bytes]:
    """A line without its end, and the end."""
    body = line.rstrip(b"\r\n")
    return body, line[len(body) :]
