"""What a format may know of a book's files while it decides what to write; see `seam.format.Shelf`."""

from __future__ import annotations

import os
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from commonplace.errors import StaleError
from commonplace.formats.looked import UNSEEN

if TYPE_CHECKING:
    from commonplace.formats.steps import Files
    from commonplace.model.link import Link
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Known
    from commonplace.seam.inventory import Inventory


class BookShelf:
    """The files as the catalog knows them, each looked at again before it is built upon."""

    def __init__(self, view: View, files: Files, now: datetime) -> None:
        self._view, self._files, self._now = view, files, now
        self._inventory: Inventory = view.inventory()

    @property
    def now(self) -> datetime:
        return self._now

    def known(self, memory_id: str) -> Known | None:
        return self._inventory.known(memory_id)

    def at(self, path: str) -> list[Known]:
        return self._inventory.at(path)

    def last(self, path: str) -> Known | None:
        return self._inventory.last(path)

    def content(self, path: str) -> bytes | None:
        raw = self._files.read(path)
        seen = self._inventory.file(path)
        if seen is None or seen.stamp == UNSEEN:
            return raw
        now = self._files.seen(path, seen.sha256)
        if raw is None or now is None or (now.stamp != seen.stamp and sha256(raw).digest() != seen.sha256):
            raise StaleError(
                "somebody changed this file just now", where=path, hint="Try again: their edit is taken in first."
            )
        return raw

    def must_be_as_known(self, path: str) -> None:
        seen = self._inventory.file(path)
        now = self._files.seen(path, b"")
        if seen is not None and (now is None or now.stamp != seen.stamp):
            self.content(path)

    def is_taken(self, path: str) -> bool:
        return os.path.lexists(self._files.full(path)) or self._inventory.is_taken(path)

    def record(self, memory_id: str) -> MemoryRecord | None:
        return self._view.memory(memory_id)

    def named(self, name: str) -> MemoryRecord | None:
        return self._view.memory(name)

    def links(self, memory_id: str) -> list[Link]:
        return self._view.links(memory_id)
