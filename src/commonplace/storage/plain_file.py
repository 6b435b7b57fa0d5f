"""Opening a file that others can reach too: only a plain file, never through a link, never waiting for a pipe.

Whoever can write to a folder can put a link or a pipe where a file is expected. So every file of a book is opened here:
a link at its name is refused rather than followed, and what is not a file is refused rather than read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.errors import InvalidError
from commonplace.storage.atomic_write import in_our_words

_ALWAYS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_plain(path: str, flags: int, mode: int = 0o600) -> int:
    """A descriptor of the plain file at `path`. `FileNotFoundError` passes through, for callers to whom that is an answer."""
    try:
        fd = os.open(path, flags | _ALWAYS, mode)
    except OSError as cause:
        if cause.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
            raise not_plain(path) from cause
        raise
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise not_plain(path)


@contextmanager
def opened(path: str, flags: int = os.O_RDONLY) -> Iterator[int]:
    """The same for the length of a block, with the family's errors."""
    with in_our_words(path):
        fd = open_plain(path, flags)
        try:
            yield fd
        finally:
            os.close(fd)


def not_plain(path: str) -> InvalidError:
    return InvalidError(
        "a link, a folder or a device stands where a file is expected",
        where=path,
        hint="Look at it, and move it away if it is not yours.",
        code="unsafe_path",
    )


def sha256_of(path: str) -> str | None:
    """The file's hash in hex, read piece by piece; None if there is no file."""
    with in_our_words(path):
        try:
            fd = open_plain(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            return _sha256(fd)
        finally:
            os.close(fd)


def _sha256(fd: int) -> str:
    seen = hashlib.sha256()
    while piece := os.read(fd, 1 << 20):
        seen.update(piece)
    return seen.hexdigest()
