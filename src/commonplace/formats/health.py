"""How a book in files is: what doctor names beside what the format itself finds, and what can be mended from what is known."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from commonplace.errors import UnavailableError
from commonplace.formats.journal_check import LEFT, is_whole
from commonplace.formats.journal_file import FOLDER
from commonplace.model.finding import Finding, Severity
from commonplace.storage.atomic_write import is_partial

if TYPE_CHECKING:
    from commonplace.formats.journal_file import Heading, JournalFile
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Stamp


def of_journal(journal: JournalFile) -> Iterator[Finding]:
    for number, reason in journal.broken():
        is_harmless = reason == LEFT
        anew = "`commonplace doctor --repair` writes the journal anew if the catalog still has all of it."
        yield Finding(
            code="left_over" if is_harmless else "corrupt",
            message=f"a line of the book's journal {reason}",
            severity=Severity.INFO if is_harmless else Severity.ERROR,
            where=f"{journal.path}:{number}",
            hint="Nothing is missing; it is passed over." if is_harmless else anew,
        )


def out_of_step(view: View, journal: JournalFile) -> Iterator[Finding]:
    """Where the file first tells another story than the catalog: an entry was altered, taken out or put elsewhere."""
    last = _last_in_step(view, journal) if journal.exists() else None
    if last is not None:
        yield Finding(
            code="journal_broken",
            message=f"behind entry {last} the journal's file does not go on as it was written",
            where=journal.path,
            hint="Compare with a backup; `commonplace doctor --repair` writes it anew from what the catalog knows.",
        )


def _last_in_step(view: View, journal: JournalFile) -> int | None:
    """The last entry before the file and the catalog part; None if they do not."""
    chain, highest, last = view.chain(), view.highest_seq(), 0
    for entry in (line.journal for group in journal.groups() for line in group.lines if line.journal):
        if entry.seq > highest:  # written since
            return None
        known = next(chain, None)
        while known and not last and known.seq < entry.seq:  # told by the journal of another device
            known = next(chain, None)
        if known is None or (known.seq, known.hash) != (entry.seq, entry.hash) or not entry.is_sound():
            return last
        last = entry.seq
    return None if next(chain, None) is None else last


def not_understood(view: View, named: Collection[str | None]) -> Iterator[Finding]:
    """What could not be understood, where nobody has named it yet."""
    for path, line, reason in view.inventory().asides():
        where = f"{path}:{line}" if line else path
        if where not in named:
            yield Finding(
                code="not_understood",
                message=reason,
                severity=Severity.WARNING,
                where=where,
                hint="It stays as it is and is no memory. Mend it in an editor, or leave it.",
            )


def left_over(folder: str) -> Iterator[Finding]:
    """What a writer left that was killed before its change had happened. Not deleted: it may hold what another one wrote."""
    for path in walked(folder):
        if is_partial(path):
            yield Finding(
                code="left_over",
                message="a file that was being written when its writer was ended; it is no part of the book",
                severity=Severity.WARNING,
                where=path,
                hint="If nobody is writing now, look at it, then delete it.",
            )


def walked(folder: str) -> Iterator[str]:
    """Every file below a folder by its name from there; links are not followed, nor folders of other programs."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." or name == FOLDER)
        yield from (os.path.relpath(os.path.join(where, name), folder) for name in sorted(names))


def can_mend(view: View, journal: JournalFile) -> bool:
    """Is the journal damaged, and does the catalog know all that it ever said?"""
    if (view.inventory().facts().journal_size or 0) != journal.size():
        return False
    is_damaged = any(reason != LEFT for _, reason in journal.broken()) or _last_in_step(view, journal) is not None
    return is_damaged and is_whole(view.chain())


def refuse_other_format(heading: Heading, format: str, path: str) -> None:
    """The files of a book in another format would all look as if they were gone."""
    if heading.canon != format:
        raise UnavailableError(
            f"this folder holds a book in another format: {heading.canon}",
            where=path,
            hint=f"Open it as {heading.canon}:FOLDER; `commonplace copy` makes a {format} of it in a folder of its own.",
            code="foreign",
        )


def refuse_foreign(view: View, scan: dict[str, Stamp], heading: Heading, journal: JournalFile) -> None:
    """The files are those we know, to the last stamp; only the journal beside them is another book's. If it tells what we know,
    it is not the journal that is wrong."""
    known = view.inventory().stamps()
    if known and scan == known and _last_in_step(view, journal) is not None:
        raise UnavailableError(
            f"the journal beside the files is that of another book, {heading.book_id}",
            where=journal.path,
            hint="Put the right one back; or move this one away, and it is written anew from what is known.",
            code="foreign",
        )
