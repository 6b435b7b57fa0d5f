"""`LedgerFormat`: a digest and a ledger in a folder, as the digest + ledger design has them.

The ledger is append-only. One change is one line, and a line is written only for what a line can say: a statement that is
new, said again, put differently or let in, and a digest that changed. All else that becomes of a memory is in the book's
journal. The line always comes before the page, so that nobody ever sees a digest without the line that says why (row 6).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from commonplace import settings
from commonplace.errors import StaleError
from commonplace.formats.ledger.change import LEDGER, PAGE, Change
from commonplace.formats.ledger.entries import ANYTHING, BY_LINES, entries_of, word_fields
from commonplace.formats.ledger.lines import read_lines
from commonplace.formats.ledger.page import KIND, page_fields, read_page, write_page
from commonplace.formats.looked import Looked, away, names_in, stamp_of
from commonplace.model.hashing import sha256
from commonplace.model.words import Status
from commonplace.seam.format import Altered, Contents, Known, Place, Put, Stamp, Written

if TYPE_CHECKING:
    from commonplace.model.finding import Finding
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Shelf

# Others may have cut an old ledger into pieces (V18): `ledger-2026-11.jsonl`, `ledger.1.jsonl`. They are read, never written.
_SEGMENT = re.compile(r"ledger[-.]\d[\d-]*\.jsonl")


class LedgerFormat:
    """One directory of the digest + ledger design. Pure: it reads bytes and says what to write."""

    name = "ledger"
    holds = frozenset({"content"})
    largest = settings.MAX_BOOK_FILE_BYTES
    may_vanish = True

    def scan(self, folder: str) -> dict[str, Stamp]:
        found = Looked()
        for name in _names(folder):
            try:
                info = os.lstat(os.path.join(folder, name))
            except OSError:
                found.hidden.append(name)
                continue
            if stat.S_ISREG(info.st_mode):
                found[name] = stamp_of(info)
        found.hidden += away(folder, (name for name in (PAGE, LEDGER) if name not in found))
        if len(found) > 1 and LEDGER in found and not found[LEDGER].size and any(map(_SEGMENT.fullmatch, found)):
            del found[LEDGER]  # all of it was cut off into a piece: that is a move, not a loss
        return found

    def read(self, path: str, raw: bytes) -> Contents:
        if path == PAGE:
            return read_page(raw)
        lines, aside = read_lines(raw)
        return Contents([entry.found() for entry in entries_of(lines)], aside)

    def write(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        return Change(altered, shelf).written()

    def restored(self, gone: Sequence[Known], shelf: Shelf) -> Sequence[Put]:
        """The digest, if its file was cut to nothing while the ledger still tells of one (row 41).

        Somebody who means to empty it says so by a patch or by `forget`: then the ledger's last word is an empty digest.
        """
        known = next((one for one in gone if one.place.path == PAGE), None)
        record = shelf.record(known.memory_id) if known is not None else None
        if record is None or record.status is not Status.ACTIVE or not _tells_of_digest(shelf):
            return ()
        # What the book knew last may be newer than the ledger: a person wrote it there.
        return (Put(PAGE, write_page(record.content, None), sha256(b"")),)

    def write_personal(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        return self.write(altered, shelf)  # nothing here is anybody's own

    def told(self, record: MemoryRecord) -> Mapping[str, Any]:
        if record.kind == KIND:
            return page_fields(record.content)
        return {**word_fields(record.content), **dict.fromkeys(BY_LINES, ANYTHING)}

    def names(self, place: Place) -> tuple[str, ...]:
        return (PAGE,) if place.path == PAGE else ()

    def derived(self, view: View, shelf: Shelf, altered: Iterable[str]) -> Sequence[Put]:  # noqa: ARG002
        return ()

    def findings(self, folder: str) -> Iterator[Finding]:
        from commonplace.formats.ledger.findings import findings_of

        return findings_of(folder)


def last_digest(raw: bytes) -> str | None:
    """What the ledger says the digest was last."""
    return next((line.digest for line in reversed(read_lines(raw)[0]) if line.digest is not None), None)


def _tells_of_digest(shelf: Shelf) -> bool:
    try:
        return bool(last_digest(shelf.content(LEDGER) or b""))
    except StaleError:  # somebody wrote there a moment ago: better a page too many than one too few
        return True


def _names(folder: str) -> list[str]:
    try:
        names = names_in(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(name for name in names if name in (PAGE, LEDGER) or _SEGMENT.fullmatch(name))
