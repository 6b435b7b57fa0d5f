"""What the journal was last known to say, in a small file beside it: a journal that was cut cannot tell that by itself.

Written after the journal was flushed and never flushed itself, so it is never ahead of a sound journal, whatever the power does.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

from commonplace.errors import CommonplaceError
from commonplace.storage.plain_file import open_plain

_BYTES = 200


class Witness(NamedTuple):
    """How far a book's journal has been, and how many of its entries were missing when it was written to again."""

    book_id: str = ""
    seq: int = 0
    lost: int = 0

    def saw(self, book_id: str, before: int, now: int) -> Witness:
        """The journal of this book reached from `before` to `now`."""
        lost = self.lost_at(book_id, before)
        return Witness(book_id, now, lost)

    def lost_at(self, book_id: str, seq: int) -> int:
        return self.lost + max(self.seq - seq, 0) if book_id == self.book_id else 0


def testify(path: str, witness: Witness) -> None:
    """As well as one can: what it is about has happened already."""
    text = f"{witness.book_id} {witness.seq:020} {witness.lost:020}"
    with suppress(OSError, CommonplaceError):
        fd = open_plain(path, os.O_WRONLY | os.O_CREAT)
        try:
            os.pwrite(fd, f"{text} {crc32(text.encode()):08x}\n".encode(), 0)
        finally:
            os.close(fd)


def witness(path: str) -> Witness:
    """What was noted; nothing, if it is not there or cannot be read."""
    with suppress(OSError, CommonplaceError, ValueError):
        fd = open_plain(path, os.O_RDONLY)
        try:
            text, check = os.read(fd, _BYTES).decode("ascii").rstrip("\n").rsplit(" ", 1)
        finally:
            os.close(fd)
        book_id, seq, lost = text.split(" ")
        if check == f"{crc32(text.encode()):08x}":
            return Witness(book_id, int(seq), int(lost))
    return Witness()
