"""One memory's folder as a call uses it: load what is there, apply a patch, leave a warning. Through the book, like everybody.

The folder is a `ledger:` book. So a person's edit is honoured and journalled before anything is handed out, a patch is one
transaction, and what happened can be asked of the book afterwards. No search is made, so no receipt can hold a prompt.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace.engine.retain import DIGEST, Limits, Retain
from commonplace.engine.scribe import ask
from commonplace.errors import CommonplaceError, StaleError
from commonplace.formats.ledger.change import LEDGER
from commonplace.formats.ledger.lines import read_lines, stamp, write_line
from commonplace.model.strict_json import parse
from commonplace.surfaces.agent.binding import Binding, keep_out_of_git
from commonplace.surfaces.agent.patch import Patch, Warned
from commonplace.wiring import open_book, open_canon

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.model.record import MemoryRecord

META = "meta.json"
_SCHEMA = 1
_LARGEST_META = 65_536
_TRIES = 3
# More than the tail is looked through, because digests that wait or were replaced stand among the facts.
_SPARE = 10


class Loaded(NamedTuple):
    """What a memory held when a call began."""

    digest: MemoryRecord | None
    facts: list[str]
    """The newest ones, oldest first."""

    @property
    def text(self) -> str:
        return self.digest.content if self.digest is not None else ""


class Memory:
    """The memory of one binding. Opened for each step and closed again: nothing is held while a model thinks (X-12)."""

    def __init__(self, binding: Binding, actor: str, timeout: float) -> None:
        self._binding, self._actor, self._timeout = binding, actor, timeout

    def load(self, most: int) -> Loaded:
        """The digest and the newest facts. Nothing is created, whatever is missing (V20, V21)."""
        with self._book() as book:
            digest = next(iter(book.list(kinds=DIGEST, always_load=True, limit=1)), None)
            newest = [record for record in book.list(limit=most + _SPARE) if record.kind != DIGEST][:most]
            return Loaded(digest, [record.content for record in reversed(newest)])

    def apply(self, patch: Patch, before: Loaded, limits: Limits) -> list[MemoryRecord]:
        """Make the patch durable: the ledger's line first, then the digest (V30). Returns what it made or changed."""
        keep_out_of_git(self._binding)
        seen = before.digest
        asked = ask(
            Retain,
            digest=patch.digest,
            retain=patch.retain,
            replaces=seen.id if seen else None,
            expect=seen.fingerprint if seen else "",
            **self._binding.owners,
        )
        for _ in range(_TRIES - 1):
            try:
                return self._retain(asked, limits)
            except StaleError:  # a person saved the digest in this very moment: it is looked at again
                continue
        return self._retain(asked, limits)

    def _retain(self, asked: Retain, limits: Limits) -> list[MemoryRecord]:
        with self._book() as book:
            made: list[MemoryRecord] = book.perform("retain", asked, limits=limits)
            return made

    def warn(self, warning: Warned, *, is_repeated: bool = False) -> None:
        """Append `{ts, warning}` to the ledger, while nobody else writes there. It is no memory, and holds no content (V-b).

        What would be said in every call (`is_repeated`) is said unless it was the last warning.
        """
        from commonplace.storage.append import append_line
        from commonplace.storage.atomic_write import in_our_words
        from commonplace.storage.folders import make_folder

        keep_out_of_git(self._binding)
        line = write_line({"ts": stamp(datetime.now(UTC)), "warning": warning.to_dict()})
        canon = open_canon(self._url, timeout=self._timeout)
        try:
            with canon.writing(self._timeout), in_our_words(self._binding.folder):
                make_folder(self._binding.folder)
                path = os.path.join(self._binding.folder, LEDGER)
                if not (is_repeated and _last_warning(path) == warning.to_dict()):
                    append_line(path, line.removesuffix(b"\n"))
        finally:
            canon.close()

    def touch(self, mode: str) -> None:
        """Say in `meta.json` when the memory was last used. As well as one can: nothing depends on it (V30)."""
        from commonplace.storage.atomic_write import atomic_write

        path = os.path.join(self._binding.folder, META)
        now = stamp(datetime.now(UTC))
        try:
            meta = _read_meta(path)
            meta = {"schema_version": _SCHEMA, "created_at": now, **meta, "last_used_at": now, "last_mode": mode}
            with atomic_write(path, replace=True) as file:
                file.write(write_line(meta))
        except (OSError, ValueError, CommonplaceError):  # another's file that we cannot read stays as it is
            return

    @property
    def _url(self) -> str:
        return f"ledger:{self._binding.folder}"

    def _book(self) -> Book:
        return open_book(self._url, actor=self._actor, surface="agent", timeout=self._timeout)


def _last_warning(path: str) -> object:
    if not os.path.exists(path):
        return None
    lines, _ = read_lines(_bytes(path))
    return next((line.table["warning"] for line in reversed(lines) if "warning" in line.table), None)


def _bytes(path: str) -> bytes:
    """A plain file's bytes; a pipe or a link that somebody put there is refused, not waited for."""
    from commonplace.storage.plain_file import opened

    with opened(path) as fd, open(fd, "rb", closefd=False) as file:
        return file.read()


def _read_meta(path: str) -> dict[str, Any]:
    """What is there, with the keys of others; raises if it cannot be understood."""
    if not os.path.lexists(path):
        return {}
    if os.path.getsize(path) > _LARGEST_META:
        raise ValueError("meta.json is far too large")
    meta = parse(_bytes(path).decode())
    if not isinstance(meta, dict):
        raise ValueError("meta.json is not an object")  # noqa: TRY004 - like everything else that is wrong with it
    return meta
