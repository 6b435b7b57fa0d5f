"""Looking for damage in a book's file. What is found is said; nothing here raises on what it finds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import apsw

from commonplace.catalog.sqlite import embedding, facets, fresh, fulltext
from commonplace.catalog.sqlite.connection import Connections
from commonplace.catalog.sqlite.driver import run
from commonplace.errors import CommonplaceError
from commonplace.model.finding import Finding, Severity
from commonplace.seam.terms import Progress

_RESTORE = "Keep the damaged file; export what can be read (`commonplace export`), or restore a backup."


def examine(path: str, connections: Connections, *, full: bool, progress: Progress | None) -> Iterator[Finding]:
    steps = (_structure, _indexes, _permissions, _surroundings) if full else (_quick, _permissions, _surroundings)
    said: set[str] = set()
    for done, step in enumerate(steps):
        if progress:
            progress(done, len(steps))
        try:
            for finding in step(path, connections.get()):
                if finding.message not in said:
                    said.add(finding.message)
                    yield finding
        except (apsw.Error, CommonplaceError, OSError) as cause:
            yield Finding(
                code="unreadable", message=f"could not look: {type(cause).__name__}", where=path, hint=_RESTORE
            )
    if progress:
        progress(len(steps), len(steps))


def _quick(path: str, db: apsw.Connection) -> Iterator[Finding]:
    """Page structure only; does not compare indexes with their tables."""
    return _complaints(db, "PRAGMA quick_check(20)", path)


def _structure(path: str, db: apsw.Connection) -> Iterator[Finding]:
    """Every page, every row, every index entry."""
    return _complaints(db, "PRAGMA integrity_check(20)", path)


def _complaints(db: apsw.Connection, check: str, path: str) -> Iterator[Finding]:
    for (said,) in db.execute(check):
        if "memories_fts" in said or "fts5" in said:
            yield _index_damaged(path)
        elif said != "ok":
            yield Finding(code="damaged", message=f"SQLite: {said[:200]}", where=path, hint=_RESTORE)


def _indexes(path: str, db: apsw.Connection) -> Iterator[Finding]:
    """Are the indexes those of exactly these memories?"""
    try:
        run(db, "BEGIN")  # to be compared, the full text takes in the fresh ones; but looking must not change anything
        if not facets.is_sound(db, fresh.upto(db)):
            yield _index_damaged(path, "the index of the filters")
        if not _holds(embedding.is_sound, db):
            yield _index_damaged(path, "the vectors")
        if not _holds(fulltext.is_sound, db, fresh.upto(db)):
            yield _index_damaged(path)
    except (apsw.BusyError, apsw.ReadOnlyError):
        return  # cannot be compared now
    finally:
        if db.in_transaction:
            run(db, "ROLLBACK")


def _holds(is_sound: Callable[..., bool], *asked: Any) -> bool:
    """Damage that keeps an index from being compared is damage of the index."""
    try:
        return is_sound(*asked)
    except (apsw.CorruptError, apsw.SQLError, UnicodeDecodeError, CommonplaceError):
        return False


def _index_damaged(path: str, which: str = "the full text index") -> Finding:
    return Finding(
        code="index_damaged",
        message=f"{which} does not match the memories; no memory is lost",
        severity=Severity.WARNING,
        where=path,
        hint="Run `commonplace doctor --repair` to make the index anew.",
    )


def _permissions(path: str, _: apsw.Connection) -> Iterator[Finding]:
    if os.name == "posix" and os.stat(path).st_mode & 0o077:
        yield Finding(
            code="readable_by_others",
            message="other users of this machine can read the book",
            severity=Severity.WARNING,
            where=path,
            hint=f"Run: chmod 600 {os.path.basename(path)}",
        )


_SYNCED = ("Dropbox", "OneDrive", "Google Drive", "iCloud", "Nextcloud", "Syncthing")


def _surroundings(path: str, _: apsw.Connection) -> Iterator[Finding]:
    """A sync client copies the file without its log, and so tears it apart; a second SQLite in the process drops our locks."""
    if "_sqlite3" in sys.modules:
        yield Finding(
            code="second_driver",
            message="another SQLite library is loaded in this process; if it opens this book too, locks are lost",
            severity=Severity.WARNING,
            where=path,
            hint="Open the book only through Commonplace.",
        )
    for word in _SYNCED:
        if any(part.startswith(word) for part in path.split(os.sep)):
            yield Finding(
                code="synced_folder",
                message=f"the book lies in a folder that looks synced ({word}); sync clients can damage open databases",
                severity=Severity.WARNING,
                where=path,
                hint="Move the book out of the synced folder; carry it with `export` and `import`.",
            )
