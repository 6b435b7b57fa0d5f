"""Receipts in the book: kept beside the journal, not in it, because looking changes nothing. The oldest make room."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import apsw
import msgspec

from commonplace.errors import InvalidError
from commonplace.model.base import taken_apart, to_micros
from commonplace.model.receipt import Moment, Receipt

# So many go at once when there are too many: a search should not pay for the oldest receipt each time.
_AT_ONCE = 100
# And so many wait until they can be found by their memories: to note one receipt's touches as many pages as it names memories.
_WAITING = 64


def keep(db: apsw.Connection, receipts: Sequence[Receipt], most: int) -> None:
    """Write these down; of more than `most`, the oldest are let go."""
    for receipt in receipts:
        row = (
            receipt.id,
            to_micros(receipt.at),
            str(receipt.moment),
            receipt.query,
            receipt.to_json(),
            receipt.session,
        )
        db.execute(
            "INSERT OR IGNORE INTO retrieval_logs (id, at, moment, query, receipt, session) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
    upto = _upto(db)
    late = [receipt.id for receipt in receipts if receipt.id <= upto]
    if late:  # the others of its time are taken in
        _note(db, late)
    if db.execute("SELECT 1 FROM retrieval_logs WHERE id > ? LIMIT 1 OFFSET ?", (upto, _WAITING - 1)).get:
        _take_in(db, _fresh(db))
        _make_room(db, most)


def _upto(db: apsw.Connection) -> str:
    """The last receipt that can be found by its memories."""
    return str(db.execute("SELECT value FROM book WHERE key = 'receipts_upto'").get or "")


def _fresh(db: apsw.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT id FROM retrieval_logs WHERE id > ? ORDER BY id", (_upto(db),))]


def _take_in(db: apsw.Connection, ids: list[str]) -> None:
    _note(db, ids)
    db.execute("INSERT OR REPLACE INTO book VALUES ('receipts_upto', ?)", (ids[-1],))


def _note(db: apsw.Connection, ids: list[str]) -> None:
    """From now on these can be found by the memories they name."""
    names = {(memory, id) for id in ids for memory in _memories_of(db, id)}
    db.executemany("INSERT OR IGNORE INTO retrieval_log_memories VALUES (?, ?)", sorted(names))


class _Named(msgspec.Struct):
    memory_id: str


class _Naming(msgspec.Struct):
    """Of a receipt, only whom it names: to take in dozens of them need not understand all the rest."""

    chosen: list[_Named]
    near_misses: list[_Named]


def _memories_of(db: apsw.Connection, id: str) -> set[str]:
    naming = _naming_in(db.execute("SELECT receipt FROM retrieval_logs WHERE id = ?", (id,)).get)
    return {named.memory_id for named in (*naming.chosen, *naming.near_misses)}


def _naming_in(stored: str | bytes | None) -> _Naming:
    found: _Naming
    try:
        found = msgspec.json.decode(stored or "", type=taken_apart(_Naming))
    except (msgspec.DecodeError, UnicodeError):
        found = _Naming([], [])  # one that cannot be read is as good as none
    return found


def _make_room(db: apsw.Connection, most: int) -> None:
    kept = int(db.execute("SELECT count(*) FROM (SELECT 1 FROM retrieval_logs LIMIT ?)", (most + _AT_ONCE,)).get)
    if kept >= most + _AT_ONCE:
        oldest = [row[0] for row in db.execute("SELECT id FROM retrieval_logs ORDER BY at LIMIT ?", (_AT_ONCE,))]
        for id in oldest:
            forget(db, id)


def forget(db: apsw.Connection, id: str) -> None:
    """Let one receipt go, with what it can be found by."""
    named = _memories_of(db, id)
    db.execute("DELETE FROM retrieval_logs WHERE id = ?", (id,))
    for memory in named:
        db.execute("DELETE FROM retrieval_log_memories WHERE memory_id = ? AND log_id = ?", (memory, id))


def naming(db: apsw.Connection, memory_id: str) -> list[str]:
    """The receipts that looked at this memory, oldest first."""
    known = [
        row[0] for row in db.execute("SELECT log_id FROM retrieval_log_memories WHERE memory_id = ?", (memory_id,))
    ]
    fresh = [id for id in _fresh(db) if memory_id in _memories_of(db, id)]
    return [*sorted(known), *fresh]


def any_handed_over(db: apsw.Connection, memory_id: str) -> bool:
    """All receipts that name it are asked, the newest first: a search that nearly brought it up handed nothing over."""
    ids = msgspec.json.encode(naming(db, memory_id)[::-1]).decode()
    rows = db.execute(
        "SELECT r.receipt FROM json_each(?) AS j CROSS JOIN retrieval_logs AS r ON r.id = j.value WHERE r.moment <> ?",
        (ids, str(Moment.SEARCH)),
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
        conditions.append("r.id IN (SELECT value FROM json_each(?))")
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


def _read(stored: str) -> Receipt | None:
    """A receipt that cannot be read is as good as none: nothing depends on it but an explanation."""
    try:
        return Receipt.from_json(stored)
    except InvalidError:
        return None
