"""Receipts in the book: kept beside the journal, not in it, because looking changes nothing. The oldest make room.

There is one for every search, and most of its words are the same in all of them. So it lies deflated, with those words known
beforehand (`deflated.py`): a fifth of its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw
import msgspec

from commonplace.catalog.sqlite import deflated
from commonplace.errors import InvalidError
from commonplace.model.base import taken_apart, to_micros
from commonplace.model.receipt import Moment, Receipt

# So many go at once when there are too many: a search should not pay for the oldest receipt each time.
_AT_ONCE = 100
# And so many wait until they can be found by their memories: to note one receipt's touches as many pages as it names memories.
_WAITING = 64
_INSERT = "INSERT OR IGNORE INTO retrieval_logs (id, at, moment, query, session, receipt) VALUES (?, ?, ?, ?, ?, ?)"


def keep(db: apsw.Connection, receipts: Sequence[Receipt], most: int) -> None:
    """Write these down; of more than `most`, the oldest are let go."""
    upto = _upto(db)
    late = [n for n in [_written(db, receipt) for receipt in receipts] if n <= upto]
    if late:  # the others of its time are taken in; a number is free again once the last receipt was let go
        _note(db, late)
    if db.execute("SELECT 1 FROM retrieval_logs WHERE n > ? LIMIT 1 OFFSET ?", (upto, _WAITING - 1)).get:
        take_in(db)
        _make_room(db, most)


def _written(db: apsw.Connection, receipt: Receipt) -> int:
    stored = deflated.deflate(receipt.to_json().encode())
    row = (receipt.id, to_micros(receipt.at), str(receipt.moment), receipt.query, receipt.session, stored)
    db.execute(_INSERT, row)
    return db.last_insert_rowid()


def deflate_all(db: apsw.Connection) -> None:
    """For a book of an older format: its receipts lie there as they were, and nobody knows whom they name."""
    for (n,) in db.execute("SELECT n FROM retrieval_logs WHERE typeof(receipt) = 'text'").fetchall():
        stored: Any = db.execute("SELECT CAST(receipt AS BLOB) FROM retrieval_logs WHERE n = ?", (n,)).get
        db.execute("UPDATE retrieval_logs SET receipt = ? WHERE n = ?", (deflated.deflate(stored), n))
    take_in(db)


def _upto(db: apsw.Connection) -> int:
    """The last receipt that can be found by its memories."""
    return int(db.execute("SELECT value FROM book WHERE key = 'receipts_upto'").get or 0)


def _fresh(db: apsw.Connection) -> list[int]:
    return [row[0] for row in db.execute("SELECT n FROM retrieval_logs WHERE n > ? ORDER BY n", (_upto(db),))]


def take_in(db: apsw.Connection) -> None:
    """From now on those that wait can be found by the memories they name."""
    numbers = _fresh(db)
    if numbers:
        _note(db, numbers)
        db.execute("INSERT OR REPLACE INTO book VALUES ('receipts_upto', ?)", (str(numbers[-1]),))


def _note(db: apsw.Connection, numbers: Iterable[int]) -> None:
    names = {(memory, n) for n in numbers for memory in _memories_of(db, n)}
    db.executemany("INSERT OR IGNORE INTO retrieval_log_memories VALUES (?, ?)", sorted(names))


class _Named(msgspec.Struct):
    memory_id: str


class _Naming(msgspec.Struct):
    """Of a receipt, only whom it names: to take in dozens of them need not understand all the rest."""

    chosen: list[_Named]
    near_misses: list[_Named]


def _memories_of(db: apsw.Connection, n: int) -> set[str]:
    naming = _naming_in(db.execute("SELECT receipt FROM retrieval_logs WHERE n = ?", (n,)).get)
    return {named.memory_id for named in (*naming.chosen, *naming.near_misses)}


def _naming_in(stored: object) -> _Naming:
    found: _Naming
    try:
        found = msgspec.json.decode(deflated.inflate(stored), type=taken_apart(_Naming))
    except (msgspec.DecodeError, ValueError):
        found = _Naming([], [])  # one that cannot be read is as good as none
    return found


def _make_room(db: apsw.Connection, most: int) -> None:
    kept = int(db.execute("SELECT count(*) FROM (SELECT 1 FROM retrieval_logs LIMIT ?)", (most + _AT_ONCE,)).get)
    if kept >= most + _AT_ONCE:
        oldest = [row[0] for row in db.execute("SELECT n FROM retrieval_logs ORDER BY at LIMIT ?", (_AT_ONCE,))]
        for n in oldest:
            forget(db, n)


def forget(db: apsw.Connection, n: int) -> None:
    """Let one receipt go, with what it can be found by."""
    named = _memories_of(db, n)
    db.execute("DELETE FROM retrieval_logs WHERE n = ?", (n,))
    for memory in named:
        db.execute("DELETE FROM retrieval_log_memories WHERE memory_id = ? AND log = ?", (memory, n))


def naming(db: apsw.Connection, memory_id: str) -> list[int]:
    """The receipts that looked at this memory, oldest first."""
    known = [row[0] for row in db.execute("SELECT log FROM retrieval_log_memories WHERE memory_id = ?", (memory_id,))]
    fresh = [n for n in _fresh(db) if memory_id in _memories_of(db, n)]
    return [*sorted(known), *fresh]


def any_handed_over(db: apsw.Connection, memory_id: str) -> bool:
    """All receipts that name it are asked, the newest first: a search that nearly brought it up handed nothing over."""
    numbers = msgspec.json.encode(naming(db, memory_id)[::-1]).decode()
    rows = db.execute(
        "SELECT r.receipt FROM json_each(?) AS j CROSS JOIN retrieval_logs AS r ON r.n = j.value WHERE r.moment <> ?",
        (numbers, str(Moment.SEARCH)),
    )
    return any(memory_id == named.memory_id for (stored,) in rows for named in _naming_in(stored).chosen)


def one(db: apsw.Connection, id: str) -> Receipt | None:
    row = db.execute("SELECT receipt FROM retrieval_logs WHERE id = ?", (id,)).fetchone()
    return _read(row[0]) if row else None


def several(
    db: apsw.Connection, memory_id: str | None, session: str | None, since: datetime | None, limit: int
) -> list[Receipt]:
    """The newest that match, newest first."""
    conditions = ["1"]
    values: list[str | int] = []
    if memory_id is not None:
        conditions.append("r.n IN (SELECT value FROM json_each(?))")
        values.append(msgspec.json.encode(naming(db, memory_id)).decode())
    if session is not None:
        conditions.append("r.session = ?")
        values.append(session)
    if since is not None:
        conditions.append("r.at >= ?")
        values.append(to_micros(since))
    rows = db.execute(
        f"SELECT r.receipt FROM retrieval_logs AS r WHERE {' AND '.join(conditions)} ORDER BY r.at DESC, r.id DESC LIMIT ?",
        (*values, limit),
    )
    return [receipt for row in rows if (receipt := _read(row[0])) is not None]


def _read(stored: object) -> Receipt | None:
    """A receipt that cannot be read is as good as none: nothing depends on it but an explanation."""
    try:
        return Receipt.from_json(deflated.inflate(stored))
    except (InvalidError, ValueError):
        return None
