"""How a book's file comes to be and grows: created whole or not at all, and backed up before each change of format."""

from __future__ import annotations

import os
import time

import apsw

from commonplace.catalog.sqlite import inventory, schema
from commonplace.catalog.sqlite.connection import Connections
from commonplace.catalog.sqlite.driver import configure, connect, run
from commonplace.catalog.sqlite.failures import in_our_words as in_words
from commonplace.catalog.sqlite.failures import translated, why_not
from commonplace.catalog.sqlite.turnstile import Turnstile, Witness
from commonplace.errors import LockedError, UnavailableError
from commonplace.model.ids import new_id
from commonplace.storage.atomic_write import flush_file, in_our_words, put_in_place, remove, unavailable
from commonplace.storage.folders import make_folder

Origin = tuple[str, str] | None


def create(path: str, turnstile: Turnstile, *, create: bool, timeout: float, origin: Origin = None) -> None:
    """Make a new book under another name and put it in place in one step, so that nobody ever sees half of one."""
    folder = os.path.dirname(path) or "."
    if not create:
        _refuse_amnesia(path, turnstile, create=create)
        return
    try:
        make_folder(folder)
        entered = turnstile.enter(timeout)
    except OSError as cause:
        raise unavailable(cause, folder) from cause
    if not entered:
        raise LockedError("another process is creating the book", where=path)
    try:
        if not os.path.lexists(path):
            if origin is None:  # what is derived may be missing: it can be made anew
                _refuse_amnesia(path, turnstile, create=create)
            turnstile.testify(Witness().saw(_build(path, origin), 0, None))
    except OSError as cause:
        raise unavailable(cause, folder) from cause
    finally:
        turnstile.leave()


def _refuse_amnesia(path: str, turnstile: Turnstile, *, create: bool) -> None:
    """A missing book is only a new book if nothing says that there was one."""
    lost = bool(turnstile.witness().book_id) or os.path.exists(path + "-wal")
    if os.path.lexists(path):
        return  # somebody put it in place just now
    if lost or not create:
        raise UnavailableError(
            "the book's file is missing" + (", but it was here before" if lost else ""),
            where=path,
            hint=f"Restore it from a backup; to begin a new book here, delete {os.path.basename(path)}.lock first."
            if lost
            else "Check the path; `commonplace save` creates a book.",
            code="missing",
        )


def _build(path: str, origin: Origin) -> str:
    """A complete, closed, flushed file, then linked to its name; returns the new book's id."""
    fresh = f"{path}.new-{os.getpid()}-{os.urandom(4).hex()}"
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    try:
        book_id = _lay_out(fresh, path, origin)
        put_in_place(fresh, path)
    finally:
        for leftover in (fresh, fresh + "-journal", fresh + "-wal", fresh + "-shm"):
            remove(leftover)
    return book_id


def _lay_out(path: str, named: str, origin: Origin) -> str:
    """The tables and the book's own facts; errors are about the file as it will be named."""
    book_id, tombstone_key = origin or (new_id(), os.urandom(32).hex())
    with translated(named):
        db = connect(path, writable=True)
    try:
        configure(db)
        run(db, f"PRAGMA application_id = {schema.APPLICATION_ID}; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE")
        for version in sorted(schema.MIGRATIONS):
            run(db, schema.MIGRATIONS[version])
        facts = {"id": book_id, "created_at": str(time.time_ns() // 1000), "tombstone_key": tombstone_key}
        for key, value in facts.items():
            db.execute("INSERT INTO book VALUES (?, ?)", (key, value))
        if origin is not None:
            inventory.lay_out(db)
        run(db, f"PRAGMA user_version = {schema.VERSION}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    except apsw.Error as cause:
        raise in_words(cause, named, why_not(db, path)) from cause
    finally:
        db.close()
    flush_file(path)
    return book_id


def upgrade(path: str, connections: Connections, turnstile: Turnstile, timeout: float, *, copied: bool) -> int:
    """Bring an older book to this version: a verified copy first, then all steps in one transaction. What is derived is not
    `copied`: it can be made anew, and a copy would keep what is purged later."""
    if not turnstile.enter(timeout):
        raise LockedError("another process is upgrading the book", where=path)
    try:
        db = connections.get()
        found: int = db.pragma("user_version")
        if found >= schema.VERSION:
            return found
        if copied:
            stamp = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(2).hex()}"
            copy_to(db, f"{path}.backup-v{found}-{stamp}")
        db.execute("BEGIN IMMEDIATE")
        try:
            for version in range(found + 1, schema.VERSION + 1):
                run(db, schema.MIGRATIONS[version])
                _fill(db, version)
            run(db, f"PRAGMA user_version = {schema.VERSION}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
                connections.drop()  # a step may have been cut off with the schema open for writing
        return schema.VERSION
    finally:
        turnstile.leave()


def _fill(db: apsw.Connection, version: int) -> None:
    """What a step cannot say in SQL. A new book has nothing to fill."""
    if version == 2:
        from commonplace.catalog.sqlite import fresh

        fresh.rebuild(db)
    if version == 6:
        from commonplace.catalog.sqlite import receipts

        receipts.deflate_all(db)


def backups(path: str) -> list[str]:
    """The copies that upgrades left beside a book."""
    folder, name = os.path.split(path)
    with in_our_words(folder):
        return sorted(other for other in os.listdir(folder or ".") if other.startswith(name + ".backup-v"))


def _make_wal(path: str, named: str) -> None:
    """A copy is born without a log; a book has one."""
    copy = connect(path, writable=True)
    try:
        run(copy, "PRAGMA journal_mode = WAL")
    except apsw.Error as cause:
        raise in_words(cause, named, why_not(copy, path)) from cause  # only this connection knows what the system said
    finally:
        copy.close()


def copy_to(db: apsw.Connection, target: str) -> None:
    """A compact, consistent, flushed copy at `target`, made while others go on writing."""
    partial = f"{target}.partial-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        db.execute("VACUUM INTO ?", (partial,))
        _make_wal(partial, target)
        flush_file(partial)
        put_in_place(partial, target)
    except OSError as cause:
        raise unavailable(cause, target) from cause
    except apsw.Error as cause:
        raise in_words(cause, target, why_not(db, target)) from cause
    finally:
        for leftover in (partial, partial + "-journal", partial + "-wal", partial + "-shm"):
            remove(leftover)
