"""One change on its way into the files: at most one line at the end of the ledger, then the page if the digest changed.

Who stands on the page? Whoever stands there now, as long as it is active; else another active memory of kind `digest`.
Which statements get a line? Those that are new, said again, put differently, or active for the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from commonplace.formats.ledger.erasing import erased
from commonplace.formats.ledger.lines import Item, entry_line
from commonplace.formats.ledger.page import KIND, is_utf8, write_page
from commonplace.model.hashing import sha256
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status
from commonplace.seam.format import Altered, Append, Known, Place, Put, Remove, Step, Written

if TYPE_CHECKING:
    from commonplace.seam.format import Shelf

PAGE, LEDGER = "digest.md", "ledger.jsonl"
WORDS = "words-"
"""How the key of an entry begins that no line gives an id to."""


class _Said(NamedTuple):
    """An item of the new line, and whose it is."""

    memory_id: str
    key: str
    item: Item

    def known(self) -> Known:
        return Known(Place(LEDGER, self.key), self.memory_id, sha256(self.item.text.encode()))


class Change:
    """What one transaction asks of the files."""

    def __init__(self, altered: Sequence[Altered], shelf: Shelf) -> None:
        self._shelf = shelf
        self._after = {one.memory_id: one.record for one in altered if one.record is not None}
        self._before = {one.memory_id: one.before for one in altered}
        self._purged = [one.memory_id for one in altered if one.record is None]
        standing = shelf.at(PAGE)
        self._holder = standing[0].memory_id if standing else None
        self._page = self._next_page()

    def written(self) -> Written:
        said = [one for id, record in self._after.items() if (one := self._said(id, record))]
        digest = self._digest()
        line = entry_line(self._shelf.now, digest, [one.item for one in said]) if said or digest is not None else b""
        known = [one.known() for one in said if one.item.kind is None]
        return Written(
            [*self._ledger_steps(line), *self._page_steps(digest, known)], known, [*self._purged, *self._off_the_page()]
        )

    def _next_page(self) -> MemoryRecord | None:
        stays = self._holder is not None and self._holder not in self._purged
        if stays and self._holder not in self._after:
            return self._shelf.record(self._holder or "")
        candidates = [self._after.get(self._holder or ""), *self._after.values()]
        return next((one for one in candidates if one and one.kind == KIND and one.status is Status.ACTIVE), None)

    def _off_the_page(self) -> list[str]:
        left = self._holder is not None and (self._page is None or self._page.id != self._holder)
        return [self._holder] if left and self._holder and self._holder not in self._purged else []

    def _digest(self) -> str | None:
        """The line's digest: None if it stays what it is, empty if the page becomes empty."""
        if self._page is None:
            return "" if self._off_the_page() else None
        if self._erases_digests():
            return self._page.content  # the ledger is about to forget every digest, also the one that stands
        if self._page.id not in self._after:
            return None
        stays = self._page.id == self._holder and _same(self._before[self._page.id], self._page)
        return None if stays else self._page.content

    def _said(self, id: str, record: MemoryRecord) -> _Said | None:
        if self._page is not None and id == self._page.id:
            return None
        before, known = self._before[id], self._shelf.known(id)
        if before is not None and (record.kind == KIND or not _says_more(before, record)):
            return None  # what became of it, and old digests, are in the journal
        retained = record.status is Status.ACTIVE and record.kind != KIND
        if known is not None and known.place.key.startswith(WORDS) and _same(before, record):
            # Others wrote it, without an id. It goes on to be known by its words, and only what is retained has a line.
            return _Said(id, known.place.key, Item(record.content, None)) if retained else None
        status = None if retained else str(record.status)
        return _Said(id, id, Item(record.content, id, status, KIND if record.kind == KIND else None))

    def _erases_digests(self) -> bool:
        return any(id == self._holder or self._was_digest(id) for id in self._purged)

    def _was_digest(self, id: str) -> bool:
        before = self._before[id]
        return before is not None and before.kind == KIND

    def _ledger_steps(self, line: bytes) -> list[Step]:
        if not self._purged:
            return [Append(LEDGER, line)] if line else []
        places = [known.place for id in self._purged if (known := self._shelf.known(id)) is not None]
        keys = frozenset(place.key for place in places)
        paths = dict.fromkeys((LEDGER, *(place.path for place in places if place.path != PAGE)))
        return [step for path in paths for step in self._without(path, keys, line if path == LEDGER else b"")]

    def _without(self, path: str, keys: frozenset[str], line: bytes) -> list[Step]:
        raw = self._shelf.content(path)
        if raw is None:
            return [Append(path, line)] if line else []
        left = erased(raw, keys, digests=self._erases_digests())
        if line:
            left += (b"" if left.endswith(b"\n") or not left else b"\n") + line
        return [Put(path, left, sha256(raw))] if left != raw else []

    def _page_steps(self, digest: str | None, known: list[Known]) -> list[Step]:
        before = self._shelf.content(PAGE) if digest is not None or self._holder in self._purged else None
        if self._holder in self._purged and self._page is None:
            return [Remove(PAGE, sha256(before))] if before is not None else []
        if digest is None or (self._page is not None and self._page.id not in self._after):
            return []
        page = write_page(digest, before)
        if self._page is not None:
            known.append(Known(Place(PAGE), self._page.id, sha256(page)))
        if before == page or (before is None and not page):
            return []
        return [*self._copy_of_odd(before), Put(PAGE, page, None if before is None else sha256(before))]

    def _copy_of_odd(self, before: bytes | None) -> list[Step]:
        """Bytes that could not be read in full are in no journal: they go beside the page before it is replaced (row 32)."""
        if before is None or is_utf8(before):
            return []
        beside = f"{PAGE}.{sha256(before).hex()[:12]}.bytes"
        return [] if self._shelf.is_taken(beside) or self._shelf.content(beside) else [Put(beside, before, None)]


def _says_more(before: MemoryRecord, after: MemoryRecord) -> bool:
    """Is there something to say to whoever reads the ledger: other words, said again, or let in?"""
    let_in = before.status is not Status.ACTIVE and after.status is Status.ACTIVE
    return not _same(before, after) or after.occurrences > before.occurrences or let_in


def _same(before: MemoryRecord | None, after: MemoryRecord) -> bool:
    return before is not None and before.content == after.content
