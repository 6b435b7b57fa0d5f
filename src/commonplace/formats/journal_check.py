"""Is a journal file what was written? Entries have hashes of their own; the rest of a group has a checksum in its last line.

A damaged line is named by its number. Nothing is dropped because of it but the line itself: what it spoke of is still in the
files or in other lines, and whoever reads the finding can compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from commonplace.model.operation import GENESIS

if TYPE_CHECKING:
    from commonplace.formats.journal_file import Line
    from commonplace.model.operation import Entry

OPEN = "00000000"
"""What stands where the checksum will be, while it is made."""
LEFT = "was left by a change that never happened"
"""Of a line that is no damage: its writer was killed, and the next change follows the one before it."""
_END = b'"}}'
_SEALED = b'"check":"'


def seal(raw: bytes, beside: Iterable[bytes] = ()) -> bytes:
    """A line whose last field is `check`, with the checksum of itself and of the lines that it closes."""
    return raw[: -len(OPEN) - len(_END)] + _checksum(raw, beside) + _END


def is_sealed(raw: bytes, beside: Iterable[bytes] = ()) -> bool:
    """Is it as it was sealed? A line without a checksum is as it is."""
    raw = raw.rstrip()
    body, digits = raw[: -len(OPEN) - len(_END)], raw[-len(OPEN) - len(_END) : -len(_END)]
    if not body.endswith(_SEALED):
        return True
    return digits == _checksum(body + OPEN.encode() + _END, beside)


def _checksum(raw: bytes, beside: Iterable[bytes]) -> bytes:
    total = 0
    for line in (*beside, raw):
        total = crc32(line.rstrip(), total)
    return b"%08x" % total


class _Read(NamedTuple):
    """One line of the file; without a meaning if it cannot be read."""

    number: int
    raw: bytes
    line: Line | None


def troubles(lines: Iterable[tuple[bytes, Line | None]]) -> Iterator[tuple[int, str]]:
    """The lines that cannot be read or are not what was written, by number, and why."""
    since: list[_Read] = []
    last = 0
    for number, (raw, line) in enumerate(lines, 1):
        if line is None and not raw.strip():
            continue
        since.append(_Read(number, raw, line))
        if number == 1:  # the heading
            yield from _wrong(since)
            since = []
        elif line is not None and line.commit is not None:
            group = since[-line.commit.lines - 1 :]
            if _goes_on(group, last):
                yield from ((one.number, LEFT) for one in since if one.line is None)
            else:
                yield from _wrong(since)
            last = max([last, *_numbers(group)])
            since = []
    yield from _wrong(since)


def _goes_on(group: list[_Read], last: int) -> bool:
    """Is the group what was written, and does it follow the last one? Then nothing is missing between them."""
    *beside, end = group
    commit = end.line.commit if end.line else None
    if commit is None or len(beside) != commit.lines or any(one.line is None for one in beside):
        return False
    numbers = _numbers(beside)
    follows = numbers == [*range(last + 1, last + 1 + len(numbers))] if numbers else commit.seq == last
    return follows and all(_is_as_written(one, beside) for one in group)


def _numbers(group: list[_Read]) -> list[int]:
    return [one.line.journal.seq for one in group if one.line and one.line.journal]


def _wrong(lines: list[_Read]) -> Iterator[tuple[int, str]]:
    """A group is named by its last line only where none of its others is."""
    is_named = False
    for at, one in enumerate(lines):
        if one.line is None:
            is_named = True
            # Torn off at the very end: whoever wrote it was killed. Had more been there, the witness would know.
            yield one.number, "cannot be read" if one.raw.endswith(b"\n") else LEFT
        elif not _is_as_written(one, lines[:at]) and not (is_named and one.line.commit):
            is_named = True
            yield one.number, "is not what was written"


def _is_as_written(one: _Read, before: list[_Read]) -> bool:
    assert one.line is not None
    if one.line.journal is not None:
        return one.line.journal.is_sound()
    if one.line.commit is not None:
        beside = [other.raw for other in before if other.line]
        return is_sealed(one.raw, beside[-one.line.commit.lines :] if one.line.commit.lines else ())
    return one.line.book is None or is_sealed(one.raw)


def is_whole(chain: Iterable[Entry]) -> bool:
    """Does every entry follow the one before it, and is each what was written?"""
    prev, seq = GENESIS, 0
    for entry in chain:
        if entry.seq != seq + 1 or entry.prev != prev or not entry.is_sound():
            return False
        prev, seq = entry.hash, entry.seq
    return True
