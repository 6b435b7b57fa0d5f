"""The journal in SQLite: appending an entry to the chain, and reading entries back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import apsw

from commonplace.catalog.sqlite.rows import from_micros, to_micros
from commonplace.errors import CorruptError
from commonplace.model.operation import (
    GENESIS,
    Change,
    Operation,
    Payload,
    chain_hash,
    decode_payload,
    encode_payload,
    new_salt,
    payload_hash,
)
from commonplace.model.words import Trust, Verb
from commonplace.seam.catalog import Signature

COLUMNS = "seq, id, run, verb, actor, trust, surface, at, payload, kept, hash"
_INSERT = (
    "INSERT INTO journal (seq, id, run, verb, actor, trust, surface, at, salt, payload, payload_hash, prev, hash)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def append(
    connection: apsw.Connection,
    signature: Signature,
    changes: tuple[Change, ...],
    kept: dict[str, str] | None = None,
) -> Operation:
    """Add one entry at the end of the chain."""
    seq, prev = head(connection)
    payload, salt = encode_payload(signature.reason, changes, kept), new_salt()
    digest = payload_hash(salt, payload)
    at = to_micros(signature.at)
    header = (
        seq + 1,
        signature.id,
        signature.run,
        signature.verb,
        signature.actor,
        signature.trust,
        signature.surface,
        at,
    )
    link = chain_hash(prev, header, digest)
    insert(connection, header, salt, payload, digest, prev, link, [change.id for change in changes])
    return _operation((*header, None, None, link), Payload(reason=signature.reason, changes=changes, kept=kept or {}))


def insert(
    connection: apsw.Connection,
    header: tuple[Any, ...],
    salt: bytes | None,
    payload: bytes | None,
    digest: bytes,
    prev: bytes,
    link: bytes,
    subjects: Iterable[str],
) -> None:
    plain = tuple(str(part) if isinstance(part, str) else part for part in header)
    connection.execute(_INSERT, (*plain, salt, payload, digest, prev, link))
    for subject in dict.fromkeys(subjects):
        connection.execute("INSERT INTO journal_subjects VALUES (?, ?)", (subject, header[0]))


def head(connection: apsw.Connection) -> tuple[int, bytes]:
    """The last entry's number and hash; where the next one goes on."""
    found = connection.execute("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").get
    return (found[0], found[1]) if found else (0, GENESIS)


def read(
    connection: apsw.Connection,
    *,
    subject: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    after_seq: int = 0,
    actor: str | None = None,
    verb: str | None = None,
    run: str | None = None,
    newest_first: bool = False,
) -> Iterator[Operation]:
    """Entries in the order of their sequence, narrowed by the index that fits best."""
    source, conditions, values = "journal", ["journal.seq > ?"], [after_seq]
    if subject is not None:
        source = "journal_subjects AS s CROSS JOIN journal USING (seq)"
        conditions, values = ["s.subject = ?", "s.seq > ?"], [subject, after_seq]  # type: ignore[list-item]
    for column, asked in (("run", run), ("actor", actor), ("verb", verb)):
        if asked is not None:
            conditions.append(f"journal.{column} = ?")
            values.append(asked)  # type: ignore[arg-type]
    for moment, sign in ((since, ">="), (until, "<=")):
        if moment is not None:
            conditions.append(f"journal.at {sign} ?")
            values.append(to_micros(moment))
    order = "DESC" if newest_first else "ASC"
    columns = ", ".join(f"journal.{column}" for column in COLUMNS.split(", "))
    rows = connection.execute(
        f"SELECT {columns} FROM {source} WHERE {' AND '.join(conditions)} ORDER BY journal.seq {order}", values
    )
    return (from_row(row) for row in rows)


def one(connection: apsw.Connection, id: str) -> Operation | None:
    row = connection.execute(f"SELECT {COLUMNS} FROM journal WHERE id = ?", (id,)).fetchone()
    return from_row(row) if row else None


def seq_at(connection: apsw.Connection, moment: datetime) -> int:
    found = connection.execute(
        "SELECT seq FROM journal WHERE at <= ? ORDER BY at DESC, seq DESC LIMIT 1", (to_micros(moment),)
    ).get
    return found or 0


def from_row(row: tuple[Any, ...]) -> Operation:
    stored = row[8] if row[8] is not None else row[9]
    if stored is None:
        return _operation(row, Payload(), purged=True)
    try:
        payload = decode_payload(stored)
    except ValueError as cause:
        raise CorruptError("a journal entry cannot be read", where=f"operation {row[1]}") from cause
    return _operation(row, payload, purged=row[8] is None)


def _operation(row: tuple[Any, ...], payload: Payload, *, purged: bool = False) -> Operation:
    seq, id, run, verb, actor, trust, surface, at, _, _, link = row
    return Operation(
        seq=seq,
        id=id,
        run=run,
        verb=Verb(verb),
        actor=actor,
        trust=Trust(trust),
        surface=surface,
        at=from_micros(at),
        reason=payload.reason,
        changes=payload.changes,
        kept=payload.kept,
        purged=purged,
        hash=link.hex(),
    )
