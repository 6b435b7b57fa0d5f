"""The memories as this surface knows them: in the order in which they were stored, and under the ids that the agent sees.

They are read from `memories.jsonl` itself, and again only when it looks different (G28). So a line that somebody adds with an
editor is there at once, and being reminded costs no more than a look at one file. A book of another kind is asked instead.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

from commonplace.formats.jsonl.format import JsonlFormat
from commonplace.formats.jsonl.ids import FILE
from commonplace.seam.format import Stamp

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.model.record import MemoryRecord


class Entry(NamedTuple):
    """One memory."""

    id: str
    text: str
    tags: tuple[str, ...]
    at: datetime | None

    @property
    def ts(self) -> str:
        """When it was stored, as the file writes it (G11)."""
        from commonplace.formats.jsonl.lines import stamp

        return stamp(self.at) if self.at else ""


class Entries(Protocol):
    """Where the memories come from."""

    def all(self) -> Sequence[Entry]:
        """Every active memory, the oldest first."""
        ...

    @property
    def version(self) -> object:
        """Changes with every change to them; as of the last `all`."""
        ...

    def drop(self, id: str) -> None:
        """Take out what the book does not know."""
        ...

    def id_of(self, record: MemoryRecord, book: Book) -> str:
        """The id by which the agent knows this memory."""
        ...


class FileEntries:
    """The lines of `memories.jsonl` in one folder. A folder that is not there has none, and is not made."""

    def __init__(self, folder: str) -> None:
        self._folder, self._format = folder, JsonlFormat()
        self._entries: list[Entry] = []
        self._stamp: Stamp | None = None
        self.version = 0

    def all(self) -> list[Entry]:
        found = self._format.scan(self._folder).get(FILE)
        if found != self._stamp:
            entries = self._read() if found else []
            self.version += entries != self._entries
            self._entries, self._stamp = entries, _UNSETTLED if _is_young(found) else found
        return self._entries

    def _read(self) -> list[Entry]:
        from commonplace.formats.steps import Files

        raw = Files(self._folder).read(FILE) or b""
        return [
            Entry(found.key, found.fields["content"], found.fields["tags"], found.fields.get("created_at"))
            for found in self._format.read(FILE, raw).entries
        ]

    def drop(self, id: str) -> None:
        """Take out a line that the book does not know: one that was purged, and that somebody put back."""
        from commonplace.formats.jsonl.rewriting import without
        from commonplace.formats.steps import Files
        from commonplace.storage.swap import replace_checked

        files = Files(self._folder)
        raw = files.read(FILE) or b""
        replace_checked(files.full(FILE), without(raw, {id}), sha256(raw).hexdigest())

    def id_of(self, record: MemoryRecord, book: Book) -> str:
        from commonplace.errors import NotFoundError

        for entry in reversed(self.all()):
            try:
                if entry.text == record.content and book.get(entry.id).id == record.id:
                    return entry.id
            except NotFoundError:
                continue
        return record.id


class BookEntries:
    """The memories of any other book. Here an agent sees our own ids."""

    version: object = None

    def __init__(self, book: Book) -> None:
        self._book = book

    def all(self) -> list[Entry]:
        records: list[MemoryRecord] = []
        while page := self._book.list(limit=1_000, after=records[-1].id if records else None):
            records += page
        self.version = tuple((record.id, record.updated_at) for record in records)
        return [Entry(one.id, one.content, one.tags, one.created_at) for one in reversed(records)]

    def drop(self, id: str) -> None:
        """There is nothing that it does not know."""

    def id_of(self, record: MemoryRecord, book: Book) -> str:  # noqa: ARG002 (it is its own)
        return record.id


# A clock of a file system ticks every few milliseconds: a file that changed within one tick looks as it did.
_TICK_NS = 50_000_000
_UNSETTLED = Stamp(-1, -1, -1)


def _is_young(stamp: Stamp | None) -> bool:
    return stamp is not None and time.time_ns() - stamp.mtime_ns < _TICK_NS
