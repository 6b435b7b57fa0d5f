"""The journal in SQLite: appending an entry to the chain, and reading entries back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw
from msgspec import Raw
from msgspec.json import encode

from commonplace.catalog.sqlite import journal_keys, times
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
from commonplace.seam.terms import Signature

_COLUMNS = "seq, id, run, verb, actor, trust, surface, at, salt, payload, kept, payload_hash, prev, hash"
_SELECT = ", ".join(f"journal.{column}" for column in _COLUMNS.split(", "))
_INSERT = f"INSERT INTO journal ({_COLUMNS}) VALUES ({', '.join('?' * 14)})"


Head = tuple[int, bytes, int]


def append(
    db: apsw.Connection,
    behind: Head,
    signature: Signature,
    changes: tuple[Change, ...],
    kept: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """Add one entry at the end of the chain, behind its head; returns its number and hash. Its end is for the caller to note."""
    last, prev, last_at = behind
    said = Payload(reason=signature.reason, changes=changes, kept=kept or {}, reverts=signature.reverts)
    row = forge(last + 1, prev, signature, encode_payload(said))
    db.execute(_INSERT, row)
    times.note_step(db, last + 1, row[7], last_at)
    journal_keys.added(db, last + 1, last + 1)
    return last + 1, row[-1]


def append_all(db: apsw.Connection, several: Iterable[tuple[Signature, Change]]) -> tuple[int, bytes]:
    """Add many entries, each of one change; returns the number and hash of the last."""
    last, prev, last_at = head(db)
    first = last + 1
    rows, names = [], []
    for signature, change in several:
        last += 1
        row = forge(last, prev, signature, encode_payload(Payload(reason=signature.reason, changes=(change,))))
        times.note_step(db, last, row[7], last_at)
        prev, last_at = row[-1], row[7]
        rows.append(row)
        names += journal_keys.names_of(last, signature.id, (change,))
    db.executemany(_INSERT, rows)
    journal_keys.added(db, first, last, names)
    note_end(db, last)
    return last, prev


def forge(seq: int, prev: bytes, signed: Signature, payload: bytes) -> tuple[Any, ...]:
    """One link of the chain, as the row that holds it."""
    # The driver takes plain text only, and our closed words are a class of their own.
    verb, trust = str(signed.verb), str(signed.trust)
    header = (seq, signed.id, signed.run, verb, signed.actor, trust, signed.surface, to_micros(signed.at))
    salt = new_salt()
    digest = payload_hash(salt, payload)
    return (*header, salt, payload, None, digest, prev, chain_hash(prev, header, digest))


def adopt_all(db: apsw.Connection, entries: Sequence[tuple[Entry, Operation]]) -> None:
    """Put entries of another book at the end of this chain, exactly as they are."""
    if not entries:
        return
    last_at = head(db)[2]
    names: list[journal_keys.Name] = []
    for entry, operation in entries:
        times.note_step(db, entry.seq, to_micros(entry.at), last_at)
        last_at = to_micros(entry.at)
        names += journal_keys.names_of(entry.seq, entry.id, operation.changes, operation.about)
    db.executemany(_INSERT, [_row(entry) for entry, _ in entries])
    journal_keys.added(db, entries[0][0].seq, entries[-1][0].seq, names)
    note_end(db, entries[-1][0].seq)


def _row(entry: Entry) -> tuple[Any, ...]:
    rest = (entry.salt, _stored(entry.payload), _stored(entry.kept), entry.payload_hash, entry.prev, entry.hash)
    return (*entry.header(), *rest)


def _stored(raw: Raw) -> bytes | None:
    return None if bytes(raw) == b"null" else bytes(raw)


def head(db: apsw.Connection) -> Head:
    """The last entry's number, hash and time; where the next one goes on."""
    found = db.execute("SELECT seq, hash, at FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
    return (found[0], found[1], found[2]) if found else (0, GENESIS, 0)


def hash_of(db: apsw.Connection, seq: int) -> bytes | None:
    found: bytes | None = db.execute("SELECT hash FROM journal WHERE seq = ?", (seq,)).get
    return found


def tail(db: apsw.Connection, number: int) -> list[Entry]:
    """The last entries, oldest first."""
    rows = db.execute(f"SELECT {_SELECT} FROM journal ORDER BY seq DESC LIMIT ?", (number,))
    return [_entry(row) for row in rows][::-1]


def chain(db: apsw.Connection, after_seq: int = 0) -> Iterator[Entry]:
    """Every entry as it is stored, in order."""
    rows = db.execute(f"SELECT {_SELECT} FROM journal WHERE seq > ? ORDER BY seq", (after_seq,))
    return (_entry(row) for row in rows)


def highest(db: apsw.Connection) -> int:
    """The highest number ever given out, also when the entries at the end are gone.

    The newest memory knows the entry that made it; where the last entry made none, or the memory is gone, the book knows it.
    """
    highest: int = db.execute(_HIGHEST).get
    return highest


_HIGHEST = (
    "SELECT max(coalesce((SELECT CAST(value AS INTEGER) FROM book WHERE key = 'entries_upto'), 0),"
    " coalesce((SELECT entry FROM memories ORDER BY n DESC LIMIT 1), 0), coalesce((SELECT max(seq) FROM journal), 0))"
)


def note_end(db: apsw.Connection, last: int) -> None:
    """Note outside of the journal how far it goes. An entry that makes a memory needs no note: the memory has its number."""
    db.execute("UPDATE book SET value = ? WHERE key = 'entries_upto'", (str(last),))


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
    checks: dict[str, Any] = {"actor = ?": actor, "verb = ?": verb, "run = ?": run, "seq > ?": after_seq or None}
    if since is not None:
        checks |= {"at >= ?": to_micros(since), "seq >= ?": times.first_since(db, to_micros(since))}
    if until is not None:
        checks |= {"at <= ?": to_micros(until), "seq <= ?": times.last_until(db, to_micros(until))}
    asked = {f"journal.{check}": value for check, value in checks.items() if value is not None}
    ways = _ways(db, subject, None if run else journal_keys.key_of(actor, verb))
    for way in reversed(ways) if newest_first else ways:
        yield from _walk(db, {**way, **asked}, newest_first=newest_first)


def _ways(db: apsw.Connection, subject: str | None, key: str | None) -> list[dict[str, Any]]:
    """Where to look, in order: those that can be found by the name, and the newest, which cannot yet."""
    if subject is not None:
        upto, newest = journal_keys.about(db, subject)
        indexed = {_NAMED: subject, "s.role <> ?": journal_keys.OWN, "s.seq <= ?": upto}
        return [indexed, {_AMONG: encode(newest).decode()}] if newest else [indexed]
    if key is not None:
        return [{_NAMED: key}, {"journal.seq > ?": journal_keys.upto(db)}]
    return [{}]


_NAMED = "s.name = ?"
_AMONG = "journal.seq IN (SELECT value FROM json_each(?))"


def _walk(db: apsw.Connection, asked: dict[str, Any], *, newest_first: bool) -> Iterator[Operation]:
    named = _NAMED in asked
    source = "journal_names AS s CROSS JOIN journal USING (seq)" if named else "journal"
    order = ("s.seq" if named else "journal.seq") + (" DESC" if newest_first else "")
    conditions = " AND ".join(asked) or "1"
    rows = db.execute(f"SELECT {_SELECT} FROM {source} WHERE {conditions} ORDER BY {order}", [*asked.values()])
    return (_operation(row) for row in rows)


def one(db: apsw.Connection, id: str) -> Operation | None:
    seq = journal_keys.signed(db, id)
    row = db.execute(f"SELECT {_SELECT} FROM journal WHERE seq = ?", (seq,)).fetchone() if seq else None
    return _operation(row) if row else None


def seq_at(db: apsw.Connection, moment: datetime) -> int:
    return times.last_until(db, to_micros(moment))


def _entry(row: tuple[Any, ...]) -> Entry:
    try:
        return _made(row)
    except (TypeError, ValueError, OverflowError) as cause:
        raise _unreadable(row) from cause


def _unreadable(row: tuple[Any, ...]) -> CorruptError:
    return CorruptError("a journal entry cannot be read", where=f"entry {row[0]}", hint="Run `commonplace verify`.")


def _made(row: tuple[Any, ...]) -> Entry:
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
        raise _unreadable(row) from cause
