"""`verify`: is the journal whole, and is every record what its journal says?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Annotated

from msgspec import Meta

from commonplace.engine.past import replay
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import CommonplaceError
from commonplace.model.base import Noun
from commonplace.model.finding import Examination, Finding
from commonplace.model.fingerprint import fingerprint
from commonplace.model.operation import GENESIS, Entry
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Verb
from commonplace.seam.catalog import View
from commonplace.seam.terms import Progress

_HINT = (
    "Somebody changed the file behind the book's back, or it is damaged. Compare with a backup; `export` what you need."
)
_JOURNALLED = (Entity.MEMORY, Entity.LINK, Entity.SOURCE, Entity.EVENT, Entity.CONFLICT)


class Verify(Request, frozen=True, kw_only=True):
    """Check the whole book."""

    limit: Annotated[int, Meta(description="stop after so many findings", ge=1)] = 100


def verify(scribe: Scribe, asked: Verify, progress: Progress | None = None) -> Examination:
    counts = {"entries": 0, "things": 0}
    findings: list[Finding] = []
    try:
        findings += _lost(scribe)
        findings += islice(scribe.canon.unsound(), min(asked.limit, sys.maxsize))
        with scribe.reading() as view:
            for finding in _check(view, counts, progress):
                findings.append(finding)
                if len(findings) >= asked.limit:
                    break
    except CommonplaceError as cause:
        findings.append(Finding(code="unreadable", message=cause.message, where=cause.where, hint=_HINT))
    return Examination(ok=not findings, checked=counts, findings=tuple(findings))


def _lost(scribe: Scribe) -> Iterator[Finding]:
    number = scribe.canon.lost()
    if number:
        yield Finding(
            code="journal_cut",
            message=f"{number} acknowledged operations are missing: the book's log was lost, or an older copy put in its place",
            hint="Restore the newest backup; if the older copy is what you want, run `commonplace doctor --repair`.",
        )


def _check(view: View, counts: dict[str, int], progress: Progress | None) -> Iterator[Finding]:
    yield from check_chain(view, counts, progress)
    yield from _check_things(view, counts)


def check_chain(view: View, counts: dict[str, int], progress: Progress | None = None) -> Iterator[Finding]:
    """Every entry follows the one before it and is what was written; nothing is missing, altered or reordered."""
    prev, seq, highest = GENESIS, 0, view.highest_seq()
    erased: dict[str, str] = {}
    purged: dict[str, str] = {}
    for entry in view.chain():
        counts["entries"] += 1
        if progress and counts["entries"] % 500 == 0:
            progress(counts["entries"], highest)
        if entry.seq != seq + 1 or entry.prev != prev:
            yield _finding("journal_broken", f"an entry is missing or out of order before entry {entry.seq}", entry)
        elif not entry.is_sound():
            yield _finding("journal_altered", f"entry {entry.seq} is not what was written", entry)
        if entry.is_purged:
            erased[str(entry.seq)] = "" if bytes(entry.kept) == b"null" else sha256(bytes(entry.kept)).hexdigest()
        yield from _check_meaning(view, entry, purged)
        prev, seq = entry.hash, entry.seq
    if seq != highest:
        yield Finding(code="journal_cut", message=f"{highest - seq} entries are missing at the end", hint=_HINT)
    for number, digest in erased.items():
        if purged.get(number) != digest:
            yield Finding(
                code="journal_emptied", message=f"entry {number} lost its content without a purge", hint=_HINT
            )


def _check_meaning(view: View, entry: Entry, purged: dict[str, str]) -> Iterator[Finding]:
    """What the entry says can be read, can be found by the ids it speaks of, and, if it purged, left its tombstones."""
    try:
        operation = entry.operation()
    except ValueError:
        yield _finding("journal_unreadable", f"entry {entry.seq} cannot be read", entry)
        return
    purged.update(operation.kept)
    if not view.is_named(entry.seq, (entry.id, *operation.subjects())):
        yield _finding("journal_index", f"entry {entry.seq} cannot be found by all that it speaks of", entry)
    if operation.verb is Verb.PURGE:
        for id in operation.subjects():
            if not view.is_purged(id):
                yield _finding("tombstone_missing", f"the tombstone of {id} is gone", entry)


def _check_things(view: View, counts: dict[str, int]) -> Iterator[Finding]:
    """Each thing equals its own journal played forward; and nothing is there that the journal does not know."""
    for subject in view.subjects():
        counts["things"] += 1
        try:
            yield from _check_thing(view, subject)
        except (CommonplaceError, UnicodeDecodeError) as cause:
            yield Finding(
                code="differs_from_journal",
                message=getattr(cause, "message", "a row holds bytes that are not text"),
                where=subject,
                hint=_HINT,
            )
    for entity in _JOURNALLED:
        for id in view.ids(entity):
            if not view.is_subject(id):
                yield Finding(
                    code="not_in_journal", message=f"this {entity} is not in the journal", where=id, hint=_HINT
                )


def _check_thing(view: View, subject: str) -> Iterator[Finding]:
    operations = [*view.operations(subject=subject)]
    entity = next((c.entity for op in operations for c in op.changes if c.id == subject), None)
    if entity is None:
        return  # all its entries were purged: there is nothing to compare, and the purge itself is checked in the chain
    expected = replay(operations, subject)
    found = view.noun(entity, subject)
    if (found.to_dict() if found else None) != expected:
        message = f"this {entity} {_how(found, expected)}"
        yield Finding(code="differs_from_journal", message=message, where=subject, hint=_HINT)
    elif isinstance(found, MemoryRecord) and found.fingerprint != fingerprint(found.content):
        yield Finding(
            code="fingerprint", message="its fingerprint is not that of its content", where=subject, hint=_HINT
        )


def _how(found: Noun | None, expected: dict[str, object] | None) -> str:
    if found is None:
        return "is in the journal but not in the book"
    if expected is None:
        return "is in the book, but the journal says it is gone"
    now = found.to_dict()
    fields = ", ".join(sorted(field for field in now if now[field] != expected.get(field)))
    return f"differs from its journal in: {fields}"


def _finding(code: str, message: str, entry: Entry) -> Finding:
    return Finding(code=code, message=message, where=f"operation {entry.id}", hint=_HINT)
