"""The lines of an export, one at a time, bounded in memory; and what was wrong with which."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from commonplace import settings
from commonplace.engine import exchange
from commonplace.engine.exchange import Line
from commonplace.engine.scribe import Pen
from commonplace.errors import CommonplaceError, InvalidError, SecretError, TooLargeError, UnavailableError
from commonplace.model.base import understand
from commonplace.model.finding import Finding


class Item(NamedTuple):
    """One line: its number, its bytes, what it holds and the thing itself. Without a name it holds the error instead."""

    number: int
    raw: bytes
    name: str
    held: Any


class Reader:
    """Reads a file once. `complete` tells at the end whether its own last line says that this was all of it."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file, self._path = file, path
        self._digest = sha256()
        self.number = 0
        self.complete = False
        self.aside: list[Finding] = []

    def __iter__(self) -> Iterator[Item]:
        while raw := self._file.readline(settings.MAX_IMPORT_LINE_BYTES + 1):
            self.number += 1
            if self.number == 1:
                _refuse_what_is_packed(raw)
            name, held = self._understand(raw)
            if name == "end":
                self.complete = held.lines == self.number - 1 and held.sha256 == self._digest.hexdigest()
                continue
            self._digest.update(raw)
            if raw.strip():
                yield Item(self.number, raw, name, held)

    def batches(self) -> Iterator[list[Item]]:
        """The lines in groups for one transaction each: not too many, and not too large."""
        batch: list[Item] = []
        size = 0
        for item in self:
            batch.append(item)
            size += len(item.raw)
            if len(batch) >= settings.IMPORT_BATCH or size >= settings.IMPORT_BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _understand(self, raw: bytes) -> tuple[str, Any]:
        if len(raw) > settings.MAX_IMPORT_LINE_BYTES:
            self._skip_rest()
            return "", TooLargeError(f"the line is longer than {settings.MAX_IMPORT_LINE_BYTES} bytes")
        try:
            return exchange.content_of(exchange.decoder.decode(raw))
        except (ValueError, RecursionError):
            return "", _complaint(raw)

    def _skip_rest(self) -> None:
        while (more := self._file.readline(1 << 20)) and not more.endswith(b"\n"):
            pass

    def set_aside(self, pen: Pen, item: Item, cause: CommonplaceError) -> None:
        """Name the line, and keep its bytes in the book's quarantine unless they hold a secret."""
        where = f"line {item.number}"
        self.aside.append(Finding(code=cause.code, message=cause.message, where=where, hint=cause.hint or None))
        hold = isinstance(cause, (SecretError, TooLargeError)) or cause.code == "purged"
        raw = None if hold else item.raw
        pen.draft.keep_aside(self._path, item.number, f"{cause.kind}: {cause.message}", raw, pen.now)


_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd")
_BOOK = b"SQLite format 3\0"


def _refuse_what_is_packed(start: bytes) -> None:
    """Its lines would all be kept aside, one by one; one clear word is better (row 89)."""
    if start.startswith(_PACKED) or start[257:262] == b"ustar":
        raise InvalidError("this is an archive, not an export", hint="Unpack it, and import the .jsonl file in it.")
    if start.startswith(_BOOK):
        hint = "Copy a book with `commonplace copy FROM TO`, or export it first."
        raise InvalidError("this is a database, not an export", hint=hint)


def _complaint(raw: bytes) -> CommonplaceError:
    """What is wrong with a line that did not decode, in our words."""
    try:
        understand(lambda: exchange.decoder.decode(raw), Line)
    except CommonplaceError as cause:
        return cause
    return InvalidError("the line cannot be understood")


def check_manifest(manifest: exchange.Manifest) -> None:
    """A file of a later format is refused whole: its lines may mean something else there."""
    if manifest.format != "commonplace-export" or manifest.version > exchange.VERSION:
        raise UnavailableError(
            f"this file has export format {manifest.version}; this version reads up to {exchange.VERSION}",
            hint="Upgrade: pip install --upgrade commonplace",
            code="newer",
        )
