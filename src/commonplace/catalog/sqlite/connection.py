"""How a book's file is opened: checked, configured, one connection per thread, and SQLite's errors put into our words."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from commonplace import settings
from commonplace.catalog.sqlite import schema
from commonplace.catalog.sqlite.turnstile import Witness
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
    if _size_of(path) == 0:
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


def _size_of(path: str) -> int:
    try:
        found = os.stat(path)
    except OSError as cause:
        raise UnavailableError(
            f"the book's file cannot be looked at ({cause.strerror})",
            where=path,
            hint="Check the path.",
            code="io_error",
        ) from cause
    if not stat.S_ISREG(found.st_mode):
        raise UnavailableError("this is not a file", where=path, hint="Name a file.", code="foreign")
    return found.st_size


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
        """For reading: one that can write too, if there can be one."""
        if self._pid != os.getpid():
            self._after_fork()
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None or (self._local.seen and self._local.seen != _looks(self.path)):
            self.drop()
            connection = self._open()
        return connection

    def get_writable(self) -> apsw.Connection:
        """For writing. What could only read before may be able to write by now; if not, the error says why."""
        connection = self.get()
        if self._local.seen:
            self.drop()
            connection = self._keep(open_writable(self.path))
        return connection

    def drop(self) -> None:
        """What this thread's connection believes can no longer be trusted; the next use reads from disk."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        self._local.connection, self._local.seen = None, None
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
        try:
            return self._keep(open_writable(self.path))
        except UnavailableError:
            readable = open_readable(self.path)
            if readable is None:
                raise
            # It does not see what others write from now on, so remember how the files look and look again each time.
            return self._keep(readable, _looks(self.path))

    def _keep(self, connection: apsw.Connection, seen: tuple[int, ...] | None = None) -> apsw.Connection:
        self._local.connection, self._local.seen = connection, seen
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


def open_writable(path: str) -> apsw.Connection:
    """A configured connection that can write. Raises, in our words, when there can be none now."""
    connection: apsw.Connection | None = None
    try:
        connection = apsw.Connection(file_url(path), flags=_READ_WRITE)
        configure(connection)
        _ensure_log(connection, path)
        check_version(connection.pragma("user_version"), path)
    except BaseException as cause:
        errno = why_not(connection, path)
        if connection:
            connection.close()
        if isinstance(cause, apsw.Error):
            raise in_our_words(cause, path, errno) from cause
        raise
    return connection


def why_not(connection: apsw.Connection | None, path: str) -> int:
    """What the operating system said when a file could not be opened. SQLite tries further and forgets; so ask again."""
    if connection and connection.system_errno in _BY_ERRNO:
        return connection.system_errno
    if connection and connection.readonly("main"):
        return _EROFS
    probe = f"{path}.probe-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
        os.unlink(probe)
    except OSError as cause:
        return cause.errno or 0
    return 0


def open_readable(path: str) -> apsw.Connection | None:
    """On a read-only or full disk: a connection that can at least read; None if not even that.

    Without the right to write, SQLite cannot share the log's index; if there is no log, the file alone is the truth.
    """
    log = path + "-wal"
    whole = not os.path.exists(log) or os.path.getsize(log) == 0
    try:
        connection = apsw.Connection(file_url(path, **({"immutable": "1"} if whole else {})), flags=_READ_ONLY)
        configure(connection, writable=False)
        check_version(connection.pragma("user_version"), path)
    except apsw.Error:
        return None
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


def check_log(connection: apsw.Connection, path: str, witness: Witness) -> str:
    """The book's id. If a log lies beside the file, first make sure that it is this book's own log: SQLite would
    replay another book's, and on closing copy it into this one."""
    log = path + "-wal"
    if not os.path.exists(log) or os.path.getsize(log) == 0:
        return str(connection.execute("SELECT value FROM book WHERE key = 'id'").get)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    try:
        connection.execute("BEGIN")  # one moment: others may be writing
        found = str(connection.execute("SELECT value FROM book WHERE key = 'id'").get)
        sound = _tail_is_sound(connection) and _agrees(connection, path, found, witness)
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, CorruptError, UnicodeDecodeError) as cause:
        raise _foreign_log(log) from cause
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    if not sound:
        raise _foreign_log(log)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    return found


def _agrees(connection: apsw.Connection, path: str, book_id: str, witness: Witness) -> bool:
    """Is the last operation that was acknowledged here the one the book holds under that number?

    If it is missing, the log may only be damaged, and what is left of it goes on from the file; or it is another book's.
    """
    from commonplace.catalog.sqlite import journal

    if not witness.book_id or not witness.seq:
        return True
    known = journal.hash_of(connection, witness.seq)
    if known is None:
        return _goes_on_from_file(connection, path)
    return book_id == witness.book_id and witness.matches(known)


def _goes_on_from_file(connection: apsw.Connection, path: str) -> bool:
    """Is the last operation that the file holds without its log still there with it?"""
    from commonplace.catalog.sqlite import journal

    alone = apsw.Connection(file_url(path, immutable="1"), flags=_READ_ONLY)
    try:
        last = journal.tail(alone, 1)
    except (apsw.Error, CorruptError, UnicodeDecodeError):
        return True  # the log was being copied back when somebody stopped: the file alone is no witness
    finally:
        alone.close()
    return not last or journal.hash_of(connection, last[0].seq) == last[0].hash


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


def _looks(path: str) -> tuple[int, ...]:
    """Size and time of change of the file and its log."""
    looks: list[int] = []
    for name in (path, path + "-wal"):
        try:
            found = os.stat(name)
            looks += [found.st_size, found.st_mtime_ns]
        except OSError:
            looks += [-1, -1]
    return tuple(looks)


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
