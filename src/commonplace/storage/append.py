"""The one durable way to append to a file of lines, and the one bounded way to read it.

A line stands whole and flushed when `append_line` returns, or not at all. A line that somebody else left without its end
is kept as it is: ours begins on a new one. Callers exclude each other with the book's mutex; an editor or a sync client
does not ask for it, so afterwards the path is looked at again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from commonplace.errors import ConflictError, InvalidError
from commonplace.storage.atomic_write import flush_folder, in_our_words, refuse_odd
from commonplace.storage.plain_file import open_plain, opened
from commonplace.storage.swap import break_links

# Which file each path was when its folder was last flushed by this process: whoever created a file may have been killed
# before its name was safe, so the first append of each process flushes the name too.
_named: dict[str, tuple[int, int]] = {}
_REMEMBERED = 4_096


class Stamp(NamedTuple):
    """How a file looked at one moment: equal stamps mean that nobody touched it."""

    size: int
    mtime_ns: int
    inode: int


class Line(NamedTuple):
    """One line of a file, without its end. A longer one than was asked for is cut to one byte more than the limit."""

    number: int
    raw: bytes
    is_torn: bool
    """The file ends without ending this line: it was cut, or is still being written."""


def append_line(path: str, line: bytes, *, create: bool = True) -> Stamp:
    """Append `line`, which holds no line end, durably. Returns what the file looks like now.

    Raises `ConflictError` if the file was replaced meanwhile: the line then lies in the replaced one. After any other error
    the file is as it was.
    """
    return append_lines(path, [line], create=create)


def append_lines(path: str, lines: list[bytes], *, create: bool = True) -> Stamp:
    """The same for several lines, written together."""
    if any(b"\n" in line for line in lines):
        raise InvalidError("a line of a file cannot hold a line end", where=path)
    text = b"".join(line + b"\n" for line in lines)
    with in_our_words(path):
        fd, created = _open_own(path, create=create)
        try:
            _extend(fd, text, path, created=created)
            return _still_there(fd, path)
        finally:
            os.close(fd)


def _open_own(path: str, *, create: bool) -> tuple[int, bool]:
    """The file, and whether it is new. One that has other names too, perhaps outside the book, is parted from them first."""
    fd, created = _open(path, create=create)
    if os.fstat(fd).st_nlink <= 1:
        return fd, created
    os.close(fd)
    break_links(path)
    return _open(path, create=create)


def _open(path: str, *, create: bool) -> tuple[int, bool]:
    """The file, and whether it is new. Two that create at once are told apart."""
    while True:
        try:
            return open_plain(path, os.O_RDWR | os.O_APPEND), False
        except FileNotFoundError:
            if not create:
                raise
        with suppress(FileExistsError):
            return open_plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL), True


def _extend(fd: int, text: bytes, path: str, *, created: bool) -> None:
    before = os.fstat(fd).st_size
    if text and before and os.pread(fd, 1, before - 1) != b"\n":
        text = b"\n" + text
    written = 0
    try:
        while written < len(text):
            written += os.write(fd, text[written:])
        os.fsync(fd)
        _flush_name(fd, path)
    except BaseException:
        _take_back(fd, before, written)
        if created:
            _forget(fd, path)
        raise


def _flush_name(fd: int, path: str) -> None:
    found = os.fstat(fd)
    if _named.get(path) != (found.st_dev, found.st_ino):
        flush_folder(path)
        if len(_named) >= _REMEMBERED:
            _named.clear()
        _named[path] = (found.st_dev, found.st_ino)


def _take_back(fd: int, before: int, written: int) -> None:
    """Cut off our own bytes, and only those: somebody may have appended behind them without asking."""
    with suppress(OSError):
        if os.fstat(fd).st_size == before + written:
            os.ftruncate(fd, before)
            os.fsync(fd)


def _forget(fd: int, path: str) -> None:
    """A file that was created for a line that did not get in is no file: an empty one would look like a loss."""
    with suppress(OSError):
        if not os.fstat(fd).st_size and os.path.samestat(os.fstat(fd), os.lstat(path)):
            os.unlink(path)


def _still_there(fd: int, path: str) -> Stamp:
    mine = os.fstat(fd)
    with suppress(FileNotFoundError):
        if os.path.samestat(mine, os.lstat(path)):
            return Stamp(mine.st_size, mine.st_mtime_ns, mine.st_ino)
    raise ConflictError(
        "the file was replaced while it was appended to", where=path, hint="Read it again, then append again."
    )


def read_lines(path: str, limit: int) -> Iterator[Line]:
    """The lines of a file, numbered from 1, in bounded memory: no more than `limit` bytes of any line, and one more byte
    where a line is longer, so that the reader can tell. A file that grows meanwhile is read as far as it was."""
    with opened(path) as fd:
        refuse_odd(fd, path)
        with open(fd, "rb", buffering=1 << 16, closefd=False) as file:
            left, number = os.fstat(fd).st_size, 0
            while left > 0 and (raw := file.readline(min(limit + 2, left))):
                left -= len(raw)
                number += 1
                ended = raw.endswith(b"\n")
                while not ended and left > 0 and (rest := file.readline(min(1 << 16, left))):
                    left -= len(rest)
                    ended = rest.endswith(b"\n")
                yield Line(number, raw.removesuffix(b"\n")[: limit + 1], not ended)
