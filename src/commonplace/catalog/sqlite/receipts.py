"""Receipts in the book: kept beside the journal, not in it, because looking changes nothing. The oldest make room."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import apsw

from commonplace.errors import InvalidError
from commonplace.model.base import to_micros
from commonplace.model.receipt import Receipt

# So many go at once when there are too many: a search should not pay for the oldest receipt each time.
_AT_ONCE = 100


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
        looked_at = {candidate.memory_id for candidate in (*receipt.chosen, *receipt.near_misses)}
        db.executemany(
            "INSERT OR IGNORE INTO retrieval_log_memories VALUES (?, ?)", [(id, receipt.id) for id in looked_at]
        )
    _make_room(db, most)


def _make_room(db: apsw.Connection, most: int) -> None:
    kept = int(db.execute("SELECT count(*) FROM (SELECT 1 FROM retrieval_logs LIMIT ?)", (most + _AT_ONCE,)).get)
    if kept < most + _AT_ONCE:
        return
    oldest = [row[0] for row in db.execute("SELECT id FROM retrieval_logs ORDER BY at LIMIT ?", (_AT_ONCE,))]
    for id in oldest:
        forget(db, id)


def forget(db: apsw.Connection, id: str) -> None:
    """Let one receipt go, with what it can be found by."""
    row = db.execute("SELECT receipt FROM retrieval_logs WHERE id = ?", (id,)).fetchone()
    db.execute("DELETE FROM retrieval_logs WHERE id = ?", (id,))
    receipt = _read(row[0]) if row else None
    for candidate in (*receipt.chosen, *receipt.near_misses) if receipt else ():
        db.execute("DELETE FROM retrieval_log_memories WHERE memory_id = ? AND log_id = ?", (candidate.memory_id, id))


def one(db: apsw.Connection, id: str) -> Receipt | None:
    row = db.execute("SELECT receipt FROM retrieval_logs WHERE id = ?", (id,)).fetchone()
    return _read(row[0]) if row else None


def several(
    db: apsw.Connection, memory_id: str | None, session: str | None, since: datetime | None, limit: int
) -> list[Receipt]:
    """The newest that match, newest first."""
    source, conditions = "retrieval_logs AS r", ["1"]
    values: list[str | int] = []
    if memory_id is not None:
        source = "retrieval_log_memories AS m CROSS JOIN retrieval_logs AS r ON r.id = m.log_id"
        conditions.append("m.memory_id = ?")
        values.append(memory_id)
    if session is not None:
        conditions.append("r.session = ?")
        values.append(session)
    if since is not None:
        conditions.append("r.at >= ?")
        values.append(to_micros(since))
    rows = db.execute(
        f"SELECT r.receipt FROM {source} WHERE {' AND '.join(conditions)} ORDER BY r.at DESC, r.id DESC LIMIT ?",
        (*values, limit),
    )
    return [receipt for row in rows if (receipt := _read(row[0])) is not None]


def _read(stored: str) -> Receipt | None:
    """A receipt that cannot be read is as good as none: nothing depends on it but an explanation."""
    try:
        return Receipt.from_json(stored)
    except InvalidError:
        return None
