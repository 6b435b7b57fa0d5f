"""A ledger's folder in memory: it does what the format asks for, and reads the outcome again."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from commonplace.formats.ledger.format import LedgerFormat
from commonplace.model.fingerprint import fingerprint
from commonplace.model.hashing import sha256
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.seam.format import Altered, Append, Contents, Known, Put, Remove, Step
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory

PAGE, LEDGER = "digest.md", "ledger.jsonl"


class LedgerShelf:
    """Files, places and records, as `seam.format.Shelf` promises them."""

    def __init__(self, **files: str) -> None:
        self.format = LedgerFormat()
        self.files: dict[str, bytes] = {}
        self.places: dict[str, Known] = {}
        self.records: dict[str, MemoryRecord] = {}
        self.steps: list[Step] = []
        self.now: datetime = EPOCH

    def known(self, memory_id: str) -> Known | None:
        return self.places.get(memory_id)

    def at(self, path: str) -> list[Known]:
        return [known for known in self.places.values() if known.place.path == path]

    def last(self, path: str) -> Known | None:
        return next(reversed(self.at(path)), None)

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def must_be_as_known(self, path: str) -> None:
        """Nobody else writes to these files."""

    def is_taken(self, path: str) -> bool:
        return path in self.files

    def record(self, memory_id: str) -> MemoryRecord | None:
        return self.records.get(memory_id)

    def named(self, name: str) -> MemoryRecord | None:
        return self.records.get(name)

    def links(self, memory_id: str) -> list[Link]:
        return []

    # What a test does with it

    def change(self, *records: MemoryRecord, purge: tuple[str, ...] = ()) -> list[Step]:
        """One transaction that leads to these records."""
        self.now += timedelta(seconds=1)
        before = {id: self.records.get(id) for id in (*(record.id for record in records), *purge)}
        self.records |= {record.id: record for record in records}
        for id in purge:
            self.records.pop(id, None)
        altered = [Altered(id, self.records.get(id), was) for id, was in before.items()]
        written = self.format.write(altered, self)
        for step in written.steps:
            self._do(step)
        for id in written.gone:
            self.places.pop(id, None)
        self.places |= {known.memory_id: known for known in written.known}
        self.steps = [*written.steps]
        return self.steps

    def _do(self, step: Step) -> None:
        if isinstance(step, Append):
            held = self.files.get(step.path, b"")
            self.files[step.path] = held + (b"" if held.endswith(b"\n") or not held else b"\n") + step.content
            return
        was = self.files.get(step.path)
        assert step.replaces == (None if was is None else sha256(was)), "it must know what it replaces"
        if isinstance(step, Put):
            self.files[step.path] = step.content
        else:
            assert isinstance(step, Remove)
            del self.files[step.path]

    def read(self, path: str = LEDGER) -> Contents:
        return self.format.read(path, self.files.get(path, b""))

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.files.get(LEDGER, b"").splitlines()]

    def is_settled(self) -> bool:
        """Does a look at the files find exactly what is known of them, and nothing new?"""
        found = {
            (path, entry.key): entry.digest
            for path in self.files
            for entry in self.format.read(path, self.files[path]).entries
        }
        return found == {(*known.place,): known.digest for known in self.places.values()}


def a_fact(text: str, **fields: object) -> MemoryRecord:
    return a_memory(text, kind="fact", **fields)


def a_digest(text: str, **fields: object) -> MemoryRecord:
    return a_memory(text, kind="digest", always_load=True, **fields)


def saying(record: MemoryRecord, text: str) -> MemoryRecord:
    return record.with_(content=text, fingerprint=fingerprint(text))
