"""Bytes that could not be understood, kept aside: outside of the store, on this machine, until a person has looked at them.

Whoever has to leave something out of what it writes puts it here first, so that nothing a human, an agent or a sync client
wrote is ever destroyed. A piece is named by the hash of its bytes: the same bytes are kept once, however often they are met,
and every place they were met at is listed with its reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

import msgspec

from commonplace import settings
from commonplace.errors import InvalidError, TooLargeError
from commonplace.model.base import Noun, taken_apart
from commonplace.storage.append import append_line, read_lines
from commonplace.storage.atomic_write import atomic_write, remove
from commonplace.storage.local_folders import folder_for
from commonplace.storage.mutex import Mutex
from commonplace.storage.plain_file import opened, sha256_of

_LIST = "list.jsonl"


class Piece(Noun, frozen=True, kw_only=True):
    """What was kept aside, where it came from, and why."""

    sha256: str
    size: int
    origin: str
    """The file, from the store's root, and where something smaller than it was meant, `:line`."""
    reason: str
    at: datetime


class Quarantine:
    """What was kept aside of one store."""

    def __init__(self, store: str) -> None:
        self._store = store

    def keep(self, data: bytes, *, origin: str, reason: str) -> Piece:
        """Keep the bytes, durably. The same bytes from the same place for the same reason are listed once."""
        if len(data) > settings.MAX_MATERIAL_BYTES:
            raise TooLargeError(f"what is kept aside is at most {settings.MAX_MATERIAL_BYTES} bytes", where=origin)
        piece = Piece(
            sha256=sha256(data).hexdigest(), size=len(data), origin=origin, reason=reason, at=datetime.now(UTC)
        )
        with Mutex(self._store, "quarantine").held(settings.BUSY_TIMEOUT_SECONDS):
            for known in self.pieces():
                if (known.sha256, known.origin, known.reason) == (piece.sha256, origin, reason):
                    return known
            self._put(piece.sha256, data)
            append_line(os.path.join(self._folder(), _LIST), msgspec.json.encode(piece))
        return piece

    def pieces(self) -> Iterator[Piece]:
        """Everything that was kept aside, in the order in which it was."""
        path = os.path.join(self._folder(), _LIST)
        if not os.path.lexists(path):
            return
        for line in read_lines(path, settings.MAX_IMPORT_LINE_BYTES):
            try:
                yield msgspec.json.decode(line.raw, type=taken_apart(Piece))
            except ValueError:
                continue  # torn off by a power cut: the bytes are there, and will be listed when they are met again

    def read(self, sha256: str) -> bytes:
        """The bytes of a piece."""
        path = os.path.join(self._folder(), _checked(sha256))
        with opened(path) as fd, open(fd, "rb", closefd=False) as file:
            return file.read()

    def erase(self, needle: bytes) -> int:
        """Destroy every piece that holds these bytes, and its lines in the list: what is purged is purged here too."""
        with Mutex(self._store, "quarantine").held(settings.BUSY_TIMEOUT_SECONDS):
            known = [*self.pieces()]
            doomed = {name for name in {piece.sha256 for piece in known} if needle in self.read(name)}
            if not doomed:
                return 0
            with atomic_write(os.path.join(self._folder(), _LIST), replace=True) as file:
                for piece in known:
                    if piece.sha256 not in doomed:
                        file.write(msgspec.json.encode(piece) + b"\n")
            for name in doomed:
                remove(os.path.join(self._folder(), name))
        return len(doomed)

    def _put(self, name: str, data: bytes) -> None:
        path = os.path.join(self._folder(), name)
        if sha256_of(path) == name:
            return
        with atomic_write(path, replace=True) as file:
            file.write(data)

    def _folder(self) -> str:
        return folder_for(self._store, "quarantine")


def _checked(name: str) -> str:
    if len(name) != 64 or not all(letter in "0123456789abcdef" for letter in name):
        raise InvalidError("a piece that was kept aside is named by its hash", where=name[:80])
    return name
