"""`import`: bring an export into a book. Importing twice is importing once; what cannot be understood is kept aside.

Into an empty book an export is *adopted*: its journal becomes this book's journal, entry by entry, in one transaction, so
that history, `as_of` and `revert` go on as if nothing had happened. Into a book that has a journal of its own it is
*merged*: each thing that is new comes in by an operation of this book, in one run that can be reverted, and the other
journal's entries are kept beside ours as history. What differs from what is here is kept aside: ours stays.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.exchange import ENTITIES
from commonplace.engine.import_merge import Merger, check_entry
from commonplace.engine.import_reader import Item, Reader, check_manifest
from commonplace.engine.scribe import Pen, Request, Scribe
from commonplace.errors import CommonplaceError, InvalidError
from commonplace.guard.trust import lesser
from commonplace.model.finding import ImportReport
from commonplace.model.fingerprint import fingerprint
from commonplace.model.operation import GENESIS, Entry, Operation
from commonplace.model.words import Entity, Trust
from commonplace.seam.terms import Progress

_ENTITY = dict(ENTITIES)


class Import(Request, frozen=True, kw_only=True):
    """Where from."""

    path: Annotated[str, Meta(description="a file that `commonplace export` wrote")]
    trust: Annotated[str | None, Meta(description="trust what is in it no more than this channel")] = None


def import_(scribe: Scribe, asked: Import, progress: Progress | None = None) -> ImportReport:
    trust = scribe.trust if asked.trust is None else lesser(scribe.trust, Trust.of(asked.trust, "trust"))
    if trust is Trust.OPERATOR and _is_empty(scribe):
        try:
            return _adopt(scribe, asked.path, progress)
        except _CannotAdoptError:
            pass  # the journal in the file is not whole: its things can still be merged, one by one
    return _merge(scribe, asked.path, trust, progress)


def _is_empty(scribe: Scribe) -> bool:
    with scribe.reading() as view:
        return view.highest_seq() == 0 and next(view.chain(), None) is None


def _merge(scribe: Scribe, path: str, trust: Trust, progress: Progress | None) -> ImportReport:
    merger = Merger(trust)
    with scribe.files.reading(path) as file:
        reader = Reader(file, path)
        for batch in reader.batches():
            with scribe.writing() as pen:
                merger.take(pen, reader, batch)
            if progress:
                progress(reader.number, 0)
    return ImportReport(
        run=merger.run if merger.added else None,
        added=merger.added,
        already_here=merger.already_here,
        kept_aside=tuple(reader.aside),
        complete=reader.complete,
    )


class _CannotAdoptError(Exception):
    """The file's journal cannot become this book's journal."""


def _adopt(scribe: Scribe, path: str, progress: Progress | None) -> ImportReport:
    with scribe.files.reading(path) as file, scribe.writing() as pen:
        reader = Reader(file, path)
        adopter = _Adopter(pen, reader)
        for batch in reader.batches():
            adopter.take(batch)
            if progress:
                progress(reader.number, 0)
        if not adopter.added.get("journal") or not reader.complete:
            raise _CannotAdoptError
    return ImportReport(run=None, added=adopter.added, kept_aside=tuple(reader.aside), complete=True)


class _Adopter:
    """Follows another book's journal from its first entry to its last."""

    def __init__(self, pen: Pen, reader: Reader) -> None:
        self._pen, self._reader = pen, reader
        self._seq, self._prev = 0, GENESIS
        self.added: dict[str, int] = {}

    def take(self, batch: list[Item]) -> None:
        entries = [(item.held, self._checked(item.held)) for item in batch if item.name == "journal"]
        if not self._seq and any(item.name in _ENTITY for item in batch):
            raise _CannotAdoptError  # things without a journal before them
        self._pen.draft.adopt_all(entries)
        self._count("journal", len(entries))
        for item in batch:
            if item.name != "journal" and item.name not in _ENTITY:
                self._take_other(item)
        for name, entity in ENTITIES:
            self._compare(name, entity, [item for item in batch if item.name == name])

    def _checked(self, entry: Entry) -> Operation:
        """It follows the one before it, is what was written, and holds nothing that may not come in."""
        if entry.seq != self._seq + 1 or entry.prev != self._prev or not entry.is_sound():
            raise _CannotAdoptError
        self._seq, self._prev = entry.seq, entry.hash
        try:
            return check_entry(entry)
        except CommonplaceError as cause:
            raise _CannotAdoptError from cause

    def _take_other(self, item: Item) -> None:
        if item.name == "manifest":
            check_manifest(item.held)
        elif item.name == "tombstone":
            self._pen.draft.bury(item.held.id, None, item.held.seq)
        else:
            self._reader.set_aside(self._pen, item, item.held or InvalidError("the line holds nothing that is known"))

    def _compare(self, name: str, entity: Entity, items: list[Item]) -> None:
        """The journal has made the things already; the file's own lines must say the same."""
        if entity is Entity.MEMORY and any(fingerprint(item.held.content) != item.held.fingerprint for item in items):
            raise _CannotAdoptError  # what is kept aside when things are merged does not come in by its journal either
        same = self._pen.view.same(entity, [item.held for item in items]) if items else set()
        for item in items:
            if item.held.id not in same:
                cause = InvalidError(f"this {name} differs from its own journal; the journal was followed")
                self._reader.set_aside(self._pen, item, cause)
        self._count(name, len([item for item in items if item.held.id in same]))

    def _count(self, name: str, number: int) -> None:
        if number:
            self.added[name] = self.added.get(name, 0) + number
