"""How a book's file is opened: checked, configured, one connection per thread, and SQLite's errors put into our words."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from commonplace import settings
from commonplace.catalog.sqlite import schema
from commonplace.errors import (
    CommonplaceError,
    CorruptError,
    InvalidError,
    LockedError,
    TooLargeError,
    UnavailableError,
)

_READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX
_READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX


def refuse_unsafe_driver(version: str = apsw.sqlite_lib_version()) -> None:
    """SQLite up to 3.51.2 can corrupt a WAL book that several processes write to; 3.44.6 and 3.50.7 carry the fix."""
    parts = tuple(int(part) for part in version.split("."))
    fixed = parts >= (3, 51, 3) or (3, 50, 7) <= parts < (3, 51) or (3, 44, 6) <= parts < (3, 45)
    if not fixed:
        raise UnavailableError(
            f"SQLite {version} has the WAL-reset bug and could corrupt the book",
            hint="Upgrade the driver: pip install --upgrade apsw",
            code="unsafe_driver",
        )


def file_url(path: str, **options: str) -> str:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    query = "&".join(f"{key}={value}" for key, value in options.items())
    return f"file:{quoted}?{query}" if query else f"file:{quoted}"


def run(connection: apsw.Connection, statements: str) -> None:
    """Execute all statements. The driver stops at the first row that nobody fetches, so they are fetched."""
    connection.execute(statements).fetchall()


def configure(connection: apsw.Connection, *, writable: bool = True) -> apsw.Connection:
    """The settings every connection of ours has; each is a promise of docs/format/sqlite.md."""
    connection.set_busy_timeout(int(settings.BUSY_TIMEOUT_SECONDS * 1000))
    run(
        connection,
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;"
        "PRAGMA cell_size_check = ON; PRAGMA cache_size = -8000",
    )
    if writable:
        run(
            connection,
            f"PRAGMA wal_autocheckpoint = {settings.WAL_AUTOCHECKPOINT_PAGES};"
            f"PRAGMA journal_size_limit = {settings.WAL_KEEP_BYTES}",
        )
    return connection


def check_identity(path: str) -> None:
    """Refuse a file that is empty, not SQLite, or another program's, without touching a byte of it."""
    if os.path.getsize(path) == 0:
        hint = "Restore it from a backup; if it never held a book, delete the file."
        raise CorruptError("the book's file is empty", where=path, hint=hint)
    header = _read_header(path)
    if header[:16] != b"SQLite format 3\0":
        raise CorruptError("the book's file is damaged or not a database", where=path)
    if int.from_bytes(header[68:72]) != schema.APPLICATION_ID:
        raise UnavailableError(
            "this is an SQLite file, but not a book of Commonplace; it was left untouched",
            where=path,
            hint="Name another file: `-b sqlite:PATH`.",
            code="foreign",
        )
    check_version(int.from_bytes(header[60:64]), path)


def _read_header(path: str) -> bytes:
    """The first hundred bytes. Only those: while somebody copies the log back, the file alone may be half a database.

    Read through SQLite's own file layer, because to close a file of one's own would drop this process's locks on it.
    """
    with translated(path):
        file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
        try:
            return file.xRead(100, 0)
        finally:
            file.xClose()


def check_version(found: int, path: str) -> None:
    if found > schema.VERSION:
        raise UnavailableError(
            f"the book has format {found}, this version of Commonplace reads up to {schema.VERSION}; it was left untouched",
            where=path,
            hint="Upgrade: pip install --upgrade commonplace",
            code="newer",
        )


class Connections:
    """One connection per thread to one file; after a fork the child gets its own and never touches its parent's."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._identity = _inode(path)
        self._local = threading.local()
        self._all: list[apsw.Connection] = []
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def get(self) -> apsw.Connection:
        if self._pid != os.getpid():
            self._after_fork()
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
        return connection

    def drop(self) -> None:
        """After an I/O error: what this connection believes can no longer be trusted; the next use reads from disk."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            self._close(connection)

    def check_in_place(self) -> None:
        """The file must still be the one we opened: writing to a moved or replaced book would split it in two."""
        if _inode(self.path) != self._identity:
            raise UnavailableError(
                "the book's file was moved, replaced or deleted while it was open",
                where=self.path,
                hint="Put it back, or open it where it is now.",
                code="missing",
            )

    def close(self) -> None:
        with self._lock:
            mine = self._pid == os.getpid()
            for connection in self._all if mine else ():
                self._close(connection)
            self._all.clear()
            self._local = threading.local()

    def _open(self) -> apsw.Connection:
        self.check_in_place()
        connection = open_file(self.path)
        with self._lock:
            self._all.append(connection)
        return connection

    def _after_fork(self) -> None:
        # Closing the parent's connections here would drop or reset what the parent still uses; they are only forgotten.
        _inherited.extend(self._all)
        self._all, self._local, self._lock = [], threading.local(), threading.Lock()
        self._pid = os.getpid()

    @staticmethod
    def _close(connection: apsw.Connection) -> None:
        try:
            connection.close(True)
        except apsw.Error:
            return  # a connection that fails to close has nothing of ours that is not on disk already


