"""The connections to one book's file: one per thread, reopened after a fork, after an error, and when a disk comes back."""

from __future__ import annotations

import os
import threading

import apsw

from commonplace.catalog.sqlite.driver import configure, connect
from commonplace.catalog.sqlite.failures import in_our_words, why_not
from commonplace.catalog.sqlite.identity import check_version
from commonplace.errors import UnavailableError


class Connections:
    """One connection per thread to one file; after a fork the child gets its own and never touches its parent's."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._identity = _inode(path)
        self._local = threading.local()
        self._all: list[tuple[threading.Thread, apsw.Connection]] = []
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
            with self._lock:
                self._all = [held for held in self._all if held[1] is not connection]
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
            for _, connection in self._all if mine else ():
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
            ended = [one for thread, one in self._all if not thread.is_alive()]
            self._all = [held for held in self._all if held[1] not in ended]
            self._all.append((threading.current_thread(), connection))
        for one in ended:  # a connection is two open files, and threads come and go
            self._close(one)
        return connection

    def _after_fork(self) -> None:
        # Closing the parent's connections here would drop or reset what the parent still uses; they are only forgotten.
        _inherited.extend(connection for _, connection in self._all)
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
        connection = connect(path, writable=True)
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


def open_readable(path: str) -> apsw.Connection | None:
    """On a read-only or full disk: a connection that can at least read; None if not even that.

    Without the right to write, SQLite cannot share the log's index; if there is no log, the file alone is the truth.
    """
    log = path + "-wal"
    whole = not os.path.exists(log) or os.path.getsize(log) == 0
    try:
        connection = connect(path, immutable=whole)
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
