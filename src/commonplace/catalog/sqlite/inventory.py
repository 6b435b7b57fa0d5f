"""The inventory in SQLite: four small tables in a catalog that is derived from files. A database book has none of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from commonplace.catalog.sqlite.driver import run
from commonplace.catalog.sqlite.rows import checksum
from commonplace.errors import CorruptError
from commonplace.seam.format import Known, Place, Stamp
from commonplace.seam.inventory import Facts, Seen

TABLES = """
CREATE TABLE IF NOT EXISTS inventory_files (
    path TEXT PRIMARY KEY, plain TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    sha256 BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS inventory_by_plain ON inventory_files (plain);
CREATE TABLE IF NOT EXISTS inventory_places (
    path TEXT NOT NULL, key TEXT NOT NULL, position INTEGER NOT NULL, memory_id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL,
    PRIMARY KEY (path, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS inventory_by_position ON inventory_places (path, position);
CREATE TABLE IF NOT EXISTS inventory_names (
    name TEXT NOT NULL, memory_id TEXT NOT NULL, PRIMARY KEY (name, memory_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS inventory_names_of ON inventory_names (memory_id);
CREATE TABLE IF NOT EXISTS inventory_links (
    memory_id TEXT NOT NULL, relation TEXT NOT NULL, other TEXT NOT NULL, PRIMARY KEY (memory_id, relation, other)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS inventory_links_to ON inventory_links (other);
CREATE TABLE IF NOT EXISTS inventory_former (digest BLOB PRIMARY KEY, memory_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inventory_asides (
    path TEXT NOT NULL, line INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (path, line, reason)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inventory_facts (
    one INTEGER PRIMARY KEY, generation INTEGER NOT NULL, journal_size INTEGER, journal_seq INTEGER NOT NULL,
    journal_edition INTEGER NOT NULL, looked_at REAL NOT NULL, look_cost REAL NOT NULL, looked TEXT NOT NULL,
    checksum INTEGER NOT NULL);
"""
_FACTS = f"SELECT {', '.join(Facts._fields)}, checksum FROM inventory_facts"
_NOTE = f"REPLACE INTO inventory_facts VALUES (1, {', '.join('?' * len(Facts._fields))}, ?)"
_PLACED = "SELECT path, key, memory_id, digest FROM inventory_places"
# What stood there keeps its position in the file; what is new stands behind all others.
_PLACE = """INSERT OR REPLACE INTO inventory_places (path, key, position, memory_id, digest)
    VALUES (?1, ?2, coalesce((SELECT position FROM inventory_places WHERE path = ?1 AND key = ?2),
    (SELECT coalesce(max(position), 0) + 1 FROM inventory_places WHERE path = ?1)), ?3, ?4)"""
_ID = "SELECT id FROM memories WHERE id = ?"
_ALIAS = "SELECT id FROM memory_aliases CROSS JOIN memories USING (n) WHERE alias = ?"
_WAITING = "SELECT memory_id FROM inventory_links WHERE other = ?"
# A name belongs to the first that has it and stands somewhere; what stands nowhere keeps it until another comes.
_NAME = """INSERT INTO memory_aliases SELECT ?1, n FROM memories WHERE id = ?2
    ON CONFLICT (alias) DO UPDATE SET n = excluded.n WHERE NOT EXISTS (SELECT 1 FROM inventory_places
    JOIN memories ON memories.id = inventory_places.memory_id WHERE memories.n = memory_aliases.n)"""
_UNNAME = "DELETE FROM memory_aliases WHERE alias = ?1 AND n = (SELECT n FROM memories WHERE id = ?2)"


def lay_out(db: apsw.Connection) -> None:
    """Make the tables of a new catalog."""
    run(db, TABLES)
    db.execute(_NOTE, _sealed(Facts()))


class SqliteInventory:
    """See `seam.inventory.Inventory` for what each verb promises."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def facts(self) -> Facts:
        row = self._db.execute(_FACTS).fetchone()
        facts = Facts(*row[:-1]) if row else None
        if facts is None or row != _sealed(facts):
            raise CorruptError("what the catalog remembers of the book's files is damaged")
        return facts

    def stamps(self) -> dict[str, Stamp]:
        rows = self._db.execute("SELECT path, size, mtime_ns, inode FROM inventory_files")
        return {row[0]: row[1:] for row in rows}  # a plain tuple equals a stamp, and costs a tenth

    def file(self, path: str) -> Seen | None:
        row = self._db.execute(
            "SELECT size, mtime_ns, inode, sha256 FROM inventory_files WHERE path = ?", (path,)
        ).fetchone()
        return Seen(Stamp(*row[:3]), row[3]) if row else None

    def at(self, path: str) -> list[Known]:
        return [*self._placed("WHERE path = ? ORDER BY position", path)]

    def last(self, path: str) -> Known | None:
        return next(self._placed("WHERE path = ? ORDER BY position DESC LIMIT 1", path), None)

    def known(self, memory_id: str) -> Known | None:
        return next(self._placed("WHERE memory_id = ?", memory_id), None)

    def places(self) -> Iterator[Known]:
        return self._placed("ORDER BY path, position")

    def _placed(self, where: str, *values: str) -> Iterator[Known]:
        rows = self._db.execute(f"{_PLACED} {where}", values)
        return (Known(Place(path, key), memory_id, digest) for path, key, memory_id, digest in rows)

    def is_taken(self, path: str) -> bool:
        return self._db.execute("SELECT 1 FROM inventory_files WHERE plain = ?", (_plain(path),)).get is not None

    def former(self, digest: bytes) -> str | None:
        found: str | None = self._db.execute("SELECT memory_id FROM inventory_former WHERE digest = ?", (digest,)).get
        return found

    def named(self, name: str) -> str | None:
        found: str | None = self._db.execute(_ID, (name,)).get or self._db.execute(_ALIAS, (name,)).get
        return found

    def drawn(self, memory_id: str) -> set[tuple[str, str]]:
        rows = self._db.execute("SELECT relation, other FROM inventory_links WHERE memory_id = ?", (memory_id,))
        return {(relation, other) for relation, other in rows}

    def waiting_for(self, others: Sequence[str]) -> list[str]:
        if not self._db.execute("SELECT 1 FROM inventory_links LIMIT 1").get:
            return []
        found = {id for other in others for (id,) in self._db.execute(_WAITING, (other,))}
        return sorted(found)

    def see(self, seen: Iterable[tuple[str, Seen]]) -> None:
        rows = [(path, _plain(path), *file.stamp, file.sha256) for path, file in seen]
        if rows:
            self._db.executemany("INSERT OR REPLACE INTO inventory_files VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._grow()

    def forget(self, paths: Iterable[str]) -> None:
        gone = [(path,) for path in paths]
        if gone:
            self._db.executemany("DELETE FROM inventory_files WHERE path = ?", gone)
            self._grow()

    def _grow(self) -> None:
        self.note(generation=self.facts().generation + 1)

    def place(self, entries: Iterable[tuple[Known, Sequence[str]]]) -> None:
        placed = [*entries]
        self._unname([known.memory_id for known, _ in placed])
        self._db.executemany(_PLACE, [(*known.place, known.memory_id, known.digest) for known, _ in placed])
        names = [(name, known.memory_id) for known, names in placed for name in names]
        self._db.executemany("INSERT OR IGNORE INTO inventory_names VALUES (?, ?)", names)
        self._db.executemany(_NAME, names)

    def displace(self, memory_ids: Iterable[str]) -> None:
        gone = [(id,) for id in memory_ids]
        for table in ("inventory_places", "inventory_former"):
            self._db.executemany(f"DELETE FROM {table} WHERE memory_id = ?", gone)

    def erase(self, memory_ids: Iterable[str]) -> None:
        gone = [*memory_ids]
        self.displace(gone)
        self._unname(gone)
        self._db.executemany("DELETE FROM inventory_links WHERE memory_id = ?1 OR other = ?1", [(id,) for id in gone])

    def retire(self, known: Known) -> None:
        self.displace([known.memory_id])
        self._db.execute("INSERT OR REPLACE INTO inventory_former VALUES (?, ?)", (known.digest, known.memory_id))

    def _unname(self, memory_ids: Iterable[str]) -> None:
        """Take their names away. Where another memory answers to one of them too, it has it now."""
        if not self._db.execute("SELECT 1 FROM inventory_names LIMIT 1").get:
            return
        for id in memory_ids:
            names = [
                name
                for (name,) in self._db.execute("DELETE FROM inventory_names WHERE memory_id = ? RETURNING name", (id,))
            ]
            for name in names:
                self._db.execute(_UNNAME, (name, id))
                heir = self._db.execute("SELECT memory_id FROM inventory_names WHERE name = ? LIMIT 1", (name,)).get
                if heir is not None:
                    self._db.execute(_NAME, (name, heir))

    def draw(self, memory_id: str, links: set[tuple[str, str]]) -> None:
        self._db.execute("DELETE FROM inventory_links WHERE memory_id = ?", (memory_id,))
        self._db.executemany("INSERT INTO inventory_links VALUES (?, ?, ?)", [(memory_id, *link) for link in links])

    def set_aside(self, path: str, aside: Sequence[tuple[int, str]]) -> None:
        self._db.execute("DELETE FROM inventory_asides WHERE path = ?", (path,))
        rows = [(path, line, reason) for line, reason in aside]
        self._db.executemany("INSERT OR IGNORE INTO inventory_asides VALUES (?, ?, ?)", rows)

    def asides(self) -> Iterator[tuple[str, int, str]]:
        return iter(self._db.execute("SELECT path, line, reason FROM inventory_asides ORDER BY path, line"))

    def note(self, **facts: Any) -> None:
        self._db.execute(_NOTE, _sealed(self.facts()._replace(**facts)))


def _sealed(facts: Facts) -> tuple[Any, ...]:
    """The one row of them, with its checksum."""
    return (*facts, checksum(facts))


def _plain(path: str) -> str:
    """A path as a file system sees it that knows neither case nor Unicode forms."""
    return unicodedata.normalize("NFC", path).casefold()
