"""A book whose truth is files: a folder in one of the formats, a journal beside it, and a catalog derived from both.

Reading: whatever changed in the files since the last look is taken in first, then the catalog answers. Writing: the catalog's
draft is changed, the format says what that means for the files, and then, in this order, the new bytes are staged, the journal
is appended to (from here on it has happened), the files get their bytes, and the catalog commits. Whoever comes after a crash
finds the journal ahead of the catalog and goes on from there. The catalog's turnstile, which lies outside of the folder, is the
book's write mutex.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from commonplace import settings
from commonplace.errors import CommonplaceError, ConflictError, CorruptError, LockedError, StaleError, UnavailableError
from commonplace.formats.copies import Copies
from commonplace.formats.draft import FileDraft
from commonplace.formats.health import (
    can_mend,
    left_over,
    not_understood,
    of_journal,
    out_of_step,
    refuse_foreign,
    refuse_other_format,
)
from commonplace.formats.journal_file import VERSION, Heading, JournalFile, device
from commonplace.formats.looked import digest, with_hidden
from commonplace.formats.putting_down import Putting
from commonplace.formats.reconcile import Reconciler
from commonplace.formats.recovery import absorb, is_behind, is_outdated
from commonplace.formats.shelf import BookShelf
from commonplace.formats.steps import Files
from commonplace.formats.straying import strayed
from commonplace.formats.witness import witness
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.seam.derived import CatalogHome, Derived
from commonplace.seam.terms import Capabilities, Progress
from commonplace.storage.atomic_write import in_our_words, remove
from commonplace.storage.folders import copy_folder, remove_folder
from commonplace.storage.locks.folder import alone_in
from commonplace.storage.swap import replace_checked

if TYPE_CHECKING:
    from commonplace.model.finding import Finding
    from commonplace.seam.canon import Canon
    from commonplace.seam.catalog import Draft, View
    from commonplace.seam.format import Format, Stamp


class FileCanon:
    """See `seam.canon.Canon` for the promises."""

    def __init__(self, folder: str, format: Format, home: CatalogHome, *, create: bool = True) -> None:
        self.folder = os.path.realpath(folder)
        self._format, self._home = format, home
        beside = tuple(sorted({*MemoryRecord.__struct_fields__} - format.holds))
        self.capabilities = Capabilities(held_beside=beside)
        self._files, self._journal = Files(self.folder), JournalFile(self.folder)
        self._thread = threading.local()
        self._seen: tuple[int, dict[str, Stamp]] = (-1, {})
        self._look_cost, self._looked, self._must_look = 0.0, 0.0, False
        self._altered: set[str] = set()
        self._copies = Copies(self.folder)
        self._is_damaged = self._is_passing = self._was_there = False
        there = os.path.lexists(self.folder)
        if (not there and not create) or (there and not os.path.isdir(self.folder)):
            raise _missing(self.folder, home)
        self._catalog = self._open_catalog()
        self._check_folder()

    def _open_catalog(self) -> Derived:
        heading = self._journal.heading()
        if heading is not None:
            refuse_other_format(heading, self._format.name, self._journal.path)
        origin = (heading.book_id, heading.tombstone_key) if heading else (new_id(), os.urandom(32).hex())
        catalog = self._opened(origin)
        if catalog is not None and (heading is None or _is_of(catalog, origin)):
            return catalog
        if catalog is not None and heading is not None:
            self._must_be_replaced(catalog, heading)
        self._home.discard()
        return self._home.open(origin)

    def _opened(self, origin: tuple[str, str]) -> Derived | None:
        """The catalog; None if it is damaged."""
        try:
            return self._home.open(origin)
        except (CorruptError, UnavailableError) as cause:
            if cause.code in _NOT_THE_CATALOGS_FAULT:
                raise
            return None

    def _must_be_replaced(self, catalog: Derived, heading: Heading) -> None:
        """Another book stands here now. Or is it only its journal?"""
        try:
            with suppress(CorruptError), catalog.reading() as view:
                refuse_foreign(view, self._scan(), heading, self._journal)
        finally:
            catalog.close()

    def _check(self) -> None:
        """Is everything where it was? A catalog that was taken away, or that knows what was purged, is only a catalog."""
        if self._is_damaged:
            self._begin_anew()
        try:
            self._catalog.must_be_in_place()
        except UnavailableError:
            self._catalog.close()
            self._open_again()
        self._check_folder()
        if self._is_outdated():
            self._begin_anew()

    def _is_outdated(self) -> bool:
        """Has the journal gone on to an edition that the catalog cannot follow? Whoever purges tells the journal first and the
        catalog a moment later, so this is asked again when nobody is writing. While somebody is, what is known is known."""
        try:
            with self._catalog.reading() as view:
                if not is_outdated(view, self._journal, self.book_id):
                    return False
            with self._catalog.writing(settings.FILE_LOOK_WAIT_SECONDS, durable=False) as draft:
                return is_outdated(draft, self._journal, self.book_id)
        except CorruptError:
            return True
        except (LockedError, ConflictError):
            return False

    def _check_folder(self) -> None:
        """A folder that was here and is gone was not emptied: its disk is."""
        if os.path.isdir(self.folder):
            self._was_there = True
            return
        with self._catalog.reading() as view:
            known = self._was_there or view.inventory().facts().generation
        if os.path.isdir(self.folder):
            return  # somebody began the book just now
        if known and not self._format.may_vanish:
            raise _missing(self.folder, self._home)
        if known:
            self._was_there = False
            self._begin_anew()

    @property
    def url(self) -> str:
        return f"{self._format.name}:{self.folder}"

    @property
    def book_id(self) -> str:
        return self._catalog.book_id

    @property
    def format_version(self) -> int:
        return VERSION

    @contextmanager
    def reading(self) -> Iterator[View]:
        try:
            if not getattr(self._thread, "writing", False):
                self._refresh()
            with self._catalog.reading() as view:
                yield view
        except CorruptError:
            self._is_damaged = True
            raise

    @contextmanager
    def writing(self, timeout: float, *, durable: bool = True) -> Iterator[Draft]:
        del durable  # the journal file is what is flushed, and only when there is something to tell
        self._check()
        happened = False
        try:
            with self._alone(timeout) as plain:
                self._thread.writing = True
                try:
                    draft = FileDraft(plain)
                    self._catch_up(draft, look=self._is_look_owed(draft))
                    putting = self._putting(draft)
                    yield cast("Draft", draft)
                    putting.put_down()
                    self._altered |= {*putting.altered}
                    if draft.erased:
                        self._derive(cast("View", draft))
                        self._copies.look_for(draft.destroyed)
                    happened = putting.happened
                finally:
                    self._thread.writing = False
        except StaleError:
            self._must_look = (
                True  # whoever tries again finds the other's edit taken in, however short a while ago we looked
            )
            raise
        except (UnavailableError, CorruptError) as cause:
            self._is_damaged = isinstance(cause, CorruptError)  # the catalog: the next call makes it anew
            if not happened:  # else journal and files hold it, and only the catalog could not take it in: it will
                raise

    @contextmanager
    def _alone(self, timeout: float) -> Iterator[Draft]:
        """The turnstile lets in one of those who share this catalog; the folder's own lock, one of those who share the folder."""
        with self._catalog.writing(timeout, durable=False) as plain, alone_in(self.folder, timeout):
            yield plain

    def _refresh(self) -> None:
        """Take in what was changed in the files. Whoever cannot wait for that, or cannot note it, reads what is known: unless
        nothing is, or something is missing that was acknowledged. To know nothing is not the same as there being nothing."""
        self._check()
        try:
            if not self._is_stale():
                return
            with self._alone(settings.FILE_LOOK_WAIT_SECONDS) as plain:
                self._catch_up(FileDraft(plain), look=True)
        except (LockedError, ConflictError):
            if self._is_empty():
                raise
        except UnavailableError as cause:
            if cause.code == "missing" or self._is_empty() or self._is_behind():
                raise

    def _is_empty(self) -> bool:
        """Has the catalog never been built?"""
        with self._catalog.reading() as view:
            facts = view.inventory().facts()
            return not facts.generation and facts.journal_size is None

    def _is_behind(self) -> bool:
        with self._catalog.reading() as view:
            return (view.inventory().facts().journal_size or 0) < self._journal.size()

    def _is_stale(self) -> bool:
        with self._catalog.reading() as view:
            if (view.inventory().facts().journal_size or 0) != self._journal.size():
                return True
            return not self._is_known(view, self._scan())

    def _is_known(self, view: View, scan: dict[str, Stamp]) -> bool:
        """Are the files as they were? Where nothing changed since the last look, one hash tells, without asking for each."""
        facts = view.inventory().facts()
        if facts.generation != self._seen[0] and facts.looked == f"{facts.generation} {digest(scan)}":
            return True
        known = self._known(view)
        return with_hidden(scan, known) == known

    def _scan(self) -> dict[str, Stamp]:
        began = time.monotonic()
        with in_our_words(self.folder):
            found = self._format.scan(self.folder)
        self._looked = time.monotonic()
        self._look_cost = self._looked - began
        self._must_look = False
        return found

    def _is_look_owed(self, draft: FileDraft) -> bool:
        """Before a write, files are looked through unless there are many and that was done a moment ago."""
        if self._must_look or self._are_few(draft):
            return True
        return self._is_due() and not self._others_have_looked(draft)

    def _are_few(self, draft: FileDraft) -> bool:
        return len(self._known(cast("View", draft))) <= settings.FILE_LOOK_FEW

    def _is_due(self) -> bool:
        """See `settings.FILE_LOOK_SHARE`."""
        return time.monotonic() - self._looked >= self._look_cost * settings.FILE_LOOK_SHARE

    def _others_have_looked(self, draft: FileDraft) -> bool:
        """What another process took in a moment ago is in the catalog: among many writers, one looks for all."""
        facts = draft.inventory().facts()
        if not 0 <= time.monotonic() - facts.looked_at < facts.look_cost * settings.FILE_LOOK_SHARE:
            return False
        self._looked, self._look_cost = facts.looked_at, facts.look_cost
        return True

    def _known(self, view: View) -> dict[str, Stamp]:
        """How the files looked that are known, kept from one look to the next as long as nobody changes any."""
        generation = view.inventory().facts().generation
        if generation != self._seen[0]:
            self._seen = (generation, view.inventory().stamps())
        return self._seen[1]

    def _catch_up(self, draft: FileDraft, *, look: bool) -> None:
        plain = cast("Draft", draft)
        if is_outdated(plain, self._journal, self.book_id):
            raise LockedError("the book was begun or purged just now, and is being caught up with", where=self.folder)
        if is_behind(plain, self._journal):
            self._putting(draft).write_anew()
        absorb(plain, self._journal, self._files, self._format)
        if look:
            self._look(draft)

    def _look(self, draft: FileDraft) -> None:
        began = time.monotonic()
        scan = self._scan()
        is_known = self._is_known(cast("View", draft), scan)
        self._look_cost = time.monotonic() - began
        draft.inventory().note(looked_at=self._looked, look_cost=self._look_cost)
        if is_known:
            return
        known = self._known(cast("View", draft))
        outcome = Reconciler(cast("Draft", draft), self._format, self._files, datetime.now(UTC)).run(scan, known)
        if self._journal.exists():  # a folder that was only ever read is not written to
            self._putting(draft).note(outcome)
        if self._known(cast("View", draft)) == scan:
            draft.inventory().note(looked=f"{self._seen[0]} {digest(scan)}")

    def _putting(self, draft: FileDraft) -> Putting:
        return Putting(draft, self._format, self._files, self._journal, self._heading, self._must_go_through)

    def _must_go_through(self) -> None:
        """Right before the commit point: what comes behind it must not fail."""
        self._catalog.must_be_in_place()
        self._catalog.must_have_room()

    def _heading(self) -> Heading:
        book_id, key = self._catalog.origin
        return Heading(book_id=book_id, tombstone_key=key, canon=self._format.name, device=device())

    def lost(self) -> int:
        with self.reading() as view:
            seq = view.inventory().facts().journal_seq
        return witness(self._journal.witness).lost_at(self.book_id, seq) or self._catalog.lost()

    def unsound(self) -> Iterator[Finding]:
        """The journal file is the truth; the catalog, which a view shows, only follows it."""
        with self.reading() as view:
            yield from out_of_step(view, self._journal)

    def settle(self, timeout: float) -> None:
        self._catalog.settle(timeout)

    def examine(self, *, full: bool, progress: Progress | None = None) -> Iterator[Finding]:
        found = [*self._format.findings(self.folder), *left_over(self.folder)] if os.path.isdir(self.folder) else []
        yield from found
        yield from of_journal(self._journal)
        with self.reading() as view:
            yield from not_understood(view, {finding.where for finding in found})
            yield from strayed(view, self._format, self._files)
        yield from self._catalog.examine(full=full, progress=progress)

    def rebuild_index(self) -> None:
        """The catalog, made anew from the journal and the files; the full text with it. A journal that is damaged comes first,
        while there is still a catalog that knows what it said."""
        with suppress(CorruptError), self._alone(60.0) as plain:
            if can_mend(plain, self._journal):
                self._putting(FileDraft(plain)).write_anew()
        remove(self._journal.witness)  # what is lost is lost: from here on the journal is what it is
        self._begin_anew()
        self._refresh()

    def _begin_anew(self) -> None:
        self._journal.heading()  # raises if that is what is damaged: then the catalog is the only one that knows
        self._catalog.close()
        self._home.discard()
        self._open_again()

    def _open_again(self) -> None:
        self._seen, self._is_damaged = (-1, {}), False
        self._catalog = self._open_catalog()

    def scrub(self, timeout: float) -> list[str]:
        return self._catalog.scrub(timeout) + self._copies.left()

    def backup(self, target: str, progress: Progress | None = None) -> Canon:
        """The whole folder, as it is between two writes."""
        if os.path.lexists(target):
            raise ConflictError("the backup's target exists already", where=target, hint="Name a new folder.")
        made = False
        try:
            with self._alone(60.0) as plain:
                self._catch_up(FileDraft(plain), look=True)
                copy_folder(self.folder, target, progress)
                made = True
            return self._copied(target)
        except BaseException:  # what cannot be opened cannot be proved
            if made:
                self.unmake(target)
            raise

    def unmake(self, target: str) -> None:
        remove_folder(target)

    def _copied(self, target: str) -> FileCanon:
        """The copy, with a catalog of its own that goes when it is closed: most copies are never opened again."""
        copy = FileCanon(target, self._format, self._home.beside(target), create=False)
        copy._is_passing = True
        try:
            with copy.reading():
                return copy
        except BaseException:
            copy.close()
            raise

    def size(self) -> int:
        with self._catalog.reading() as view:
            files = sum(stamp[0] for stamp in view.inventory().stamps().values())
        return files + self._journal.size()

    def _derive(self, view: View) -> None:
        """Files that are made of the others, once for all the changes since."""
        altered, self._altered = self._altered, set()
        shelf = BookShelf(view, self._files, datetime.now(UTC))
        for put in self._format.derived(view, shelf, altered) if altered else ():
            with suppress(CommonplaceError):  # whoever changes the next memory makes it anew
                expected = put.replaces.hex() if put.replaces is not None else None
                replace_checked(self._files.full(put.path), put.content, expected)

    def close(self) -> None:
        try:
            if self._altered:
                with suppress(CommonplaceError), self._catalog.reading() as view:
                    self._derive(view)
        finally:
            self._catalog.close()
            if self._is_passing:
                with suppress(CommonplaceError):
                    self._home.discard()


_NOT_THE_CATALOGS_FAULT = ("read_only", "disk_full", "io_error", "newer")


def _is_of(catalog: Derived, origin: tuple[str, str]) -> bool:
    try:
        return catalog.origin == origin
    except CorruptError:
        return False


def _missing(folder: str, home: CatalogHome) -> UnavailableError:
    anew = f"To begin a new book there, delete {home.place} first."
    if not os.path.exists(home.place):
        anew = "A book that is not there yet begins with its first `save`."
    hint = f"Check the path; is its disk mounted? {anew}"
    return UnavailableError("the book's folder is not there", where=folder, hint=hint, code="missing")
