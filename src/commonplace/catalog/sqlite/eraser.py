"""Erasing: what `purge` destroys, table by table, and the tombstones it leaves.

A journal entry that speaks of an erased thing loses its payload. The names of what it changed are kept beside it (`kept`), and
what it did to things that stay; the purge's own entry holds the hash of that. So replay, `verify` and the history of what is gone
go on, also in a catalog that is made anew from the journal.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from commonplace.catalog.sqlite import embedding, fresh, journal_keys, receipts
from commonplace.catalog.sqlite.rows import MEMORIES
from commonplace.model.operation import Change, Payload, decode_payload, encode_payload
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.view import SqliteView


class Gone(NamedTuple):
    """What was destroyed: the things, keyed marks of their content, and what is kept of the journal entries."""

    things: list[tuple[Entity, str]]
    marks: dict[str, bytes]
    kept: dict[str, str]


def erase(db: apsw.Connection, view: SqliteView, memory_ids: list[str], source_ids: list[str]) -> Gone:
    """Destroy the rows, and every journal payload that speaks of them."""
    journal_keys.take_in(db)  # an entry without its payload cannot tell any more what it spoke of
    things: list[tuple[Entity, str]] = []
    marks: dict[str, bytes] = {}
    for id in memory_ids:
        things += _things_of(db, id)
        marks.update(_erase_memory(db, view, id))
    for id in source_ids:
        db.execute("DELETE FROM sources WHERE id = ?", (id,))
        things.append((Entity.SOURCE, id))
    things = list(dict.fromkeys(things))
    return Gone(things, marks, _erase_payloads(db, {id for _, id in things}))


def bury(db: apsw.Connection, gone: Gone, seq: int) -> None:
    for _, id in gone.things:
        db.execute("INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?)", (id, gone.marks.get(id), seq))


def withhold(db: apsw.Connection, seq: int, kept: bytes) -> None:
    """Take an entry's payload away and leave only names, and what it did to things that stay."""
    db.execute("UPDATE journal SET payload = NULL, salt = NULL, kept = ? WHERE seq = ?", (kept, seq))


def withheld(entity: Entity, id: str) -> Change:
    """All that may be said of a change to something that is gone."""
    return Change(entity=entity, id=id, before=None, after=None)


def _things_of(db: apsw.Connection, id: str) -> list[tuple[Entity, str]]:
    """The memory, and what exists, or once existed, only because of it: its links and its conflicts, which may quote it."""
    told = db.execute(
        "SELECT coalesce(payload, kept, 'null') FROM journal_names CROSS JOIN journal USING (seq) WHERE name = ? AND role <> 1",
        (id,),
    )
    changes = [change for (stored,) in told for change in (decode_payload(stored) or Payload()).changes]
    return [(Entity.MEMORY, id), *((change.entity, change.id) for change in changes if id in change.mentions())]


def _erase_memory(db: apsw.Connection, view: SqliteView, id: str) -> dict[str, bytes]:
    row = db.execute(f"SELECT n, {MEMORIES.select} FROM memories WHERE id = ?", (id,)).fetchone()
    if row is None:
        return {}
    n, record = row[0], MEMORIES.from_row(row[1:])
    db.execute("UPDATE book SET value = max(CAST(value AS INTEGER), ?) WHERE key = 'n_upto'", (n,))
    fresh.changed(db, n, record, None)
    embedding.erase(db, n)
    for table, column, value in _TABLES_OF_A_MEMORY:
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (n if value == "n" else id,))
    receipts.forget_naming(db, id)  # one may quote what it brought up
    _erase_quarantine(db, record)
    return {id: view.mark(record.fingerprint)}


_TABLES_OF_A_MEMORY = (
    ("memory_aliases", "n", "n"),
    ("memory_links", "from_id", "id"),
    ("memory_links", "to_id", "id"),
    ("conflicts", "left_id", "id"),
    ("conflicts", "right_id", "id"),
    ("idempotency_keys", "memory_id", "id"),
    ("jobs", "subject", "id"),
    ("memories", "n", "n"),
)


def _erase_quarantine(db: apsw.Connection, record: MemoryRecord) -> None:
    """A line that was kept aside may quote it, also in other letters: there are many ways to write a text as JSON."""
    quoted = (record.id.encode(), msgspec.json.encode(record.content)[1:-1])
    kept = db.execute("SELECT digest, raw FROM quarantine WHERE raw IS NOT NULL")
    telling = [digest for digest, raw in kept if any(text in as_we_write(raw) for text in quoted)]
    db.executemany("DELETE FROM quarantine WHERE digest = ?", [(digest,) for digest in telling])


def as_we_write(raw: bytes) -> bytes:
    """A line of JSON in our own spelling; what is none, as it is."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw))
    except (ValueError, RecursionError):
        return raw


def _remains(payload: Payload, gone: set[str]) -> Payload:
    """What may stay of it: names alone, where something is gone."""
    changes = tuple(withheld(one.entity, one.id) if one.id in gone else one for one in payload.changes)
    about = (id for one in payload.changes if one.id in gone for id in one.mentions())
    return Payload(changes=changes, about=tuple(dict.fromkeys((*payload.about, *about))), reverts=payload.reverts)


def _erase_payloads(db: apsw.Connection, gone: set[str]) -> dict[str, str]:
    """For each entry that spoke of something gone: its number, and the hash of what is kept of it."""
    kept: dict[str, str] = {}
    seqs = {
        row[0] for id in gone for row in db.execute("SELECT seq FROM journal_names WHERE name = ? AND role <> 1", (id,))
    }
    for seq in sorted(seqs):
        stored = db.execute("SELECT coalesce(payload, kept, 'null') FROM journal WHERE seq = ?", (seq,)).get
        payload = decode_payload(stored) or Payload()
        remains = encode_payload(_remains(payload, gone))
        withhold(db, seq, remains)
        kept[str(seq)] = sha256(remains).hexdigest()
    for id in gone:
        db.execute(
            "UPDATE foreign_journal SET entry = NULL WHERE hash IN (SELECT hash FROM foreign_subjects WHERE subject = ?)",
            (id,),
        )
    return kept
