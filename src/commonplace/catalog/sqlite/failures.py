"""What can go wrong with the file, put into our words. Messages are ours: SQLite's could quote a statement's values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from commonplace.errors import (
    CommonplaceError,
    CorruptError,
    InvalidError,
    LockedError,
    TooLargeError,
    UnavailableError,
)


@contextmanager
def translated(path: str) -> Iterator[None]:
    try:
        yield
    except apsw.Error as cause:
        raise in_our_words(cause, path) from cause
    except UnicodeDecodeError as cause:
        raise CorruptError("the book's file holds bytes that are not text", where=path) from cause


def in_our_words(cause: apsw.Error, path: str, errno: int = 0) -> CommonplaceError:
    """`errno` is what the operating system said, where the connection still knows it."""
    if isinstance(cause, (apsw.IOError, apsw.CantOpenError)):
        cause = _BY_ERRNO.get(errno, type(cause))()
    for classes, make in _WORDS:
        if isinstance(cause, classes):
            return make(cause, path)
    return UnavailableError(f"the book's file could not be used ({type(cause).__name__})", where=path, code="io_error")


def _unavailable(code: str, message: str, hint: str) -> type:
    def make(_: apsw.Error, path: str) -> CommonplaceError:
        return UnavailableError(message, where=path, hint=hint, code=code)

    return make  # type: ignore[return-value]


def _locked(_: apsw.Error, path: str) -> CommonplaceError:
    return LockedError("another process is writing to the book", where=path)


def _corrupt(_: apsw.Error, path: str) -> CommonplaceError:
    return CorruptError("the book's file is damaged or not a database", where=path)


def _too_large(_: apsw.Error, path: str) -> CommonplaceError:
    return TooLargeError("a value is larger than the book can hold", where=path)


def _invalid(cause: apsw.Error, path: str) -> CommonplaceError:
    return InvalidError(f"the book refused a value ({type(cause).__name__})", where=path)


_EROFS = 30
# No space, no quota, larger than the limit for files; not permitted, no access, read-only file system.
_BY_ERRNO: dict[int, type[apsw.Error]] = {
    28: apsw.FullError,
    122: apsw.FullError,
    27: apsw.FullError,
    1: apsw.ReadOnlyError,
    13: apsw.ReadOnlyError,
    30: apsw.ReadOnlyError,
}
_WORDS = (
    ((apsw.BusyError, apsw.LockedError), _locked),
    # Our statements are always the same: where one is not understood, the file is not built as it was.
    ((apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.InternalError), _corrupt),
    (
        (apsw.FullError,),
        _unavailable("disk_full", "the disk is full; nothing was changed", "Free some space, then try again."),
    ),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError),
        _unavailable(
            "read_only", "the book cannot be written here; reading goes on", "Check the permissions and the mount."
        ),
    ),
    (
        (apsw.CantOpenError,),
        _unavailable(
            "io_error", "the book's file cannot be opened", "Check that the folder exists and is yours to write."
        ),
    ),
    (
        (apsw.IOError,),
        _unavailable(
            "io_error",
            "the disk reported an error; the change was not acknowledged",
            "Read again to see whether it is there, then check the disk.",
        ),
    ),
    (
        (apsw.NoMemError,),
        _unavailable("out_of_memory", "not enough memory; nothing was changed", "Try a smaller request."),
    ),
    ((apsw.TooBigError,), _too_large),
    ((apsw.ConstraintError, apsw.MismatchError), _invalid),
)


def why_not(connection: apsw.Connection | None, path: str) -> int:
    """What the operating system said when a file could not be opened. SQLite tries further and forgets; so ask again."""
    if connection and connection.system_errno in _BY_ERRNO:
        return connection.system_errno
    if connection and connection.readonly("main"):
        return _EROFS
    probe = f"{path}.probe-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        _try_to_write(probe)
    except OSError as cause:
        return cause.errno or 0
    return 0


def _try_to_write(probe: str) -> None:
    """A page in a file of its own: a name alone costs nothing, so a full disk or a used-up quota would let it pass."""
    fd = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    try:
        os.pwrite(fd, bytes(4096), 0)  # as SQLite writes
        os.fsync(fd)
    finally:
        os.close(fd)
        os.unlink(probe)
