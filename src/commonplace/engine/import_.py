"""`import`: bring an export into a book. Importing twice is importing once; what cannot be understood is kept aside.

Into an empty book an export is *adopted*: its journal becomes this book's journal, entry by entry, in one transaction, so
that history, `as_of` and `revert` go on as if nothing had happened. Into a book that has a journal of its own it is
*merged*: each thing that is new comes in by an operation of this book, in one run that can be reverted, and the other
journal's entries are kept beside ours as history. What differs from what is here is kept aside: ours stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Annotated, Any, BinaryIO

from msgspec import Meta

from commonplace import settings
from commonplace.engine import exchange
from commonplace.engine.exchange import ENTITIES, Line
from commonplace.engine.past import replay
from commonplace.engine.scribe import Pen, Request, Scribe
from commonplace.errors import CommonplaceError, InvalidError, SecretError, TooLargeError, UnavailableError
from commonplace.guard.entry import admit
from commonplace.guard.trust import lesser
from commonplace.model.base import Noun, understand
from commonplace.model.finding import Finding, ImportReport, Severity
from commonplace.model.ids import new_id
from commonplace.model.operation import GENESIS, Entry
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Trust, Verb
from commonplace.seam.canon import Progress

_ENTITY = dict(ENTITIES)
_TEXTS = {
    "memory": (
        "content",
        "title",
        "summary",
        "rationale",
        "status_reason",
        "evidence_ref",
        "tags",
        "anchors",
        "aliases",
    ),
    "source": ("title", "uri"),
    "link": ("evidence_ref",),
    "conflict": ("reason", "left_evidence", "right_evidence", "resolution"),
    "event": ("outcome", "error"),
}


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


class _CannotAdoptError(Exception):
    """The file's journal cannot become this book's journal."""


def _is_empty(scribe: Scribe) -> bool:
    with scribe.reading() as view:
        return view.highest_seq() == 0 and next(view.chain(), None) is None


# -- reading lines ----------------------------------------------------------------------------------------------------


class _Reader:
    """The lines of a file, one at a time; remembers what was wrong with which."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file, self.path = file, path
        self._digest = sha256()
        self.number = 0
        self.raw = b""
        self.complete = False
        self.aside: list[Finding] = []

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        while raw := self._file.readline(settings.MAX_IMPORT_LINE_BYTES + 1):
            self.number += 1
            self.raw = raw
            if not raw.strip():
                continue
            name, held = self._understand(raw)
            if name == "end":
                self.complete = held.lines == self.number - 1 and held.sha256 == self._digest.hexdigest()
                continue
            self._digest.update(raw)
            yield name, held

    def _understand(self, raw: bytes) -> tuple[str, Any]:
        """A line that cannot be understood has the name '' and the error instead of a thing."""
        if len(raw) > settings.MAX_IMPORT_LINE_BYTES:
            self._skip_rest()
            return "", TooLargeError(f"the line is longer than {settings.MAX_IMPORT_LINE_BYTES} bytes")
        try:
            line: Line = exchange.decoder.decode(raw)
        except ValueError:
            try:
                understand(lambda: exchange.decoder.decode(raw), Line)
            except InvalidError as cause:
                return "", cause
        except RecursionError:
            return "", InvalidError("the line is nested too deeply")
        name, held = exchange.content_of(line)
        return (name, held) if name else ("", InvalidError("the line holds nothing that is known"))

    def _skip_rest(self) -> None:
        while (more := self._file.readline(1 << 20)) and not more.endswith(b"\n"):
            pass

    def set_aside(self, pen: Pen, cause: CommonplaceError, *, severity: Severity = Severity.ERROR) -> None:
        """Name the line, and keep its bytes in the book's quarantine unless they hold a secret."""
        finding = Finding(
            code=cause.code,
            message=cause.message,
            severity=severity,
            where=f"line {self.number}",
            hint=cause.hint or None,
        )
        self.aside.append(finding)
        raw = None if isinstance(cause, (SecretError, TooLargeError)) else self.raw
        pen.draft.keep_aside(self.path, self.number, f"{cause.kind}: {cause.message}", raw, pen.now)


# -- adopting ---------------------------------------------------------------------------------------------------------


def _adopt(scribe: Scribe, path: str, progress: Progress | None) -> ImportReport:
    added = {"journal": 0}
    with scribe.files.reading(path) as file, scribe.writing() as pen:
        reader, prev, seq = _Reader(file, path), GENESIS, 0
        for name, held in reader:
            if progress and reader.number % 500 == 0:
                progress(reader.number, 0)
            if name == "journal":
                if held.seq != seq + 1 or held.prev != prev or not held.is_sound():
                    raise _CannotAdoptError
                _check_entry(held)
                pen.draft.adopt(held)
                prev, seq = held.hash, held.seq
                added["journal"] += 1
            elif name == "tombstone":
                pen.draft.bury(held.id, None, held.seq)
            elif name == "manifest":
                _check_manifest(held)
            else:
                _compare(pen, reader, name, held, added)
        if not seq or not reader.complete:
            raise _CannotAdoptError
    return ImportReport(run=None, added=added, kept_aside=tuple(reader.aside), complete=True)


def _check_entry(entry: Entry) -> None:
    """Nothing comes in unchecked because it stands in a journal; one bad text, and each thing is looked at by itself."""
    try:
        for change in entry.operation().changes:
            texts = [value for value in (change.after or {}).values() if isinstance(value, str)]
            admit({"content": "\n".join(texts)[: settings.MAX_CONTENT_BYTES]})
    except (CommonplaceError, ValueError) as cause:
        raise _CannotAdoptError from cause


