"""Receipts in the book: kept beside the journal, not in it, because looking changes nothing. The oldest make room.

There is one for every search, and most of its words are the same in all of them. So it lies deflated, with those words known
beforehand (`deflated.py`): a fifth of its length. What it can be found by lies beside it, four bytes for each memory that it
names, in the index of times: to look through all of them takes milliseconds, and an index by memories would touch a page for each
of twenty names at every search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any
from zlib import crc32

import apsw

from commonplace.catalog.sqlite import deflated
from commonplace.errors import InvalidError
from commonplace.model.base import to_micros
from commonplace.model.receipt import Moment, Receipt

# Making room costs a search something, so it is done for many at once; and every so often somebody looks whether it is time.
_AT_ONCE = 100
_EVERY = 64
_INSERT = (
    "INSERT OR IGNORE INTO retrieval_logs (id, at, moment, query, session, names, receipt) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def keep(db: apsw.Connection, receipts: Sequence[Receipt], most: int) -> None:
    """Write these down; of more than `most`, the oldest are let go."""
    for receipt in receipts:
        db.execute(_INSERT, _row(receipt))
        if db.last_insert_rowid() % _EVERY == 0:
            _make_room(db, most)


def _row(receipt: Receipt) -> tuple[Any, ...]:
    stored = deflated.deflate(receipt.to_bytes())
    at, moment, names = to_micros(receipt.at), str(receipt.moment), _marks(receipt.names())
    return (receipt.id, at, moment, receipt.query, receipt.session, names, stored)


def _marks(memory_ids: Iterable[str]) -> bytes:
    """By which it is found. Two memories may share one, so whoever finds a receipt looks whom it names."""
    return b"".join([mark_of(id) for id in memory_ids])


def mark_of(memory_id: str) -> bytes:
    return crc32(memory_id.encode()).to_bytes(4, "little")


def deflate_all(db: apsw.Connection) -> None:
    """For a book of an older format: its receipts lie there as they were, and nobody knows whom they name. One that cannot be
    understood goes: a purge would not find it."""
    for (n,) in db.execute("SELECT n FROM retrieval_logs WHERE typeof(receipt) = 'text'").fetchall():
        said: Any = db.execute("SELECT CAST(receipt AS BLOB) FROM retrieval_logs WHERE n = ?", (n,)).get
        receipt = _understood(said)
        if receipt is None:
            db.execute("DELETE FROM retrieval_logs WHERE n = ?", (n,))
        else:
            again = (deflated.deflate(said), _marks(receipt.names()), n)
            db.execute("UPDATE retrieval_logs SET receipt = ?, names = ? WHERE n = ?", again)


def _make_room(db: apsw.Connection, most: int) -> None:
    kept = int(db.execute("SELECT count(*) FROM (SELECT 1 FROM retrieval_logs LIMIT ?)", (most + _AT_ONCE,)).get)
    if kept >= most + _AT_ONCE:
        db.execute(
            "DELETE FROM retrieval_logs WHERE n IN (SELECT n FROM retrieval_logs ORDER BY at LIMIT ?)", (_AT_ONCE,)
        )


def forget_naming(db: apsw.Connection, memory_id: str) -> None:
    """Let those go that looked at this memory; one that cannot be read any more, too."""
    db.execute("DELETE FROM retrieval_logs WHERE instr(names, ?)", (mark_of(memory_id),))


def any_handed_over(db: apsw.Connection, memory_id: str) -> bool:
    """All receipts that name it are asked, the newest first: a search that nearly brought it up handed nothing over."""
    rows = db.execute(
        "SELECT receipt FROM retrieval_logs WHERE instr(names, ?) AND moment <> ? ORDER BY at DESC",
        (mark_of(memory_id), str(Moment.SEARCH)),
    )
    told = (receipt for (stored,) in rows if (receipt := _read(stored)) is not None)
    return any(memory_id == chosen.memory_id for receipt in told for chosen in receipt.chosen)


def one(db: apsw.Connection, id: str) -> Receipt | None:
    row = db.execute("SELECT receipt FROM retrieval_logs WHERE id = ?", (id,)).fetchone()
    return _read(row[0]) if row else None


def several(
    db: apsw.Connection, memory_id: str | None, session: str | None, since: datetime | None, limit: int
) -> list[Receipt]:
    """The newest that match, newest first."""
    checks: dict[str, Any] = {
        "instr(r.names, ?)": mark_of(memory_id) if memory_id is not None else None,
        "r.session = ?": session,
        "r.at >= ?": to_micros(since) if since is not None else None,
    }
    asked = {check: value for check, value in checks.items() if value is not None}
    rows = db.execute(
        f"SELECT r.receipt FROM retrieval_logs AS r WHERE {' AND '.join(asked) or '1'} ORDER BY r.at DESC, r.id DESC",
        [*asked.values()],
    )
    return [*islice(_naming(memory_id, (_read(row[0]) for row in rows)), limit)]


def _naming(memory_id: str | None, receipts: Iterable[Receipt | None]) -> Iterator[Receipt]:
    """Those that can be read and name it."""
    for one in receipts:
        if one is not None and (memory_id is None or memory_id in one.names()):
            yield one


def _read(stored: object) -> Receipt | None:
    """A receipt that cannot be read is as good as none: nothing depends on it but an explanation."""
    try:
        return _understood(deflated.inflate(stored))
    except ValueError:
        return None


def _understood(said: bytes) -> Receipt | None:
    try:
        return Receipt.from_json(said)
    except (InvalidError, ValueError):
        return None
