"""How SQLite is spoken to: one driver, new enough, every connection opened and configured the same way."""

from __future__ import annotations

import apsw

from commonplace import settings
from commonplace.errors import UnavailableError

_FLAGS = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX


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


def connect(path: str, *, writable: bool = False, immutable: bool = False) -> apsw.Connection:
    """A bare connection to an existing file. `immutable` reads the file alone: no lock, no log, nothing touched."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    mode = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    return apsw.Connection(f"file:{quoted}{'?immutable=1' if immutable else ''}", flags=_FLAGS | mode)


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
