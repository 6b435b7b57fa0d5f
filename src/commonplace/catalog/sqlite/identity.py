"""Is this file a book, is it one that this version reads, and is the log beside it its own? Asked before anything is touched."""

from __future__ import annotations

import os
import stat

import apsw

from commonplace.catalog.sqlite import schema
from commonplace.catalog.sqlite.driver import connect
from commonplace.catalog.sqlite.failures import translated
from commonplace.catalog.sqlite.turnstile import Witness
from commonplace.errors import CorruptError, UnavailableError


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

    alone = connect(path, immutable=True)
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
