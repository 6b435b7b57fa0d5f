"""The journal in SQLite: appending an entry to the chain, and reading entries back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import apsw
from msgspec import Raw

from commonplace.errors import CorruptError
from commonplace.model.base import from_micros, to_micros
from commonplace.model.operation import (
    GENESIS,
    Change,
    Entry,
    Operation,
    Payload,
    chain_hash,
    encode_payload,
    new_salt,
    payload_hash,
)
from commonplace.model.words import Trust, Verb
from commonplace.seam.catalog import Signature

_COLUMNS = "seq, id, run, verb, actor, trust, surface, at, salt, payload, kept, payload_hash, prev, hash"
_SELECT = ", ".join(f"journal.{column}" for column in _COLUMNS.split(", "))
_INSERT = f"INSERT INTO journal ({_COLUMNS}) VALUES ({', '.join('?' * 14)})"


def append(
    db: apsw.Connection, signature: Signature, changes: tuple[Change, ...], kept: dict[str, str] | None = None
) -> Operation:
    """Add one entry at the end of the chain."""
    last, prev = head(db)
    said = Payload(reason=signature.reason, changes=changes, kept=kept or {}, reverts=signature.reverts)
    payload, salt = encode_payload(said), new_salt()
    digest = payload_hash(salt, payload)
    signed = signature
    header = (
        last + 1,
        signed.id,
        signed.run,
        signed.verb,
        signed.actor,
        signed.trust,
        signed.surface,
        to_micros(signed.at),
    )
    link = chain_hash(prev, header, digest)
    _insert(db, header, (salt, payload, None, digest, prev, link), changes)
    return Operation(
        seq=last + 1,
        id=signed.id,
        run=signed.run,
        verb=Verb(signed.verb),
        actor=signed.actor,
        trust=Trust(signed.trust),
        surface=signed.surface,
        at=signed.at,
        reason=signed.reason,
        changes=changes,
        kept=said.kept,
        reverts=said.reverts,
        hash=link.hex(),
    )


def adopt(db: apsw.Connection, entry: Entry) -> None:
    """Put an entry of another book at the end of this chain, exactly as it is."""
    rest = (entry.salt, _stored(entry.payload), _stored(entry.kept), entry.payload_hash, entry.prev, entry.hash)
    _insert(db, entry.header(), rest, entry.operation().changes)


def _stored(raw: Raw) -> bytes | None:
    return None if bytes(raw) == b"null" else bytes(raw)


def _insert(db: apsw.Connection, header: tuple[Any, ...], rest: tuple[Any, ...], changes: tuple[Change, ...]) -> None:
    # The driver takes plain text only, and our closed words are a class of their own.
    plain = [str(part) if isinstance(part, str) else part for part in header]
    db.execute(_INSERT, (*plain, *rest))
    for subject in dict.fromkeys(change.id for change in changes):
        db.execute("INSERT INTO journal_subjects VALUES (?, ?)", (subject, header[0]))


def head(db: apsw.Connection) -> tuple[int, bytes]:
    """The last entry's number and hash; where the next one goes on."""
    found = db.execute("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
    return (found[0], found[1]) if found else (0, GENESIS)


def chain(db: apsw.Connection) -> Iterator[Entry]:
    """Every entry as it is stored, in order."""
    return (_entry(row) for row in db.execute(f"SELECT {_SELECT} FROM journal ORDER BY seq"))


def highest(db: apsw.Connection) -> int:
    """The highest number ever given out, also when the entries at the end are gone."""
    return db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'journal'").get or 0


def read(
    db: apsw.Connection,
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
    source, conditions = "journal", ["journal.seq > ?"]
    values: list[Any] = [after_seq]
    if subject is not None:
        source = "journal_subjects AS s CROSS JOIN journal USING (seq)"
        conditions, values = ["s.subject = ?", "s.seq > ?"], [subject, after_seq]
    for column, asked in (("run", run), ("actor", actor), ("verb", verb)):
        if asked is not None:
            conditions.append(f"journal.{column} = ?")
            values.append(asked)
    for moment, sign in ((since, ">="), (until, "<=")):
        if moment is not None:
            conditions.append(f"journal.at {sign} ?")
            values.append(to_micros(moment))
    order = "DESC" if newest_first else "ASC"
    rows = db.execute(f"SELECT {_SELECT} FROM {source} WHERE {' AND '.join(conditions)} ORDER BY seq {order}", values)
    return (_operation(row) for row in rows)


def one(db: apsw.Connection, id: str) -> Operation | None:
    row = db.execute(f"SELECT {_SELECT} FROM journal WHERE id = ?", (id,)).fetchone()
    return _operation(row) if row else None


def seq_at(db: apsw.Connection, moment: datetime) -> int:
    found = db.execute(
        "SELECT seq FROM journal WHERE at <= ? ORDER BY at DESC, seq DESC LIMIT 1", (to_micros(moment),)
    ).get
    return found or 0


def _entry(row: tuple[Any, ...]) -> Entry:
    seq, id, run, verb, actor, trust, surface, at, salt, payload, kept, payload_hash, prev, hash = row
    return Entry(
        seq=seq,
        id=id,
        run=run,
        verb=verb,
        actor=actor,
        trust=trust,
        surface=surface,
        at=from_micros(at),
        salt=salt,
        payload=Raw(payload or b"null"),
        kept=Raw(kept or b"null"),
        payload_hash=payload_hash,
        prev=prev,
        hash=hash,
    )


def _operation(row: tuple[Any, ...]) -> Operation:
    try:
        return _entry(row).operation()
    except (ValueError, TypeError) as cause:
        raise CorruptError(
            "a journal entry cannot be read", where=f"entry {row[0]}", hint="Run `commonplace verify`."
        ) from cause
