"""Writing a book: rows, full text and journal change together, inside the transaction that `SqliteCanon.writing` holds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import Any

from commonplace.catalog.sqlite import eraser, journal
from commonplace.catalog.sqlite.rows import MEMORIES, TABLES
from commonplace.catalog.sqlite.view import SqliteView
from commonplace.model.base import Noun, to_micros
from commonplace.model.operation import Change, Entry, Operation, difference
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.catalog import Edit, Signature

_TEXT = ("title", "summary", "content")
_FTS_INSERT = "INSERT INTO memories_fts (rowid, title, summary, content) VALUES (?, ?, ?, ?)"
_FTS_DELETE = "INSERT INTO memories_fts (memories_fts, rowid, title, summary, content) VALUES ('delete', ?, ?, ?, ?)"


class SqliteDraft(SqliteView):
    """See `seam.catalog.Draft` for what each verb promises."""

    def commit(self, signature: Signature, edits: Iterable[Edit]) -> Operation:
        changes = []
        for entity, before, after in edits:
            old, new = difference(before, after)
            changes.append(Change(entity=entity, id=(after or before).id, before=old, after=new))  # type: ignore[union-attr]
            self._apply(entity, before, after)
        return journal.append(self._db, signature, tuple(changes))

    def remember(self, key: str, asked: str, memory_id: str) -> None:
        self._db.execute("INSERT INTO idempotency_keys VALUES (?, ?, ?)", (key, asked, memory_id))

    def adopt(self, entry: Entry) -> None:
        journal.adopt(self._db, entry)
        for change in entry.operation().changes:
            if change.before is None and change.after is None:
                continue  # destroyed by a purge in the book it comes from: there is nothing to apply
            before = self.noun(change.entity, change.id)
            self._apply(change.entity, before, _after(change, before))

    def bury(self, id: str, mark: bytes | None, seq: int) -> None:
        self._db.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?, ?)", (id, mark, seq))

    def keep_foreign(self, origin: str, line: bytes, hash: bytes, subjects: Iterable[str]) -> None:
        self._db.execute("INSERT OR IGNORE INTO foreign_journal VALUES (?, ?, ?)", (hash, origin, line))
        for subject in subjects:
            self._db.execute("INSERT OR IGNORE INTO foreign_subjects VALUES (?, ?)", (subject, hash))

    def keep_aside(self, origin: str, line_number: int, reason: str, raw: bytes | None, now: datetime) -> None:
        digest = sha256(raw if raw is not None else f"{origin}:{line_number}".encode()).digest()
        self._db.execute(
            "INSERT OR IGNORE INTO quarantine VALUES (?, ?, ?, ?, ?, ?)",
            (digest, origin, line_number, reason, raw, to_micros(now)),
        )

    def erase(self, signature: Signature, memory_ids: list[str], source_ids: list[str]) -> tuple[Operation, int]:
        gone = eraser.erase(self._db, self, memory_ids, source_ids)
        # The entry names what was destroyed and holds nothing of it: neither side of a change says more than "gone".
        changes = tuple(Change(entity=entity, id=id, before=None, after=None) for entity, id in gone.things)
        operation = journal.append(self._db, signature, changes, gone.kept)
        eraser.bury(self._db, gone, operation.seq)
        return operation, len(gone.kept)

    def _apply(self, entity: Entity, before: Noun | None, after: Noun | None) -> None:
        if entity is Entity.MEMORY:
            self._apply_memory(before, after)  # type: ignore[arg-type]
            return
        table = TABLES[entity]
        if before is not None:
            self._db.execute(f"DELETE FROM {table.name} WHERE id = ?", (before.id,))  # type: ignore[attr-defined]
        if after is not None:
            self._db.execute(table.insert, table.row(after))

    def _apply_memory(self, before: MemoryRecord | None, after: MemoryRecord | None) -> None:
        if before is None and after is not None:
            self._insert_memory(after)
        elif before is not None and after is not None:
            self._update_memory(before, after)

    def _insert_memory(self, record: MemoryRecord) -> None:
        self._db.execute(MEMORIES.insert, MEMORIES.row(record))
        n = self._db.last_insert_rowid()
        self._db.execute(_FTS_INSERT, (n, record.title, record.summary, record.content))
        self._name(n, record)
        at = to_micros(record.created_at)
        if record.project_id:
            self._db.execute("INSERT OR IGNORE INTO projects (id, created_at) VALUES (?, ?)", (record.project_id, at))
        if record.repo_id:
            self._db.execute(
                "INSERT OR IGNORE INTO repos (id, project_id, created_at) VALUES (?, ?, ?)",
                (record.repo_id, record.project_id, at),
            )

    def _update_memory(self, before: MemoryRecord, after: MemoryRecord) -> None:
        changed = [field for field in MEMORIES.fields if getattr(before, field) != getattr(after, field)]
        if not changed:
            return
        n = self._db.execute("SELECT n FROM memories WHERE id = ?", (before.id,)).get
        values: list[Any] = [MEMORIES.value(field, after) for field in changed]
        self._db.execute(
            f"UPDATE memories SET {', '.join(f'{field} = ?' for field in changed)} WHERE n = ?", (*values, n)
        )
        if any(field in changed for field in _TEXT):
            self._db.execute(_FTS_DELETE, (n, before.title, before.summary, before.content))
            self._db.execute(_FTS_INSERT, (n, after.title, after.summary, after.content))
        if "tags" in changed or "aliases" in changed:
            self._unname(n, before)
            self._name(n, after)

    def _name(self, n: int, record: MemoryRecord) -> None:
        at = to_micros(record.created_at)
        for tag in dict.fromkeys(record.tags):
            self._db.execute("INSERT INTO memory_tags VALUES (?, ?, ?)", (tag, at, n))
        for alias in record.aliases:
            self._db.execute("INSERT OR IGNORE INTO memory_aliases VALUES (?, ?)", (alias, n))

    def _unname(self, n: int, record: MemoryRecord) -> None:
        at = to_micros(record.created_at)
        for tag in record.tags:
            self._db.execute("DELETE FROM memory_tags WHERE tag = ? AND created_at = ? AND n = ?", (tag, at, n))
        for alias in record.aliases:
            self._db.execute("DELETE FROM memory_aliases WHERE alias = ? AND n = ?", (alias, n))


def _after(change: Change, before: Noun | None) -> Noun | None:
    """The state a change of the journal leads to."""
    if change.after is None:
        return None
    noun = TABLES[change.entity].noun
    made: Noun = noun.from_dict({**(before.to_dict() if before else {}), **change.after})
    return made
