"""The draft of a file book: the catalog's own, and a note of everything that the catalog keeps outside of the journal.

The catalog of a file book can be deleted. What it knows beyond the journal's entries and the files (idempotency keys, what was
purged elsewhere, another book's history) therefore goes into the journal file as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from commonplace.formats.journal_file import Line

if TYPE_CHECKING:
    from commonplace.model.operation import Entry, Operation
    from commonplace.seam.catalog import Draft
    from commonplace.seam.terms import Signature


class FileDraft:
    """Passes everything on; notes what must be written beside the entries."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.beside: list[Line] = []
        self.erased: set[str] = set()
        """What was destroyed: the journal must then be written anew, without it."""

        self.destroyed: list[str] = []
        """The words of it: copies that others made are looked for by them."""
        self.adopts = False
        """Another book's journal is followed: it says all there is to say, and nothing is added to it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._draft, name)

    def remember(self, key: str, asked: str, memory_id: str) -> None:
        self._draft.remember(key, asked, memory_id)
        self.beside.append(Line(remember=(key, asked, memory_id)))

    def adopt_all(self, entries: Sequence[tuple[Entry, Operation]]) -> None:
        self._draft.adopt_all(entries)
        self.adopts = True

    def bury(self, id: str, mark: bytes | None, seq: int) -> None:
        self._draft.bury(id, mark, seq)
        self.beside.append(Line(bury=(id, mark, seq)))

    def keep_foreign(self, origin: str, entries: Sequence[tuple[Entry, Operation]]) -> None:
        self._draft.keep_foreign(origin, entries)
        self.beside += [Line(foreign=(origin, entry)) for entry, _ in entries]

    def erase(self, signature: Signature, memory_ids: list[str], source_ids: list[str]) -> int:
        self.destroyed += [record.content for id in memory_ids if (record := self._draft.memory(id)) is not None]
        erased = self._draft.erase(signature, memory_ids, source_ids)
        self.erased |= {*memory_ids, *source_ids}
        return erased