def _compare(pen: Pen, reader: _Reader, name: str, held: Any, added: dict[str, int]) -> None:
    """The journal has made the things already; the file's own lines must say the same."""
    if name == "":
        reader.set_aside(pen, held)
    elif pen.view.noun(_ENTITY[name], held.id) == held:
        added[name] = added.get(name, 0) + 1
    else:
        reader.set_aside(
            pen, InvalidError(f"this {name} differs from its own journal; the journal was followed", where=held.id)
        )


# -- merging ----------------------------------------------------------------------------------------------------------


def _merge(scribe: Scribe, path: str, trust: Trust, progress: Progress | None) -> ImportReport:
    merger = _Merger(scribe, trust)
    with scribe.files.reading(path) as file:
        reader = _Reader(file, path)
        lines = iter(reader)
        while True:
            with scribe.writing() as pen:
                if not merger.take(pen, reader, islice(lines, settings.IMPORT_BATCH)):
                    break
            if progress:
                progress(reader.number, 0)
    return ImportReport(
        run=merger.run if merger.added else None,
        added=merger.added,
        already_here=merger.already_here,
        kept_aside=tuple(reader.aside),
        complete=reader.complete,
    )


class _Merger:
    """Brings new things in, one operation each, all of one run."""

    def __init__(self, scribe: Scribe, trust: Trust) -> None:
        self._scribe, self._trust = scribe, trust
        self._origin = "unknown"
        self.run = new_id()
        self.added: dict[str, int] = {}
        self.already_here = 0

    def take(self, pen: Pen, reader: _Reader, lines: Iterator[tuple[str, Any]]) -> bool:
        """One batch in one transaction. False when there was nothing left."""
        any_line = False
        for name, held in lines:
            any_line = True
            try:
                self._take(pen, name, held)
            except CommonplaceError as cause:
                if name == "manifest":
                    raise  # a file of a later format is refused whole: its lines may mean something else there
                reader.set_aside(pen, cause)
        return any_line

    def _take(self, pen: Pen, name: str, held: Any) -> None:
        if name == "":
            raise held
        if name == "manifest":
            _check_manifest(held)
            self._origin = held.book_id
        elif name == "journal":
            self._keep_history(pen, held)
        elif name == "tombstone":
            if pen.view.memory(held.id) is None:
                pen.draft.bury(held.id, None, 0)
        else:
            self._add(pen, name, held)

    def _keep_history(self, pen: Pen, entry: Entry) -> None:
        if pen.view.operation(entry.id) is not None:
            return  # our own journal coming home, or one that was adopted: it is here already
        if not entry.is_sound():
            raise InvalidError("this journal entry is not what was written")
        _refuse_bad_entry(entry)
        pen.draft.keep_foreign(self._origin, exchange.encode(entry), entry.hash, entry.operation().subjects())

    def _add(self, pen: Pen, name: str, held: Any) -> None:
        entity = _ENTITY[name]
        admit({field: getattr(held, field) for field in _TEXTS[name]})
        noun: Noun = self._as_trusted(held) if name == "memory" else held
        if pen.view.is_purged(held.id, held.fingerprint if name == "memory" else None):
            raise InvalidError(f"this {name} was purged here and does not come back", where=held.id)
        here = pen.view.noun(entity, held.id)
        if here is not None:
            self._meet(pen, name, here, noun)
            return
        self._refuse_loose_ends(pen, held)
        pen.write(entity, None, noun)
        pen.sign(Verb.IMPORT, run=self.run)
        self.added[name] = self.added.get(name, 0) + 1

    def _as_trusted(self, record: MemoryRecord) -> MemoryRecord:
        """Trust comes from the channel: a file cannot raise itself above whoever imports it (row 116)."""
        trust = lesser(record.trust, self._trust)
        return record if trust is record.trust else record.with_(trust=trust)

    def _meet(self, pen: Pen, name: str, here: Noun, noun: Noun) -> None:
        """It is here already. If it says something that ours never said, it is kept aside, and ours stays."""
        if here == noun or noun.to_dict() in _states(pen, noun.id):  # type: ignore[attr-defined]
            self.already_here += 1
            return
        raise InvalidError(f"this {name} is here already and says something else; ours stays", where=noun.id)  # type: ignore[attr-defined]

    def _refuse_loose_ends(self, pen: Pen, held: Any) -> None:
        ends = [getattr(held, field) for field in ("from_id", "to_id", "left_id", "right_id") if hasattr(held, field)]
        for id in ends:
            if pen.view.memory(id) is None:
                raise InvalidError("one end of this link is not in the book", where=id)


def _states(pen: Pen, id: str) -> Iterator[dict[str, Any] | None]:
    """Everything ours ever was, according to the journal."""
    operations = [*pen.view.operations(subject=id)]
    return (replay(operations[: n + 1], id) for n in range(len(operations)))


def _refuse_bad_entry(entry: Entry) -> None:
    try:
        _check_entry(entry)
    except _CannotAdoptError as cause:
        raise SecretError("this journal entry holds text that may not come in; it was left out") from cause


def _check_manifest(manifest: exchange.Manifest) -> None:
    if manifest.format != "commonplace-export" or manifest.version > exchange.VERSION:
        raise UnavailableError(
            f"this file has export format {manifest.version}; this version reads up to {exchange.VERSION}",
            hint="Upgrade: pip install --upgrade commonplace",
            code="newer",
        )
