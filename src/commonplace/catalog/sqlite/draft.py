"""Writing a book: rows, full text and journal change together, inside the transaction that `SqliteCanon.writing` holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from commonplace.catalog.sqlite import eraser, fresh, journal
from commonplace.catalog.sqlite.rows import MEMORIES, table_of
from commonplace.catalog.sqlite.view import SqliteView
from commonplace.model.base import Noun, to_micros
from commonplace.model.operation import Change, Entry, Operation, change_of
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.terms import Edit, Signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from commonplace.model.job import Job
    from commonplace.model.receipt import Receipt


# Numbers are given out one after the other, and none twice: what was destroyed at the end is not forgotten.
_NEXT = "1 + max(coalesce((SELECT max(n) FROM memories), 0), (SELECT CAST(value AS INTEGER) FROM book WHERE key = 'n_upto'))"
_LEARN = (
    f"INSERT INTO memories (n, {', '.join(MEMORIES.columns)}, entry)"
    f" VALUES ({_NEXT}, {', '.join('?' * (len(MEMORIES.columns) + 1))})"
)


class SqliteDraft(SqliteView):
    """See `seam.catalog.Draft` for what each verb promises."""

    last: tuple[int, bytes | None] = (0, None)
    """The number and the hash of the last operation this draft committed."""

    def commit(self, signature: Signature, edits: Iterable[Edit]) -> None:
        head = journal.head(self._db)
        entry, is_noted = head[0] + 1, False
        changes = []
        for entity, before, after in edits:
            if before is None and after is not None:
                changes.append(_made(entity, after))
                is_noted = is_noted or entity is Entity.MEMORY
            else:
                changes.append(change_of(entity, before, after))
            self._apply(entity, before, after, entry)
        self.last = journal.append(self._db, head, signature, tuple(changes))
        if not is_noted:
            journal.note_end(self._db, entry)

    def commit_all(self, several: Sequence[tuple[Signature, Entity, Noun]]) -> None:
        if not several:
            return
        records = [noun for _, _, noun in several if isinstance(noun, MemoryRecord)]
        self._insert_memories(records)
        for _, entity, noun in several:
            if entity is not Entity.MEMORY:
                self._apply(entity, None, noun)
        self.last = journal.append_all(
            self._db, ((signature, _made(entity, noun)) for signature, entity, noun in several)
        )

    def remember(self, key: str, asked: str, memory_id: str) -> None:
        self._db.execute("INSERT INTO idempotency_keys VALUES (?, ?, ?)", (key, asked, memory_id))

    def adopt_all(self, entries: Sequence[tuple[Entry, Operation]]) -> None:
        journal.adopt_all(self._db, entries)
        self.last = (entries[-1][0].seq, entries[-1][0].hash) if entries else self.last
        made: dict[tuple[Entity, str], Noun | None] = {}
        before: dict[tuple[Entity, str], Noun | None] = {}
        for change in (change for _, operation in entries for change in operation.changes):
            if change.is_gone:
                continue  # destroyed by a purge in the book it comes from: there is nothing to apply
            thing = (change.entity, change.id)
            if thing not in made:
                made[thing] = before[thing] = self.noun(*thing) if change.before is not None else None
            made[thing] = _after(change, made[thing])
        self._insert_memories(
            [noun for thing, noun in made.items() if isinstance(noun, MemoryRecord) and not before[thing]]
        )
        for thing, noun in made.items():
            if before[thing] is not None or not isinstance(noun, MemoryRecord):
                self._apply(thing[0], before[thing], noun)

    def bury(self, id: str, mark: bytes | None, seq: int) -> None:
        self._db.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?, ?)", (id, mark, seq))

    def keep_foreign(self, origin: str, entries: Sequence[tuple[Entry, Operation]]) -> None:
        lines = [(entry.hash, origin, entry.to_bytes()) for entry, _ in entries]
        names = [(name, entry.hash) for entry, operation in entries for name in operation.names()]
        self._db.executemany("INSERT OR IGNORE INTO foreign_journal VALUES (?, ?, ?)", lines)
        self._db.executemany("INSERT OR IGNORE INTO foreign_subjects VALUES (?, ?)", names)

    def keep_aside(self, origin: str, line_number: int, reason: str, raw: bytes | None, now: datetime) -> None:
        digest = sha256(raw if raw is not None else f"{origin}:{line_number}".encode()).digest()
        self._db.execute(
            "INSERT OR IGNORE INTO quarantine VALUES (?, ?, ?, ?, ?, ?)",
            (digest, origin, line_number, reason, raw, to_micros(now)),
        )

    def keep_vectors(self, model: str, entries: Sequence[tuple[str, str, NDArray[np.float32]]]) -> None:
        from commonplace.catalog.sqlite import embedding

        embedding.keep(self._db, model, entries)

    def drop_vectors(self, model: str | None) -> None:
        from commonplace.catalog.sqlite import embedding

        embedding.drop(self._db, model)

    def recut(self, cut: str, has_several: Callable[[str], bool]) -> None:
        from commonplace.catalog.sqlite import embedding

        embedding.recut(self._db, cut, has_several)

    def keep_receipts(self, receipts: Sequence[Receipt], most: int) -> None:
        from commonplace.catalog.sqlite import receipts as kept

        kept.keep(self._db, receipts, most)

    def keep_job(self, job: Job) -> None:
        from commonplace.catalog.sqlite import queue

        queue.keep(self._db, job)

    def erase(self, signature: Signature, memory_ids: list[str], source_ids: list[str]) -> int:
        gone = eraser.erase(self._db, self, memory_ids, source_ids)
        # The entry names what was destroyed and holds nothing of it: neither side of a change says more than "gone".
        changes = tuple(eraser.withheld(entity, id) for entity, id in gone.things)
        self.last = journal.append(self._db, journal.head(self._db), signature, changes, gone.kept)
        journal.note_end(self._db, self.last[0])
        eraser.bury(self._db, gone, self.last[0])
        return len(gone.kept)

    def _apply(self, entity: Entity, before: Noun | None, after: Noun | None, entry: int | None = None) -> None:
        if entity is Entity.MEMORY:
            self._apply_memory(before, after, entry)  # type: ignore[arg-type]
            return
        table = table_of(entity)
        if before is not None:
            self._db.execute(f"DELETE FROM {table.name} WHERE id = ?", (before.id,))  # type: ignore[attr-defined]
        if after is not None:
            self._db.execute(table.insert, table.row(after))

    def _apply_memory(self, before: MemoryRecord | None, after: MemoryRecord | None, entry: int | None) -> None:
        if before is None and after is not None:
            self._insert_memories((after,), entry)
        elif before is not None and after is not None:
            self._update_memory(before, after)

    def _insert_memories(self, records: Sequence[MemoryRecord], entry: int | None = None) -> None:
        if not records:
            return
        if len(records) == 1:  # a cursor for many costs as much as the row itself
            self._db.execute(_LEARN, [*MEMORIES.row(records[0]), entry])
        else:
            self._db.executemany(_LEARN, ([*MEMORIES.row(record), entry] for record in records))
        last = self._db.last_insert_rowid()
        first = last - len(records) + 1  # numbers are given out one after the other, and we alone are writing
        owned = []
        for n, record in enumerate(records, first):
            if record.aliases:
                self._name(n, record)
            if record.project_id or record.repo_id:
                owned.append(record)
        if owned:
            self._know_owners(owned)
        fresh.added(self._db, first, last)

    def _know_owners(self, records: Sequence[MemoryRecord]) -> None:
        """A project or repository is known as soon as a memory belongs to it."""
        projects = {r.project_id: (r.project_id, to_micros(r.created_at)) for r in records if r.project_id}
        repos = {r.repo_id: (r.repo_id, r.project_id, to_micros(r.created_at)) for r in records if r.repo_id}
        if projects:
            self._db.executemany("INSERT OR IGNORE INTO projects (id, created_at) VALUES (?, ?)", projects.values())
        if repos:
            self._db.executemany(
                "INSERT OR IGNORE INTO repos (id, project_id, created_at) VALUES (?, ?, ?)", repos.values()
            )

    def _update_memory(self, before: MemoryRecord, after: MemoryRecord) -> None:
        changed = [field for field in MEMORIES.fields if getattr(before, field) != getattr(after, field)]
        if not changed:
            return
        n = self._db.execute("SELECT n FROM memories WHERE id = ?", (before.id,)).get
        stored = dict(zip(MEMORIES.columns, MEMORIES.row(after), strict=True))
        columns = [*changed, "checksum"]
        self._db.execute(
            f"UPDATE memories SET {', '.join(f'{column} = ?' for column in columns)} WHERE n = ?",
            (*(stored[column] for column in columns), n),
        )
        fresh.changed(self._db, n, before, after)
        if "aliases" in changed:
            self._db.execute("DELETE FROM memory_aliases WHERE n = ?", (n,))
            self._name(n, after)

    def _name(self, n: int, record: MemoryRecord) -> None:
        for alias in record.aliases:
            self._db.execute("INSERT OR IGNORE INTO memory_aliases VALUES (?, ?)", (alias, n))


def _made(entity: Entity, noun: Noun) -> Change:
    """The change that made one thing. A memory is its own JSON form: no detour over a dict."""
    after = noun if entity is Entity.MEMORY else noun.to_dict()
    return Change(entity=entity, id=noun.id, before=None, after=after)  # type: ignore[arg-type, attr-defined]


def _after(change: Change, before: Noun | None) -> Noun | None:
    """The state a change of the journal leads to."""
    if change.after is None:
        return None
    noun = table_of(change.entity).noun
    made: Noun = noun.from_dict({**(before.to_dict() if before else {}), **change.after})
    return made
