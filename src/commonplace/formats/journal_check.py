"""Is a journal file what was written? Entries have hashes of their own; the rest of a group has a checksum in its last line.

A damaged line is named by its number. Nothing is dropped because of it but the line itself: what it spoke of is still in the
files or in other lines, and whoever reads the finding can compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from zlib import crc32

from commonplace.model.operation import GENESIS

if TYPE_CHECKING:
    from commonplace.formats.journal_file import Line
    from commonplace.model.operation import Entry

OPEN = "00000000"
"""What stands where the checksum will be, while it is made."""
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


def troubles(lines: Iterable[tuple[bytes, Line | None]]) -> Iterator[tuple[int, str]]:
    """The lines that cannot be read or are not what was written, by number, and why. A group is named by its last line only
    where none of its others is."""
    group: list[bytes] = []
    is_named = False
    for number, (raw, line) in enumerate(lines, 1):
        if line is None:
            if raw.strip():
                is_named = True
                yield number, "was torn off" if not raw.endswith(b"\n") else "cannot be read"
            continue
        if not _is_as_written(raw, line, group) and not (is_named and line.commit):
            is_named = True
            yield number, "is not what was written"
        if line.commit is not None or line.book is not None:
            group, is_named = [], False
        else:
            group.append(raw)


def _is_as_written(raw: bytes, line: Line, group: list[bytes]) -> bool:
    if line.journal is not None:
        return line.journal.is_sound()
    if line.commit is not None:
        return is_sealed(raw, group[-line.commit.lines :] if line.commit.lines else ())
    return line.book is None or is_sealed(raw)


def is_whole(chain: Iterable[Entry]) -> bool:
    """Does every entry follow the one before it, and is each what was written?"""
    prev, seq = GENESIS, 0
    for entry in chain:
        if entry.seq != seq + 1 or entry.prev != prev or not entry.is_sound():
            return False
        prev, seq = entry.hash, entry.seq
    return True
