"""Reading a book: everything asked through one view belongs to one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import compress
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from commonplace.catalog.sqlite.rows import MEMORIES, table_of
from commonplace.errors import CorruptError, NotSearchedError
from commonplace.model.base import Noun
from commonplace.model.filter import Filter
from commonplace.model.fingerprint import normalised
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.terms import Hits, Order, Page, Strand

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from commonplace.catalog.sqlite.at_hand import AtHand
    from commonplace.catalog.sqlite.inventory import SqliteInventory
    from commonplace.catalog.sqlite.vectors import Model
    from commonplace.model.job import Job
    from commonplace.model.link import Conflict, Link
    from commonplace.model.operation import Entry, Operation
    from commonplace.model.receipt import Receipt
    from commonplace.model.source import IngestionEvent, Source

_BY_ID = f"SELECT {MEMORIES.select} FROM memories WHERE id = ?"
_BY_ALIAS = f"SELECT {MEMORIES.select} FROM memory_aliases CROSS JOIN memories USING (n) WHERE alias = ?"
_SAME = "FROM memories WHERE substr(fingerprint, -16) = substr(?1, -16) AND fingerprint = ?1"  # as the index has it
_BY_FINGERPRINT = f"SELECT {MEMORIES.select} {_SAME}"
_COUNTED = ("memory_links", "sources", "conflicts", "journal", "quarantine", "tombstones")


class SqliteView:
    """A consistent look at the book; see `seam.catalog.View` for what each question promises."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = self.connection = connection
        self._known: AtHand | None = None
        self._models: dict[str, Model | None] = {}

    @property
    def _hand(self) -> AtHand:
        """What is at hand for the moment of this view. In the middle of a change it is looked for each time."""
        if self._known is None or self._db.txn_state("main") != apsw.SQLITE_TXN_READ:
            from commonplace.catalog.sqlite import at_hand

            self._known = at_hand.of(self._db)
        return self._known

    def memory(self, id: str) -> MemoryRecord | None:
        row = self._db.execute(_BY_ID, (id,)).fetchone() or self._db.execute(_BY_ALIAS, (id,)).fetchone()
        if row is None and id != id.casefold():  # the names of notes are kept so, as whoever follows links reads them
            row = self._db.execute(_BY_ALIAS, (id.casefold(),)).fetchone()
        return MEMORIES.from_row(row) if row else None

    def memories(self, where: Filter, page: Page | None = None) -> Iterator[MemoryRecord]:
        return (record for _, record in self.in_order(where, page))

    def in_order(self, where: Filter, page: Page | None = None) -> Iterator[tuple[Order, MemoryRecord]]:
        from commonplace.catalog.sqlite import listing

        return listing.walk(self._db, where, page)

    def order_of(self, id: str) -> Order:
        from commonplace.catalog.sqlite import listing

        return listing.order_of(self._db, id)

    def twin(self, record: MemoryRecord, now: datetime) -> MemoryRecord | None:
        for other in MEMORIES.readable(self._db.execute(_BY_FINGERPRINT, (record.fingerprint,))):
            if other.is_live(now) and _same_readers(record, other) and _same_words(record, other):
                return other
        return None

    def same_words(self, fingerprint: str) -> list[str]:
        return [row[0] for row in self._db.execute(f"SELECT id {_SAME} ORDER BY n", (fingerprint,))]

    def links(self, memory_id: str) -> list[Link]:
        table = table_of(Entity.LINK)
        rows = self._db.execute(
            f"SELECT {table.select} FROM memory_links WHERE from_id = ?1 UNION"
            f" SELECT {table.select} FROM memory_links WHERE to_id = ?1 ORDER BY 5, 1, 2, 3",
            (memory_id,),
        )
        return [table.from_row(row) for row in rows]

    def conflicts_of(self, memory_id: str) -> list[Conflict]:
        table = table_of(Entity.CONFLICT)
        rows = self._db.execute(
            f"SELECT {table.select} FROM conflicts WHERE left_id = ?1 OR right_id = ?1 ORDER BY id", (memory_id,)
        )
        return [table.from_row(row) for row in rows]

    def noun(self, entity: Entity, id: str) -> Noun | None:
        table = table_of(entity)
        row = self._db.execute(f"SELECT {table.select} FROM {table.name} WHERE id = ?", (id,)).fetchone()
        return table.from_row(row) if row else None

    def ids(self, entity: Entity) -> Iterator[str]:
        return (row[0] for row in self._db.execute(f"SELECT id FROM {table_of(entity).name} ORDER BY id"))

    def present(self, entity: Entity, ids: Sequence[str]) -> set[str]:
        asked = msgspec.json.encode(ids).decode()
        rows = self._db.execute(
            f"SELECT id FROM {table_of(entity).name} WHERE id IN (SELECT value FROM json_each(?))", (asked,)
        )
        return {row[0] for row in rows}

    def same(self, entity: Entity, nouns: Sequence[Noun]) -> set[str]:
        table = table_of(entity)
        given = {noun.id: table.row(noun) for noun in nouns}  # type: ignore[attr-defined]
        rows = self._db.execute(
            f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE id IN (SELECT value FROM json_each(?))",
            (msgspec.json.encode([*given]).decode(),),
        )
        place = table.columns.index("id")
        return {row[place] for row in rows if [*row] == given[row[place]]}

    def nouns(self, entity: Entity) -> Iterator[Noun]:
        table = table_of(entity)
        last = ""
        try:
            for noun in table.readable(self._db.execute(f"SELECT {table.select} FROM {table.name} ORDER BY id")):
                last = noun.id
                yield noun
        except UnicodeDecodeError:
            yield from self._nouns_singly(entity, last)

    def _nouns_singly(self, entity: Entity, after: str) -> Iterator[Noun]:
        """As `nouns`, from one on, without those that hold bytes that are no text."""
        for id in [id for id in self.ids(entity) if id > after]:
            with suppress(UnicodeDecodeError, CorruptError):
                noun = self.noun(entity, id)
                if noun is not None:
                    yield noun

    def operation(self, id: str) -> Operation | None:
        from commonplace.catalog.sqlite import journal

        return journal.one(self._db, id)

    def known_operations(self, ids: Sequence[str]) -> set[str]:
        from commonplace.catalog.sqlite import journal_keys

        return journal_keys.known(self._db, ids)

    def operations(self, **asked: Any) -> Iterator[Operation]:
        from commonplace.catalog.sqlite import journal

        return journal.read(self._db, **asked)

    def is_named(self, seq: int, names: Iterable[str]) -> bool:
        from commonplace.catalog.sqlite import journal_keys

        return journal_keys.is_named(self._db, seq, names)

    def chain(self, after_seq: int = 0) -> Iterator[Entry]:
        from commonplace.catalog.sqlite import journal

        return journal.chain(self._db, after_seq)

    def highest_seq(self) -> int:
        from commonplace.catalog.sqlite import journal

        return journal.highest(self._db)

    def subjects(self) -> Iterator[str]:
        from commonplace.catalog.sqlite import journal_keys

        return journal_keys.subjects(self._db)

    def is_subject(self, id: str) -> bool:
        from commonplace.catalog.sqlite import journal_keys

        return journal_keys.is_subject(self._db, id)

    def tombstones(self) -> Iterator[tuple[str, int]]:
        return (tuple(row) for row in self._db.execute("SELECT id, seq FROM tombstones ORDER BY id"))

    def marks(self) -> Iterator[tuple[str, bytes | None, int]]:
        return iter(self._db.execute("SELECT id, mark, seq FROM tombstones ORDER BY id"))

    def foreign_history(self, subject: str) -> list[Operation]:
        from commonplace.model.operation import Entry

        rows = self._db.execute(
            "SELECT entry FROM foreign_subjects CROSS JOIN foreign_journal USING (hash) WHERE subject = ? AND entry IS NOT NULL",
            (subject,),
        )
        return sorted(
            (Entry.from_json(row[0]).operation() for row in rows), key=lambda operation: (operation.at, operation.seq)
        )

    def seq_at(self, moment: datetime) -> int:
        from commonplace.catalog.sqlite import journal

        return journal.seq_at(self._db, moment)

    def remembered(self, key: str) -> tuple[str, str] | None:
        found = self._db.execute("SELECT asked, memory_id FROM idempotency_keys WHERE key = ?", (key,)).fetchone()
        return (found[0], found[1]) if found else None

    def words(self, match: tuple[str, ...], where: Filter, limit: int) -> list[tuple[MemoryRecord, float]]:
        hits = self.lexical([(word,) for word in match], where, limit)
        found = self.by_id([hit.id for hit in hits])
        return [(found[hit.id], hit.score) for hit in hits if hit.id in found]

    def lexical(self, terms: Sequence[tuple[str, ...]], where: Filter, limit: int) -> Hits:
        from commonplace.catalog.sqlite import lexical

        with _looking:
            return lexical.search(self._db, self._hand, terms, where, limit)

    def held_by(self, words: Sequence[str]) -> tuple[dict[str, float], int]:
        from commonplace.catalog.sqlite import rarity

        with _looking:
            return rarity.held_by(self._db, self._hand, words)

    def spellings(self, word: str, limit: int) -> list[str]:
        from commonplace.catalog.sqlite import spelling

        with _looking:
            return spelling.near(self._db, word, limit)

    def nearest(self, model: str, vector: NDArray[np.float32], where: Filter, limit: int) -> Hits:
        from commonplace.catalog.sqlite import nearest

        with _looking:
            return nearest.search(self._db, self._hand, self._model(model), vector, where, limit)

    def has_vectors(self, model: str) -> bool:
        with _looking:
            return bool(self._db.execute("SELECT 1 FROM vector_models WHERE name = ? AND vectors > 0", (model,)).get)

    def _model(self, name: str) -> Model | None:
        """What the book knows of a model at the moment of this view. In the middle of a change it is looked for each time."""
        from commonplace.catalog.sqlite import vectors

        if name not in self._models or self._db.txn_state("main") != apsw.SQLITE_TXN_READ:
            self._models[name] = vectors.model_of(self._db, name)
        return self._models[name]

    def similar(self, model: str, vector: NDArray[np.float32], places: Sequence[int]) -> Hits:
        from commonplace.catalog.sqlite import similarity

        with _looking:
            return similarity.of(self._db, self._hand, self._model(model), vector, places)

    def vectors_of(self, model: str, places: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        from commonplace.catalog.sqlite import similarity

        with _looking:
            return similarity.vectors_of(self._db, self._hand, self._model(model), places)

    def background(self, model: str, vector: NDArray[np.float32]) -> tuple[float, float] | None:
        from commonplace.catalog.sqlite import similarity

        with _looking:
            return similarity.background(self._db, self._model(model), vector)

    def names(self, places: Sequence[int]) -> dict[int, str]:
        return self._hand.names_of(self._db, places)

    def strands(self, places: Sequence[int]) -> dict[int, Strand]:
        return self._hand.strands_of(self._db, places)

    def such(self, places: Sequence[int], is_such: Callable[[str], bool], beginning: int) -> set[int]:
        return self._hand.such_of(self._db, places, is_such, beginning)

    def passing(self, places: Sequence[int], where: Filter) -> set[int]:
        from commonplace.catalog.sqlite import narrow

        return {*compress(places, narrow.told(self._db, self._hand, where, places))}

    def unembedded(self, model: str, limit: int) -> list[MemoryRecord]:
        from commonplace.catalog.sqlite import embedding

        return embedding.waiting(self._db, model, limit)

    def count_unembedded(self, model: str) -> int:
        from commonplace.catalog.sqlite import embedding

        return embedding.count_waiting(self._db, model)

    def cut(self) -> str | None:
        from commonplace.catalog.sqlite import embedding

        return embedding.cut(self._db)

    def by_id(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        hand = self._hand
        found = {id: record for id in sorted(ids) if (record := hand.records.get(id)) is not None}
        missing = [id for id in ids if id not in found]
        if missing:
            from commonplace.catalog.sqlite.at_hand import rows_of

            rows = rows_of(self._db, f"SELECT {MEMORIES.select} FROM memories WHERE id IN {_GIVEN}", missing)
            read = {record.id: record for record in MEMORIES.readable(rows)}
            hand.keep_records(read)
            found = {id: found.get(id) or read[id] for id in sorted({*found, *read})}
        return found

    def at_places(self, places: Sequence[int]) -> dict[int, MemoryRecord]:
        from commonplace.catalog.sqlite.at_hand import rows_of

        rows = rows_of(self._db, f"SELECT {MEMORIES.select}, n FROM memories WHERE n IN {_GIVEN}", places)
        return {row[-1]: record for row in rows for record in MEMORIES.readable((row,))}

    def links_of(self, ids: Sequence[str]) -> list[Link]:
        table = table_of(Entity.LINK)
        rows = self._db.execute(
            f"SELECT {table.select} FROM json_each(?1) CROSS JOIN memory_links ON from_id = value UNION ALL"
            f" SELECT {table.select} FROM json_each(?1) CROSS JOIN memory_links ON to_id = value",
            (_given(ids),),
        ).fetchall()
        # Most memories have no links: SQLite would spend more on being ready to sort them than on finding none.
        return [table.from_row(row) for row in sorted({*rows}, key=lambda row: (row[4], *row[:3]))]

    def links_behind(self, after: str | None, limit: int) -> list[Link]:
        table = table_of(Entity.LINK)
        behind, given = ("", ()) if after is None else ("WHERE id < ?", (after,))
        rows = self._db.execute(
            f"SELECT {table.select} FROM memory_links {behind} ORDER BY id DESC LIMIT ?", (*given, limit)
        )
        return [table.from_row(row) for row in rows]

    def receipt(self, id: str) -> Receipt | None:
        from commonplace.catalog.sqlite import receipts

        return receipts.one(self._db, id)

    def receipts(
        self,
        *,
        memory_id: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        limit: int = 20,
    ) -> list[Receipt]:
        from commonplace.catalog.sqlite import receipts

        return receipts.several(self._db, memory_id, session, since, limit)

    def was_handed_over(self, memory_id: str) -> bool:
        from commonplace.catalog.sqlite import receipts

        return receipts.any_handed_over(self._db, memory_id)

    def job(self, id: str) -> Job | None:
        from commonplace.catalog.sqlite import queue

        return queue.one(self._db, id)

    def jobs(
        self,
        states: Iterable[str],
        *,
        due_by: datetime | None = None,
        due_after: datetime | None = None,
        limit: int = 100,
    ) -> list[Job]:
        from commonplace.catalog.sqlite import queue

        return queue.several(self._db, states, due_by, due_after, limit)

    def unqueued(self, limit: int) -> list[IngestionEvent]:
        from commonplace.catalog.sqlite import queue

        return queue.unqueued(self._db, limit)

    def events(
        self, states: Sequence[str] = (), *, source_ref: str | None = None, limit: int = 20
    ) -> list[IngestionEvent]:
        from commonplace.catalog.sqlite import queue

        return queue.events(self._db, states, source_ref, limit)

    def count_events(self) -> dict[str, int]:
        from commonplace.catalog.sqlite import queue

        return queue.counts(self._db)

    def source_like(self, fingerprint: str) -> Source | None:
        from commonplace.catalog.sqlite import queue

        return queue.source_like(self._db, fingerprint)

    def any_purged(self) -> bool:
        return bool(self._db.execute("SELECT EXISTS (SELECT 1 FROM tombstones)").get)

    def is_purged(self, id: str, fingerprint: str | None = None) -> bool:
        if self._db.execute("SELECT 1 FROM tombstones WHERE id = ?", (id,)).get:
            return True
        if fingerprint is None:
            return False
        return bool(self._db.execute("SELECT 1 FROM tombstones WHERE mark = ?", (self.mark(fingerprint),)).get)

    def counts(self) -> dict[str, dict[str, int]]:
        from commonplace.catalog.sqlite import facets, fresh

        last = fresh.upto(self._db)
        statuses = facets.tally(self._db, facets.ANY, "status", last)
        totals = {table: self._db.execute(f"SELECT count(*) FROM {table}").get for table in _COUNTED}
        return {
            "status": statuses,
            "type": facets.tally(self._db, "type", "type", last),
            "total": {"memories": sum(statuses.values()), **totals},
        }

    def inventory(self) -> SqliteInventory:
        from commonplace.catalog.sqlite.inventory import SqliteInventory

        return SqliteInventory(self._db)

    def mark(self, fingerprint: str) -> bytes:
        """What a tombstone keeps of the content: enough to know it again, with the book's own key, not enough to read it."""
        from hashlib import blake2b

        key = self._db.execute("SELECT value FROM book WHERE key = 'tombstone_key'").get
        return blake2b(fingerprint.encode(), key=bytes.fromhex(key), digest_size=32).digest()


def _same_words(one: MemoryRecord, other: MemoryRecord) -> bool:
    """Compared word by word too: a damaged or forged fingerprint must not send a memory into another one."""
    return normalised(one.content) == normalised(other.content)


def _same_readers(one: MemoryRecord, other: MemoryRecord) -> bool:
    return all(getattr(one, field) == getattr(other, field) for field in _READERS)


class _Looking:
    """An index that is missing or damaged makes a search that could not look; what it is an index of is untouched.

    A plain class: a search looks a dozen times, and a generator for each would cost three times as much.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, cause: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(cause, (apsw.SQLError, apsw.CorruptError)):
            raise NotSearchedError("its index cannot be read", hint="Run `commonplace doctor --repair`.") from cause


_looking = _Looking()


_GIVEN = "(SELECT value FROM json_each(?))"


def _given(values: Sequence[object]) -> str:
    """Many values as one, for `_GIVEN`."""
    return msgspec.json.encode(values).decode()


_READERS = ("type", "scope", "project_id", "repo_id", "agent_id", "tenant")
