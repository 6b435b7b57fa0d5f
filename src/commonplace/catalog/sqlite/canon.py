"""A `sqlite:` book: the file that is its truth, opened, created, examined, scrubbed and backed up."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING

import apsw

from commonplace.catalog.sqlite import schema
from commonplace.catalog.sqlite.connection import Connections
from commonplace.catalog.sqlite.driver import refuse_unsafe_driver, run
from commonplace.catalog.sqlite.failures import in_our_words, translated, why_not
from commonplace.catalog.sqlite.identity import check_identity, check_log
from commonplace.catalog.sqlite.turn import Turn
from commonplace.catalog.sqlite.turnstile import Turnstile, Witness
from commonplace.catalog.sqlite.view import SqliteView
from commonplace.errors import CommonplaceError, ConflictError, CorruptError, LockedError, UnavailableError
from commonplace.seam.terms import Capabilities, Progress

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.draft import SqliteDraft
    from commonplace.model.finding import Finding


class SqliteCanon:
    """One file, its log beside it, and a lock file for the writers' queue. See `seam.canon.Canon` for the promises."""

    capabilities = Capabilities()

    def __init__(
        self, path: str, *, create: bool = True, timeout: float, origin: tuple[str, str] | None = None
    ) -> None:
        """With an `origin`, the id and the tombstones' key of a file book, this is only the catalog derived from it:
        it may be missing, and is then begun anew."""
        refuse_unsafe_driver()
        self.path = os.path.realpath(path)
        self._turnstile = Turnstile(self.path + ".lock")
        self._writing = threading.local()
        self._said: Witness | None = None
        if not os.path.lexists(self.path):
            from commonplace.catalog.sqlite import migrations

            migrations.create(self.path, self._turnstile, create=create, timeout=timeout, origin=origin)
        check_identity(self.path)
        self._connections = Connections(self.path)
        with translated(self.path):
            self._version = self._connections.get().pragma("user_version")
            if self._version < schema.VERSION:
                from commonplace.catalog.sqlite import migrations

                self._version = migrations.upgrade(
                    self.path, self._connections, self._turnstile, timeout, copied=origin is None
                )
            self._book_id = check_log(self._connections.get(), self.path, self._turnstile.witness())

    @property
    def url(self) -> str:
        return f"sqlite:{self.path}"

    @property
    def book_id(self) -> str:
        return str(self._book_id)

    @property
    def origin(self) -> tuple[str, str]:
        """The book's id and its tombstones' key: what a catalog of the same book must be begun with."""
        with translated(self.path):
            key = self._connections.get().execute("SELECT value FROM book WHERE key = 'tombstone_key'").get
        return self.book_id, str(key)

    def must_be_in_place(self) -> None:
        """The file and its lock must still be those we hold: where they were taken away, others may hold new ones."""
        self._connections.check_in_place()
        if not self._turnstile.is_in_place():
            raise UnavailableError(
                "the book's lock was taken away while it was held",
                where=self._turnstile.path,
                hint="Try again.",
                code="missing",
            )

    def must_have_room(self) -> None:
        """Put what this transaction has changed so far into the log, not valid yet: only the end of it is left to write."""
        db = self._connections.get()
        try:
            db.cache_flush()
        except apsw.Error as cause:
            # Of this call SQLite does not keep what the operating system said, so it is asked again.
            raise in_our_words(cause, self.path, why_not(db, self.path)) from cause
        if _free(self.path) < _ROOM:
            raise in_our_words(apsw.FullError(), self.path)

    @property
    def format_version(self) -> int:
        return int(self._version)

    @contextmanager
    def reading(self) -> Iterator[SqliteView]:
        self._connections.check_in_place()
        db = self._ready()
        if getattr(self._writing, "now", None):  # inside our own `writing`: read what is being written
            yield SqliteView(db)
            return
        try:
            db.execute("BEGIN")
            yield SqliteView(db)
        except (apsw.Error, UnicodeDecodeError) as cause:
            raise self._answer(db, cause) from cause
        finally:
            self._undo(db)

    @contextmanager
    def writing(self, timeout: float, *, durable: bool = True) -> Iterator[SqliteDraft]:
        started = time.monotonic()
        self._connections.check_in_place()
        db = self._ready()
        if db.in_transaction:
            raise ConflictError("this thread is in the middle of another change to the book", hint="Let it end first.")
        db = self._connections.get_writable()
        mine = Turn()
        try:
            self._writing.now = mine
            if not self._enter(timeout):
                raise LockedError(f"other writers held the book for {timeout:g} seconds", where=self.path)
            left = timeout - (time.monotonic() - started)
            db.set_busy_timeout(max(int(left * 1000), 1))
            self._flush_or_not(db, durable)
            db.execute("BEGIN IMMEDIATE")
            draft = _draft_class()(db)
            yield draft
            db.execute("COMMIT")
            self._testify(*draft.last)
        except (apsw.Error, UnicodeDecodeError) as cause:
            raise self._answer(db, cause) from cause
        finally:
            # Unless an interrupt left it open, and a later change has cleared it away already. Marked as over before it is:
            # should an interrupt strike in the next line, `_ready` undoes what is open.
            if self._writing.now is mine:
                self._writing.now = None
                self._undo(db)
                self._turnstile.leave()

    def _flush_or_not(self, db: apsw.Connection, durable: bool) -> None:
        """Whether a commit waits for the disk. An interrupt at any point leaves us on the safe side: what is noted as lax may
        be strict, never the other way round."""
        lax = getattr(self._writing, "lax", False)
        if not durable and not lax:
            self._writing.lax = True
            db.pragma("synchronous", "NORMAL")
        elif durable and lax:
            db.pragma("synchronous", "FULL")
            self._writing.lax = False

    def _ready(self) -> apsw.Connection:
        """This thread's connection, without what an interrupt may have left open on it."""
        db = self._connections.get()
        now = getattr(self._writing, "now", None)
        if not db.in_transaction:
            self._writing.now = None
        elif now is None or not now.is_running():
            self._writing.now = None
            self._undo(db)
        return db

    def _testify(self, seq: int, hash: bytes | None) -> None:
        """After the commit: the lock file knows what was acknowledged, also when the log is lost one day."""
        if seq:
            # If the entry before is our own, nobody else wrote meanwhile, and there is nothing to read.
            known = self._said if self._said and self._said.seq == seq - 1 else self._turnstile.witness()
            self._said = known.saw(self.book_id, seq, hash)
            self._turnstile.testify(self._said)

    def lost(self) -> int:
        witness = self._turnstile.witness()
        if witness.book_id != self.book_id:
            return 0
        with self.reading() as view:
            return witness.lost + max(witness.seq - view.highest_seq(), 0)

    def _enter(self, timeout: float) -> bool:
        if self._turnstile.torn:
            raise UnavailableError(
                "this process was forked while its parent was writing to the book, and cannot write to it",
                hint="Fork when no thread is writing, or start a new process.",
                code="forked",
            )
        try:
            return self._turnstile.enter(timeout)
        except OSError as cause:
            from commonplace.storage.atomic_write import unavailable

            raise unavailable(cause, self._turnstile.path) from cause

    def _answer(self, db: apsw.Connection, cause: apsw.Error | UnicodeDecodeError) -> CommonplaceError:
        """What went wrong, in our words; nothing of it stays half done."""
        if isinstance(cause, UnicodeDecodeError):
            return CorruptError("a row holds bytes that are not text", where=self.path)
        errno = db.system_errno
        self._undo(db)
        if isinstance(cause, (apsw.IOError, apsw.CorruptError)):
            # After a failed flush nobody knows what is on disk: read it again instead of trusting this connection.
            self._connections.drop()
        return in_our_words(cause, self.path, errno)

    @staticmethod
    def _undo(db: apsw.Connection) -> None:
        try:
            if db.in_transaction:
                db.execute("ROLLBACK")
        except apsw.Error:
            return  # SQLite has rolled back by itself

    def examine(self, *, full: bool, progress: Progress | None = None) -> Iterator[Finding]:
        from commonplace.catalog.sqlite import examine

        yield from examine.examine(self.path, self._connections, full=full, progress=progress)

    def rebuild_index(self) -> None:
        from commonplace.catalog.sqlite import fresh

        with self.writing(60.0) as draft:
            fresh.rebuild(draft.connection)
            self._said = Witness().saw(self.book_id, draft.highest_seq(), None)
            self._turnstile.testify(self._said)

    def unsound(self) -> Iterator[Finding]:
        """A view shows the journal itself."""
        yield from ()

    def settle(self, timeout: float) -> None:
        from commonplace.catalog.sqlite import fresh

        db = self._connections.get()
        if db.in_transaction or db.readonly("main"):
            return
        try:
            if fresh.any_waiting(self._ready()):  # one statement is a view by itself
                with self.writing(timeout) as draft:
                    fresh.take_in(draft.connection, fresh.upto(draft.connection))
        except (LockedError, UnavailableError, CorruptError, apsw.Error):
            return  # a search looks through the fresh ones by itself, and meets by itself what is damaged

    def scrub(self, timeout: float) -> list[str]:
        """Rewrite the file without its free space, then cut the log to nothing."""
        from commonplace.catalog.sqlite import migrations

        self._ready()
        try:
            if not self._enter(timeout):
                return [f"free pages: other writers were busy; {_AGAIN}"]
            db = self._connections.get_writable()
            db.set_busy_timeout(int(timeout * 1000))
            with translated(self.path):
                # The copy it makes on the way lies in a file, not in memory: the book may be large.
                run(db, "PRAGMA temp_store = FILE; VACUUM; PRAGMA temp_store = MEMORY")
                busy = (db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (1,))[0]
            left = [f"log: somebody was reading; {_AGAIN}"] if busy else []
            return left + [
                f"backup: {name} is older than the purge; delete it" for name in migrations.backups(self.path)
            ]
        except CommonplaceError as cause:  # what was erased stays erased; only its traces are not all gone
            return [f"free pages: {cause.message}; {_AGAIN}"]
        finally:
            self._turnstile.leave()

    def backup(self, target: str, progress: Progress | None = None) -> SqliteCanon:
        if os.path.lexists(target):
            raise ConflictError("the backup's target exists already", where=target, hint="Name a new file.")
        from commonplace.catalog.sqlite import migrations

        migrations.copy_to(self._connections.get(), target)
        if progress:
            progress(1, 1)
        return SqliteCanon(target, create=False, timeout=1.0)

    def unmake(self, target: str) -> None:
        for ending in ("", "-wal", "-shm", ".lock"):
            with suppress(OSError):
                os.unlink(target + ending)

    def size(self) -> int:
        return sum(os.path.getsize(path) for path in (self.path, self.path + "-wal") if os.path.exists(path))

    def close(self) -> None:
        self._connections.close()
        self._turnstile.close()


@cache
def _draft_class() -> type[SqliteDraft]:
    """What writes is loaded when something is written."""
    from commonplace.catalog.sqlite.draft import SqliteDraft

    return SqliteDraft


def _free(path: str) -> int:
    """Bytes that a user may still write to the disk of this file."""
    from shutil import disk_usage

    return disk_usage(os.path.dirname(path)).free


# What the end of a transaction may take: a few pages of the log, and as much again for its index.
_ROOM = 128 * 1024
_AGAIN = "purge the same id again when nobody else uses the book"