_inherited: list[apsw.Connection] = []


def open_file(path: str) -> apsw.Connection:
    """A configured connection; on a read-only medium one that can at least read."""
    with translated(path):
        try:
            return _checked(apsw.Connection(file_url(path), flags=_READ_WRITE), path, writable=True)
        except (apsw.ReadOnlyError, apsw.CantOpenError):
            return _open_unwritable(path)


def _open_unwritable(path: str) -> apsw.Connection:
    """Without the right to write, SQLite cannot share the log's index; if there is no log, the file alone is the truth."""
    log = path + "-wal"
    whole = not os.path.exists(log) or os.path.getsize(log) == 0
    connection = apsw.Connection(file_url(path, **({"immutable": "1"} if whole else {})), flags=_READ_ONLY)
    return _checked(connection, path, writable=False)


def _checked(connection: apsw.Connection, path: str, *, writable: bool) -> apsw.Connection:
    try:
        configure(connection, writable=writable)
        if writable:
            _ensure_log(connection, path)
        check_version(connection.pragma("user_version"), path)
    except BaseException:
        connection.close()
        raise
    return connection


def _ensure_log(connection: apsw.Connection, path: str) -> None:
    """A book writes ahead into a log; a copy that came without one gets one."""
    if connection.pragma("journal_mode") != "wal" and connection.pragma("journal_mode", "wal") != "wal":
        raise UnavailableError(
            "this file system cannot hold a book: SQLite cannot share its log there",
            where=path,
            hint="Put the book on a local disk.",
            code="unsupported",
        )


def check_log(connection: apsw.Connection, path: str, expected_id: str) -> str:
    """The book's id. If a log lies beside the file, first make sure that it is this book's own log: SQLite would
    replay another book's, and on closing copy it into this one."""
    log = path + "-wal"
    if not os.path.exists(log) or os.path.getsize(log) == 0:
        return str(connection.execute("SELECT value FROM book WHERE key = 'id'").get)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    try:
        connection.execute("BEGIN")  # one moment: others may be writing
        found = str(connection.execute("SELECT value FROM book WHERE key = 'id'").get)
        sound = (not expected_id or found == expected_id) and _tail_is_sound(connection)
    except (apsw.Error, UnicodeDecodeError, TypeError, ValueError) as cause:
        raise _foreign_log(log) from cause
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    if not sound:
        raise _foreign_log(log)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    return found


def _tail_is_sound(connection: apsw.Connection) -> bool:
    """Does the end of the journal hold together?"""
    from commonplace.catalog.sqlite import journal

    last = journal.tail(connection, 2)
    if last and last[-1].seq != journal.highest(connection):
        return False
    joined = len(last) < 2 or last[1].prev == last[0].hash
    return joined and all(entry.is_sound() for entry in last)


def _foreign_log(log: str) -> CorruptError:
    return CorruptError(
        "the log beside the book is not this book's, or is damaged; nothing was changed",
        where=log,
        hint="Move it away (keep it), then open the book again; `commonplace verify` tells what is missing.",
    )


def _inode(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """SQLite's errors in our words. Messages are ours: SQLite's could quote a statement's values."""
    try:
        yield
    except apsw.Error as cause:
        raise in_our_words(cause, path) from cause


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


# No space, no quota; not permitted, no access, read-only file system.
_BY_ERRNO: dict[int, type[apsw.Error]] = {
    28: apsw.FullError,
    122: apsw.FullError,
    1: apsw.ReadOnlyError,
    13: apsw.ReadOnlyError,
    30: apsw.ReadOnlyError,
}
_WORDS = (
    ((apsw.BusyError, apsw.LockedError), _locked),
    ((apsw.CorruptError, apsw.NotADBError, apsw.FormatError), _corrupt),
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
