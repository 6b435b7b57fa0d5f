"""The one way to write a file durably: a temporary file beside the target, flushed, renamed, and the folder flushed too."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import BinaryIO

from commonplace import settings
from commonplace.errors import CommonplaceError, ConflictError, InvalidError, TooLargeError, UnavailableError


@contextmanager
def atomic_write(path: str, *, replace: bool = False) -> Iterator[BinaryIO]:
    """A file that appears at `path` whole and flushed when the block ends, or not at all.

    Without `replace` an existing file is never touched. The file is the user's alone (0600).
    """
    if not replace and os.path.lexists(path):
        raise ConflictError("the file exists already", where=path, hint="Name a new file.")
    partial = partial_name(path)
    with in_our_words(path):
        fd = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with in_our_words(path):
            # The file is closed inside: closing writes what is left in the buffer, and that may fail too.
            with os.fdopen(fd, "wb", buffering=1 << 20) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            put_in_place(partial, path, replace=replace)
    finally:
        remove(partial)


def partial_name(path: str) -> str:
    """A name beside `path` that nobody else has. It is never longer than a name can be, however long the file's own is."""
    folder, name = os.path.split(path)
    short = name if len(os.fsencode(name)) <= 200 else sha256(os.fsencode(name)).hexdigest()
    return os.path.join(folder, f"{short}.partial-{os.getpid()}-{os.urandom(4).hex()}")


def is_partial(name: str) -> bool:
    """Is this file one that somebody is writing, or left when they were killed?"""
    return ".partial-" in name and re.search(r"\.partial-\d+-[0-9a-f]{8}(-held)?$", name) is not None


def put_in_place(finished: str, path: str, *, replace: bool = False) -> None:
    """Give a flushed file its name. Unlike a rename, a link never replaces what another process put there meanwhile."""
    if replace:
        os.replace(finished, path)
    else:
        os.link(finished, path)
    flush_folder(path)


def remove(leftover: str) -> None:
    """Clean up as well as one can: a temporary file that stays does no harm, an error here would hide the real one."""
    with suppress(OSError):
        os.unlink(leftover)


def flush_folder(path: str) -> None:
    # A file's name lies in its folder: without this flush it may be gone after a power cut.
    fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def flush_file(path: str) -> None:
    fd = os.open(path, os.O_RDWR)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


_CODES = {
    27: "disk_full",
    28: "disk_full",
    122: "disk_full",
    13: "read_only",
    30: "read_only",
    1: "read_only",
    2: "missing",
}


def unavailable(cause: OSError, path: str) -> UnavailableError:
    return UnavailableError(
        f"the file cannot be written or read ({cause.strerror})",
        where=path,
        hint="Check the path." if cause.errno == 2 else "Check that it is yours to use, and that the disk has room.",
        code=_CODES.get(cause.errno or 0, "io_error"),
    )


@contextmanager
def in_our_words(path: str) -> Iterator[None]:
    try:
        yield
    except CommonplaceError:  # said already, perhaps by an error that is an OSError as well
        raise
    except FileExistsError as cause:
        raise ConflictError("the file exists already", where=path, hint="Name a new file.") from cause
    except OSError as cause:
        raise unavailable(cause, path) from cause


class LocalFiles:
    """The files of this machine, as `seam.files.Files` promises them."""

    @contextmanager
    def writing(self, path: str) -> Iterator[BinaryIO]:
        with atomic_write(os.path.expanduser(path)) as file:
            yield file

    @contextmanager
    def reading(self, path: str) -> Iterator[BinaryIO]:
        with in_our_words(path):
            # Not waiting: a pipe that nobody writes to would otherwise be opened for ever.
            fd = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            refuse_odd(fd, path)
            with open(fd, "rb", buffering=1 << 20, closefd=False) as file, in_our_words(path):
                yield file
        finally:
            with suppress(OSError):  # it was only read: whatever closing has to say changes nothing
                os.close(fd)


def refuse_odd(fd: int, path: str) -> None:
    """Only a file, and one of a size that can be: not a folder, a pipe, a device."""
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise InvalidError("this is not a file", where=path, hint="Name a file.")
    if found.st_size > settings.MAX_IMPORT_BYTES:
        raise TooLargeError(f"the file is larger than {settings.MAX_IMPORT_BYTES} bytes", where=path)
