"""A book's folder in memory: it does what a format asks for, and reads the outcome again."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from commonplace.formats.jsonl.format import JsonlFormat
from commonplace.formats.jsonl.ids import FILE
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.seam.format import Altered, Append, Contents, Known, Place, Put, Step, Written
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory


class MemoryShelf:
    """Files, places and records, as `seam.format.Shelf` promises them."""

    def __init__(self, format: JsonlFormat | None = None) -> None:
        self.format = format or JsonlFormat()
        self.files: dict[str, bytes] = {}
        self.places: dict[str, Known] = {}
        self.records: dict[str, MemoryRecord] = {}
        self.names: dict[str, str] = {}
        self.steps: list[Step] = []

    @property
    def now(self) -> datetime:
        return EPOCH

    def known(self, memory_id: str) -> Known | None:
        return self.places.get(memory_id)

    def at(self, path: str) -> list[Known]:
        return [known for known in self.places.values() if known.place.path == path]  # as they came

    def last(self, path: str) -> Known | None:
        return self.at(path)[-1] if self.places else None

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def must_be_as_known(self, path: str) -> None:
        """Nobody else writes to these files."""

    def is_taken(self, path: str) -> bool:
        return path in self.files

    def record(self, memory_id: str) -> MemoryRecord | None:
        return self.records.get(memory_id)

    def named(self, name: str) -> MemoryRecord | None:
        return self.records.get(self.names.get(name, name))

    def links(self, memory_id: str) -> list[Link]:
        return []

    # What a test does with it ---------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        return self.files.get(FILE, b"").decode()

    @property
    def lines(self) -> list[str]:
        return [line.decode(errors="replace") for line in self.files.get(FILE, b"").splitlines()]

    def take_in(self, raw: bytes) -> Contents:
        """Somebody else wrote the file: look at it, and give a record to each entry."""
        self.files[FILE] = raw
        contents = self.format.read(FILE, raw)
        for found in contents.entries:
            record = a_memory(**found.fields)
            self.records[record.id] = record
            self.names[found.key] = record.id
            self.places[record.id] = Known(Place(FILE, found.key), record.id, found.digest)
        return contents

    def keep(self, *records: MemoryRecord | str) -> Written:
        """One transaction: these records are now so; those of which only the id is given are destroyed."""
        altered = [
            Altered(one, None) if isinstance(one, str) else Altered(one.id, one, self.records.get(one.id))
            for one in records
        ]
        written = self.format.write(altered, self)
        for step in written.steps:
            self._do(step)
        for known in written.known:
            self.places[known.memory_id] = known
            self.names[known.place.key] = known.memory_id
        for memory_id in written.gone:
            del self.names[self.places.pop(memory_id).place.key]
        for memory_id, record, _ in altered:
            self.records.pop(memory_id, None)
            if record is not None:
                self.records[memory_id] = record
        self._agrees()
        return written

    def of(self, key: str) -> MemoryRecord:
        record = self.named(key)
        assert record is not None
        return record

    def _do(self, step: Step) -> None:
        self.steps.append(step)
        before = self.files.get(step.path)
        if isinstance(step, Append):
            gap = b"\n" if before and not before.endswith(b"\n") else b""
            self.files[step.path] = (before or b"") + gap + step.content
        else:
            assert isinstance(step, Put)
            assert step.replaces == (None if before is None else sha256(before).digest())
            self.files[step.path] = step.content

    def _agrees(self) -> None:
        """What the format says stands where must be what it reads there."""
        read = {found.key: found.digest for found in self.format.read(FILE, self.files.get(FILE, b"")).entries}
        assert {known.place.key: known.digest for known in self.places.values()} == read
