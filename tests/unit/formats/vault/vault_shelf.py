"""A vault in a dict: the files, where memories stand, and what a change does to them. The format is asked nothing else."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from commonplace.formats.vault.format import VaultFormat
from commonplace.formats.vault.names import plain
from commonplace.model.ids import id_of
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Relation, Status
from commonplace.seam.format import Altered, Append, Found, Known, Place, Put, Remove, Written
from commonplace.testing.makers import a_memory

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)


def known_by(path: str) -> str:
    """The id of a note that has none of its own."""
    return id_of(path, NOW)


class VaultInMemory:
    """A `Shelf`, and the verbs of a book as far as a format meets them."""

    def __init__(self, files: dict[str, bytes] | None = None, *, personal: bool = False) -> None:
        self.format = VaultFormat()
        self.files: dict[str, bytes] = {}
        self.records: dict[str, MemoryRecord] = {}
        self.standing: dict[str, Known] = {}
        self.drawn: list[Link] = []
        self.now = NOW
        self._put = self.format.write_personal if personal else self.format.write
        for path, raw in (files or {}).items():
            self.edit(path, raw)

    # What a shelf knows

    def known(self, memory_id: str) -> Known | None:
        return self.standing.get(memory_id)

    def at(self, path: str) -> list[Known]:
        return [known for known in self.standing.values() if known.place.path == path]

    def last(self, path: str) -> Known | None:
        return next(iter(self.at(path)[::-1]), None)

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def must_be_as_known(self, path: str) -> None:
        """Nobody else writes to these files."""

    def is_taken(self, path: str) -> bool:
        return plain(path) in {plain(other) for other in self.files}

    def record(self, memory_id: str) -> MemoryRecord | None:
        return self.records.get(memory_id)

    def named(self, name: str) -> MemoryRecord | None:
        for id, known in self.standing.items():
            if name in self.format.names(known.place) or name.casefold() in self.format.names(known.place):
                return self.records[id]
        return self.records.get(name)

    def links(self, memory_id: str) -> list[Link]:
        return [link for link in self.drawn if memory_id in (link.from_id, link.to_id)]

    # What happens to it

    def change(self, *records: MemoryRecord, purged: tuple[str, ...] = ()) -> Written:
        """Several memories altered by one transaction."""
        changes = [Altered(record.id, record, self.records.get(record.id)) for record in records]
        changes += [Altered(id, None) for id in purged]
        done = self._put(changes, self)
        self.records |= {record.id: record for record in records}
        for step in done.steps:
            self._carry_out(step)
        for known in done.known:
            self.standing[known.memory_id] = known
        for id in done.gone:
            del self.standing[id], self.records[id]
        self._draw()
        return done

    def _carry_out(self, step: Put | Append | Remove) -> None:
        there = self.files.get(step.path)
        assert not isinstance(step, Append)
        assert step.replaces == (None if there is None else hashlib.sha256(there).digest())
        if isinstance(step, Remove):
            del self.files[step.path]
        else:
            self.files[step.path] = step.content

    def save(self, content: str, **fields: Any) -> MemoryRecord:
        made = {
            "slug": content.split(maxsplit=1)[0].lower().strip("."),
            "created_at": NOW,
            "updated_at": NOW,
            "tier": "T3",
        }
        record = a_memory(content, **made | fields)
        self.change(record)
        return record

    def evolve(self, old: MemoryRecord, content: str, **fields: Any) -> MemoryRecord:
        made = {"slug": old.slug, "kind": old.kind, "tier": old.tier, "created_at": NOW, "updated_at": NOW}
        new = a_memory(content, **made | {"always_load": old.always_load, "supersedes": old.id} | fields)
        self.drawn.append(Link(from_id=new.id, relation=Relation.SUPERSEDES, to_id=old.id, created_at=NOW))
        gone = old.with_(status=Status.SUPERSEDED, superseded_by=new.id, status_reason="it moved", updated_at=NOW)
        self.change(gone, new)
        return new

    def edit(self, path: str, raw: bytes) -> MemoryRecord | None:
        """A person saves a note in an editor."""
        self.files[path] = raw
        found = self.found(path)
        if found is None:
            return None
        said = {"created_at": NOW, "updated_at": NOW, **found.fields}
        said.setdefault("id", known_by(path))
        record = a_memory(said.pop("content"), **said)
        self.records[record.id] = record
        self.standing[record.id] = Known(Place(path), record.id, found.digest)
        self._draw()
        return record

    def _draw(self) -> None:
        for path in self.files:
            for known in self.at(path):
                found = self.found(path)
                for relation, target in found.links if found else ():
                    other = self.named(target)
                    if other and other.id != known.memory_id:
                        link = Link(
                            from_id=known.memory_id, relation=Relation(relation), to_id=other.id, created_at=NOW
                        )
                        self.drawn += [link] if link.id not in {one.id for one in self.drawn} else []

    # What stands where

    def found(self, path: str) -> Found | None:
        entries = self.format.read(path, self.files[path]).entries
        return entries[0] if entries else None

    def path(self, record: MemoryRecord) -> str:
        return self.standing[record.id].place.path

    def text(self, record: MemoryRecord) -> str:
        return self.files[self.path(record)].decode()
