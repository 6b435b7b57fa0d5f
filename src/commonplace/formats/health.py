"""How a book in files is: what doctor names beside what the format itself finds, and what can be mended from what is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from commonplace.errors import UnavailableError
from commonplace.formats.journal_check import is_whole
from commonplace.model.finding import Finding, Severity

if TYPE_CHECKING:
    from commonplace.formats.journal_file import Heading, JournalFile
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Stamp


def of_journal(journal: JournalFile) -> Iterator[Finding]:
    for number, reason in journal.broken():
        yield Finding(
            code="corrupt",
            message=f"a line of the book's journal {reason}",
            where=f"{journal.path}:{number}",
            hint="`commonplace doctor --repair` writes the journal anew if the catalog still has all of it.",
        )


def not_understood(view: View) -> Iterator[Finding]:
    for path, line, reason in view.inventory().asides():
        yield Finding(
            code="not_understood",
            message=reason,
            severity=Severity.WARNING,
            where=f"{path}:{line}" if line else path,
            hint="It stays as it is and is no memory. Mend it in an editor, or leave it.",
        )


def can_mend(view: View, journal: JournalFile) -> bool:
    """Is the journal damaged, and does the catalog know all that it ever said?"""
    known = int(view.inventory().fact("journal_size") or 0)
    if known != journal.size() or next(journal.broken(), None) is None:
        return False
    return is_whole(view.chain())


def refuse_other_format(heading: Heading, format: str, path: str) -> None:
    """The files of a book in another format would all look as if they were gone."""
    if heading.canon != format:
        raise UnavailableError(
            f"this folder holds a book in another format: {heading.canon}",
            where=path,
            hint=f"Open it as {heading.canon}:FOLDER; `commonplace copy` makes a {format} of it in a folder of its own.",
            code="foreign",
        )


def refuse_foreign(view: View, scan: dict[str, Stamp], heading: Heading, path: str) -> None:
    """The files are those we know, to the last stamp; only the journal beside them is another book's."""
    known = view.inventory().stamps()
    if known and scan == known:
        raise UnavailableError(
            f"the journal beside the files is that of another book, {heading.book_id}",
            where=path,
            hint="Put the right one back; or move this one away, and it is written anew from what is known.",
            code="foreign",
        )
