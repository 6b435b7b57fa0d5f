"""`copy`: a whole book, with its history, into another canon; and the proof that it is the same book.

The journal is followed from its first entry to its last, verbatim, so that history, `as_of` and `revert` go on there as if
nothing had happened. What was cut off goes on where it stopped: the target's journal is then a beginning of the source's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from msgspec import Meta
from msgspec.structs import fields

from commonplace import settings
from commonplace.engine.compare import compare
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import ConflictError, CorruptError, DeniedError, InvalidError
from commonplace.model.finding import CopyReport
from commonplace.model.operation import Entry, Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Trust
from commonplace.seam.canon import Canon
from commonplace.seam.catalog import View
from commonplace.seam.terms import Progress


class Copy(Request, frozen=True, kw_only=True):
    """From where to where."""

    from_book: Annotated[str, Meta(description="the book to copy, as a URL")]
    to_book: Annotated[str, Meta(description="where to, as a URL; a new book, or one that a copy was cut off in")]
    verify: Annotated[bool, Meta(description="then prove that both say the same")] = False


def copy(scribe: Scribe, asked: Copy, progress: Progress | None = None) -> CopyReport:
    if scribe.trust is not Trust.OPERATOR:
        raise DeniedError("only an operator may copy a whole book", hint="Ask the person who keeps it.")
    target = scribe.opened(asked.to_book)
    try:
        if target.book_id == scribe.canon.book_id:
            raise InvalidError("a book cannot be copied onto itself", where="to_book", hint="Name another place.")
        begun = _check_beginning(scribe.canon, target)
        copied = _follow(scribe, target, begun, progress)
        checks = compare(scribe, target, progress) if asked.verify else ()
        with target.reading() as view:
            memories = view.counts()["total"]["memories"]
        return CopyReport(
            source=scribe.canon.url,
            target=target.url,
            operations=copied,
            resumed_after=begun,
            memories=memories,
            beside=_held_beside(target),
            checks=checks,
            verified=asked.verify and all(check.equal for check in checks),
        )
    finally:
        target.close()


def _check_beginning(source: Canon, target: Canon) -> int:
    """How much of the source the target holds already. A book with a history of its own is not written over."""
    with source.reading() as ours, target.reading() as theirs:
        begun = theirs.highest_seq()
        last = next(theirs.chain(begun - 1), None) if begun else None
        same = next(ours.chain(begun - 1), None) if begun else None
        if begun and (last is None or same is None or last.hash != same.hash):
            raise ConflictError(
                "the target is a book with a history of its own",
                where=target.url,
                hint="Name a new one; to bring both together, use `export` and `import`.",
            )
        return begun


def _follow(scribe: Scribe, target: Canon, begun: int, progress: Progress | None) -> int:
    copied = 0
    with scribe.canon.reading() as view:
        total = view.highest_seq() - begun
        for batch in _batches(view, begun):
            with target.writing(scribe.timeout) as draft:
                draft.adopt_all(batch)
            copied += len(batch)
            if progress:
                progress(copied, total)
        gone = [(id, seq) for id, seq in view.tombstones()]
    if gone:
        with target.writing(scribe.timeout) as draft:
            known = {id for id, _ in draft.tombstones()}
            for id, seq in gone:
                if id not in known:
                    draft.bury(id, None, seq)
    return copied


def _batches(view: View, begun: int) -> Iterator[list[tuple[Entry, Operation]]]:
    entries = view.chain(begun)
    while batch := [*islice(entries, settings.IMPORT_BATCH)]:
        for entry in batch:
            if not entry.is_sound():
                raise CorruptError(
                    "an entry of the book's journal was changed", where=f"entry {entry.seq}", hint="Run `verify` first."
                )
        yield [(entry, entry.operation()) for entry in batch]


def _held_beside(target: Canon) -> dict[str, int]:
    """Which fields the target's files cannot hold, and how many memories have something there; the journal beside them does."""
    usual = {
        field.name: field.default for field in fields(MemoryRecord) if field.name in target.capabilities.held_beside
    }
    counts = dict.fromkeys(usual, 0)
    if usual:
        with target.reading() as view:
            for noun in view.nouns(Entity.MEMORY):
                for field, default in usual.items():
                    counts[field] += getattr(noun, field) not in (default, None, (), "")
    return {field: count for field, count in counts.items() if count}
