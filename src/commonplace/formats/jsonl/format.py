"""`memories.jsonl`: one memory on each line, exactly as the specification of built-in agent memory has it (G3-G13).

A line holds the id (`m-4`), scope, text, tags and time. What it cannot hold is in the book's journal. Only active memories
stand in the file: what waits in the inbox enters when it is let in, and what is archived, superseded or deleted leaves, and
comes back under the same id when it is restored. An id is never given twice: should the highest one leave, it is noted.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from commonplace import settings
from commonplace.errors import TooLargeError
from commonplace.formats.jsonl.findings import beside, inside
from commonplace.formats.jsonl.ids import FILE, HIGHEST, UTF_16, Entering, Ids, go_last, marked
from commonplace.formats.jsonl.left import LEFT, Note, noted, recalled
from commonplace.formats.jsonl.lines import Odd, changed, entry_of, line_of
from commonplace.formats.jsonl.rewriting import BOM, highest_in, rewritten, without
from commonplace.formats.looked import Looked, away, stamp_of, unreadable
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status
from commonplace.seam.format import Altered, Append, Aside, Contents, Found, Known, Place, Put, Stamp, Step, Written

if TYPE_CHECKING:
    from commonplace.model.finding import Finding
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Shelf

SET_ASIDE = ".commonplace/set-aside.jsonl"
_NOTES = (HIGHEST, LEFT, SET_ASIDE)
# So many lines that cannot be understood are named one by one; the rest are counted.
_NAMED_ASIDE = 1_000


class JsonlFormat:
    """Memories as lines of one file."""

    name = "jsonl"
    holds = frozenset(("content", "scope", "scope_word", "repo_id", "tags", "created_at"))
    largest = settings.MAX_BOOK_FILE_BYTES
    may_vanish = False

    def __init__(self, id_start: int = 1) -> None:
        self._ids = Ids(id_start)

    # Reading --------------------------------------------------------------------------------------------------------------

    def scan(self, folder: str) -> dict[str, Stamp]:
        """The file, and the notes that we keep for it: they change with it, and are looked at with the same care.

        It is read whole, so one that is far too large is refused before anything is done with it (row 43).
        """
        found = Looked()
        found.update({path: stamp for path in (FILE, *_NOTES) if (stamp := _stamp(os.path.join(folder, path)))})
        found.hidden += away(folder, (FILE,) if FILE not in found else ())
        if FILE in found and found[FILE].size > self.largest:
            raise _too_large(found[FILE].size)
        return found

    def read(self, path: str, raw: bytes) -> Contents:
        if path != FILE:
            return Contents(())
        self._ids.see(highest_in(raw))
        if raw.startswith(UTF_16):
            return Contents((), (Aside(1, "the file is UTF-16; it must be UTF-8"),))
        standing: dict[str, tuple[int, Found]] = {}
        aside: list[Aside] = []
        for number, line in enumerate(raw.removeprefix(BOM).splitlines(), 1):
            if not line.strip():
                continue
            try:
                found = _found(line)
            except Odd as why:
                aside.append(Aside(number, str(why)))
                continue
            if found.key in standing:
                earlier, _ = standing.pop(found.key)
                aside.append(Aside(earlier, f"{found.key} stands again further down, and that counts"))
            standing[found.key] = (number, found)
        return Contents([found for _, found in standing.values()], _bounded(aside))

    def write_personal(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        return self.write(altered, shelf)  # nothing here is anybody's own

    def told(self, record: MemoryRecord) -> Mapping[str, Any]:
        """What a line of this record would say: an edit of the line changes only what differs from this."""
        return entry_of(line_of("m-0", record)).fields

    def restored(self, gone: Sequence[Known], shelf: Shelf) -> Sequence[Put]:  # noqa: ARG002 (no other file tells it)
        return ()

    def names(self, place: Place) -> tuple[str, ...]:
        return (place.key,)

    # Writing --------------------------------------------------------------------------------------------------------------

    def write(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        change = _Change(altered, shelf)
        keys = self._ids.give(change.entering, shelf) if change.entering else {}
        lines = {key: _line(key, one) for key, one in keys.items()}
        known = [_known(key, one.record.id, lines[key]) for key, one in keys.items()]
        if not change.needs_rewriting and go_last(lines, shelf):
            shelf.must_be_as_known(FILE)  # a line that nobody has seen yet may have the id that ours is about to get
            steps: list[Step] = [Append(FILE, b"".join(line + b"\n" for line in lines.values()))] if lines else []
            return Written(steps, known)
        return self._rewritten(change, lines, known, shelf)

    def _rewritten(self, change: _Change, lines: dict[str, bytes], known: list[Known], shelf: Shelf) -> Written:
        before = shelf.content(FILE)
        new = rewritten(before or b"", change.changing, change.leaving, lines)
        known += [_known(key, change.changing[key].id, line) for key, line in new.now.items()]
        steps: list[Step] = []
        if new.content != (before or b""):
            steps.append(Put(FILE, new.content, None if before is None else sha256(before).digest()))
        steps += marked(before or b"", new.content, _last(lines, change, shelf), shelf)
        steps += noted(change.notes(new.gone), change.purged, shelf)
        steps += _set_aside(new.repeated, {key for key, id in change.leaving.items() if id in change.purged}, shelf)
        return Written(steps, known, [*change.leaving.values()])

    # Beside the memories --------------------------------------------------------------------------------------------------

    def derived(self, view: View, shelf: Shelf, altered: Iterable[str]) -> Sequence[Put]:  # noqa: ARG002 (it has none)
        return ()

    def findings(self, folder: str) -> Iterator[Finding]:
        yield from beside(folder)
        path = os.path.join(folder, FILE)
        try:
            found = _stamp(path)
            if found is not None and found.size <= self.largest:
                with open(path, "rb") as file:
                    yield from inside(self.read(FILE, file.read()).aside)
        except OSError as cause:
            yield unreadable(FILE, cause)


class _Change:
    """What one transaction means to the file."""

    def __init__(self, altered: Sequence[Altered], shelf: Shelf) -> None:
        self.entering: list[Entering] = []
        self.changing: dict[str, MemoryRecord] = {}
        self.leaving: dict[str, str] = {}
        self.purged = {one.memory_id for one in altered if one.record is None}
        self._in_our_form: dict[str, bytes] = {}
        for one in altered:
            known = shelf.known(one.memory_id)
            if one.record is not None and one.record.status is Status.ACTIVE:
                self._stands(one.record, known, shelf, is_new=one.before is None)
            elif known is not None:
                self.leaving[known.place.key] = one.memory_id
                if one.record is not None:
                    self._in_our_form[known.place.key] = line_of(known.place.key, one.record)

    def _stands(self, record: MemoryRecord, known: Known | None, shelf: Shelf, *, is_new: bool) -> None:
        if known is None:
            self.entering.append(Entering(record, None if is_new else recalled(record.id, shelf)))
        elif sha256(line_of(known.place.key, record)).digest() != known.digest:
            self.changing[known.place.key] = record

    @property
    def needs_rewriting(self) -> bool:
        return bool(self.changing or self.leaving or self.purged)

    def notes(self, gone: Mapping[str, bytes]) -> list[Note]:
        """Of what leaves and may come back; the line itself only where it is more than we would write."""
        return [
            Note(key, self.leaving[key], None if gone.get(key) == ours else gone.get(key))
            for key, ours in self._in_our_form.items()
        ]


def _line(key: str, one: Entering) -> bytes:
    """Its line: as people wrote it, where they did, with what was changed since."""
    if one.left is not None and one.left.line is not None and one.left.key == key:
        with suppress(Odd):
            return changed(one.left.line, one.record)
    return line_of(key, one.record)


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stamp_of(found) if stat.S_ISREG(found.st_mode) else None


def _last(lines: dict[str, bytes], change: _Change, shelf: Shelf) -> str | None:
    """The id of what was added last, once this change is written; None if that is not known without looking at everything."""
    last = shelf.last(FILE)
    standing = last.place.key if last else None
    return next(reversed(lines), None if standing in change.leaving else standing)


def _found(line: bytes) -> Found:
    entry = entry_of(line)
    return Found(entry.key, sha256(line).digest(), entry.fields)


def _known(key: str, memory_id: str, line: bytes) -> Known:
    return Known(Place(FILE, key), memory_id, sha256(line).digest())


def _set_aside(repeated: list[bytes], purged: set[str], shelf: Shelf) -> list[Step]:
    """Lines that never counted are kept beside the file when their id leaves; a purge destroys them too."""
    kept = [line for line in repeated if entry_of(line).key not in purged]
    before = shelf.content(SET_ASIDE) if kept or purged else None
    after = without(before or b"", purged) + b"".join(line + b"\n" for line in kept)
    if after == (before or b""):
        return []
    return [Put(SET_ASIDE, after, None if before is None else sha256(before).digest())]


def _bounded(aside: list[Aside]) -> list[Aside]:
    named = aside[:_NAMED_ASIDE]
    if len(aside) > len(named):
        named.append(Aside(aside[_NAMED_ASIDE].line, f"{len(aside) - len(named)} more lines cannot be understood"))
    return named


def _too_large(size: int) -> TooLargeError:
    return TooLargeError(
        f"{FILE} has {size} bytes; the limit is {JsonlFormat.largest}",
        where=FILE,
        hint="Is it the right file? A larger book belongs into sqlite:, see `commonplace copy`.",
    )
