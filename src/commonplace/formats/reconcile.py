"""What people and sync clients did to a book's files becomes operations of its journal: `edit`, by the operator.

A file that looks as it did is not opened. One that looks different is read and compared by hash, and only entries whose own
bytes differ count. A file that vanished takes its memories out of sight, not out of the book. One that was moved keeps them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace import settings
from commonplace.errors import CommonplaceError, InvalidError, TooLargeError, UnavailableError
from commonplace.formats.drawing import Drawing
from commonplace.formats.shelf import BookShelf
from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import id_of, new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Entity, Scope, SourceKind, Status, Tier, Trust, Type, Verb
from commonplace.seam.format import Found, Known, Place, Put, Stamp
from commonplace.seam.inventory import Seen
from commonplace.seam.terms import Signature
from commonplace.storage.conflict_files import may_be_a_copy

if TYPE_CHECKING:
    from commonplace.formats.steps import Files
    from commonplace.seam.catalog import Draft
    from commonplace.seam.format import Format

SOURCE = "manual-files"
SURFACE = "files"
_DEFAULTS: dict[str, Any] = {
    "type": Type.PROJECT,
    "scope": Scope.GLOBAL,
    "status": Status.ACTIVE,
    "kind": "note",
    "tier": Tier.T2,
}


class Outcome(NamedTuple):
    """What a look at the files led to."""

    places: list[Known]
    gone: list[str]
    restored: list[Put]
    drawn: dict[str, set[tuple[str, str]]]


class _Entry(NamedTuple):
    """An entry that is new or differs, with the file it stands in, and what stood at this place before."""

    place: Place
    found: Found
    stamp: Stamp
    standing: Known | None


class Reconciler:
    """One look at the files that may have changed."""

    def __init__(
        self, draft: Draft, format: Format, files: Files, now: datetime, ours: Collection[str] = frozenset()
    ) -> None:
        """`ours` are memories that a change of ours is about to write into these files: their entries are left to it."""
        self._draft, self._format, self._files, self._now, self._ours = draft, format, files, now, ours
        self._inventory = draft.inventory()
        # A book that knows nothing yet need not be asked for each of ten thousand notes.
        self._is_blank = draft.highest_seq() == 0 and next(iter(self._inventory.places()), None) is None
        self._any_purged = draft.any_purged()
        self._fresh: list[_Entry] = []
        self._missing: dict[str, Known] = {}
        self._seen: list[tuple[str, Seen]] = []
        self._texts: dict[str, Found] = {}
        """What each memory says now, by its id, where that is new."""
        self._new: set[str] = set()
        self.outcome = Outcome([], [], [], {})
        self._aside: dict[str, list[tuple[int, str]]] = {}

    def run(self, scan: dict[str, Stamp], known: dict[str, Stamp]) -> Outcome:
        changed = [path for path, stamp in scan.items() if known.get(path) != stamp]
        vanished = [path for path in known if path not in scan]
        self._refuse_amnesia(scan, known, vanished)
        for path in changed:
            self._look(path, scan[path], self._inventory.file(path) if path in known else None)
        for path in vanished:
            self._aside.setdefault(path, [])
            self._missing |= {entry.memory_id: entry for entry in self._inventory.at(path)}
        self._inventory.forget(vanished)
        self._take_in()
        self._inventory.see(self._seen)
        named = {path for path, _, _ in self._inventory.asides()}
        for path, aside in self._aside.items():
            if aside or path in named:
                self._inventory.set_aside(path, aside)
        return self.outcome

    def _refuse_amnesia(self, scan: dict[str, Stamp], known: dict[str, Stamp], vanished: Sequence[str]) -> None:
        """A folder that was full and is empty was not emptied by an editor: a disk is missing, or a sync client is at work."""
        if len(vanished) >= _MANY and not scan and len(known) == len(vanished):
            raise UnavailableError(
                f"all {len(vanished)} files of the book are missing, and it was not emptied through Commonplace",
                where=self._files.folder,
                hint="Is the disk mounted, the folder synced? To let them go, delete the book's .commonplace folder.",
                code="missing",
            )

    def _look(self, path: str, stamp: Stamp, before: Seen | None) -> None:
        try:
            raw = self._read(path, stamp)
        except CommonplaceError as cause:
            self._set_aside(path, 0, cause.message)
            return
        if raw is None:
            return
        if not raw and self._inventory.last(path) is not None:
            # An editor does not leave a file of nothing: it was not downloaded, or its content was lost.
            self._set_aside(path, 0, "the file is empty, and memories stood in it; nothing was taken out")
            self.outcome.restored.extend(
                self._format.restored(self._inventory.at(path), BookShelf(self._draft, self._files, self._now))
            )
            return
        digest = sha256(raw).digest()
        if before is None or digest != before.sha256:
            self._compare(path, stamp, raw)
        self._seen.append((path, Seen(stamp, digest)))

    def _read(self, path: str, stamp: Stamp) -> bytes | None:
        """The bytes; None if the file is still being written, or is gone again. It is looked at again next time."""
        if stamp.size > self._format.largest:
            raise TooLargeError(f"the file has more than {self._format.largest} bytes and was not read")
        raw = self._files.read(path)
        after = self._files.seen(path, b"")
        unsettled = raw and not raw.endswith(b"\n") and _is_young(stamp)
        if raw is None or after is None or after.stamp != stamp or unsettled:
            return None
        return raw

    def _compare(self, path: str, stamp: Stamp, raw: bytes) -> None:
        self._aside.setdefault(path, [])
        contents = self._format.read(path, raw)
        for aside in contents.aside:
            self._set_aside(path, aside.line, aside.reason)
        standing = {} if self._is_blank else {entry.place.key: entry for entry in self._inventory.at(path)}
        left = {key for key, entry in standing.items() if entry.memory_id in self._ours}
        known = {key: entry for key, entry in standing.items() if key not in left}
        # The last of several with one key counts.
        found = {entry.key: entry for entry in contents.entries if entry.key not in left}
        for key, entry in found.items():
            if key not in known or known[key].digest != entry.digest:
                self._fresh.append(_Entry(Place(path, key), entry, stamp, known.get(key)))
                if key in known and entry.fields.get("id") not in (None, known[key].memory_id):
                    self._missing[known[key].memory_id] = known[key]  # unless it turns up elsewhere, or goes on here
        if not contents.aside or found:
            self._missing |= {one.memory_id: one for key, one in known.items() if key not in found}

    def _set_aside(self, path: str, line: int, reason: str) -> None:
        self._aside.setdefault(path, []).append((line, reason))

    def _take_in(self) -> None:
        if not self._fresh and not self._missing:
            return
        new = [*self._understood()]
        if new:
            self._make_source()
        self._draft.commit_all([(self._signed("found in the book's files"), Entity.MEMORY, record) for record in new])
        self._inventory.place((known, self._format.names(known.place)) for known in self.outcome.places)
        for known in self._missing.values():
            self._let_go(known)
        self._link()

    def _understood(self) -> Iterator[MemoryRecord]:
        """The edits of memories that are here are taken in; those that are new come out."""
        for entry in self._fresh:
            try:
                before = self._whose(entry)
                if before is not None:
                    self._edit(entry, before)
                else:
                    yield self._made(entry)
            except CommonplaceError as cause:
                self._set_aside(entry.place.path, 0, cause.message)

    def _edit(self, entry: _Entry, before: MemoryRecord) -> None:
        after = before.with_(**self._said(entry, before))
        self._missing.pop(before.id, None)
        if after != before.with_(updated_at=after.updated_at):
            self._draft.commit(self._signed(f"edited in {entry.place.path}"), [(Entity.MEMORY, before, after)])
        self._stand(before.id, entry)

    def _whose(self, entry: _Entry) -> MemoryRecord | None:
        """The memory of this book that an entry is; None if it is a new one."""
        id = None if self._is_blank else self._recognised(entry)
        found = None if id is None else self._draft.memory(id)
        return found if found is not None and found.id == id else None  # what only answers to that name is another one

    def _recognised(self, entry: _Entry) -> str | None:
        """The one that stood there, the one it names, one that was moved or put back."""
        named: str | None = entry.found.fields.get("id")
        standing = entry.standing
        if standing is not None and standing.memory_id not in self._texts and not self._came(named, standing):
            self._missing.pop(standing.memory_id, None)
            return standing.memory_id
        if named is not None and self._is_free(named):
            return named
        id = self._moved(entry) or self._inventory.former(entry.found.digest)
        return id if id is not None and self._is_free(id) else None

    def _came(self, named: str | None, standing: Known) -> bool:
        """Did another memory take the place of what stood there? One that was moved here, or that nobody knew yet. A copy of
        a note names another too, and goes on doing so: what it was taken for it stays."""
        if named is None or named == standing.memory_id or named in self._texts:
            return False
        return named in self._missing or self._inventory.named(named) is None

    def _is_free(self, id: str) -> bool:
        """One memory stands in one place: what was recognised in this look already, or stands elsewhere still, is not this."""
        if id in self._texts:
            return False
        elsewhere = self._inventory.known(id)
        return elsewhere is None or id in self._missing or not self._still_there(elsewhere)

    def _moved(self, entry: _Entry) -> str | None:
        same = (id for id, known in self._missing.items() if known.digest == entry.found.digest)
        return next(same, None)

    def _still_there(self, known: Known) -> bool:
        return os.path.lexists(self._files.full(known.place.path))

    def _said(self, entry: _Entry, before: MemoryRecord) -> dict[str, Any]:
        told = self._format.told(before)
        said = {
            name: value
            for name, value in entry.found.fields.items()
            if name != "id" and (name not in told or told[name] != value)
        }
        said["updated_at"] = max(said.get("updated_at", before.updated_at), self._moment(entry.stamp))
        if "content" in said:
            said["fingerprint"] = fingerprint(said["content"])
        if before.status is Status.DELETED and "status" not in entry.found.fields:
            said |= {"status": Status.ACTIVE, "deleted_at": None, "status_reason": None}  # it was put back
        return said

    def _moment(self, stamp: Stamp) -> datetime:
        """When a file was written; now, if its clock was ahead of ours: nothing was written after now (row 72)."""
        return min(datetime.fromtimestamp(stamp.mtime_ns // 1000 / 1_000_000, UTC), self._now)

    def _made(self, entry: _Entry) -> MemoryRecord:
        self._refuse_a_copy(entry)
        said = {**_DEFAULTS, **entry.found.fields}
        said.setdefault("created_at", self._moment(entry.stamp))
        said.setdefault("updated_at", said["created_at"])
        id = self._free_id(entry, said.pop("id", None))
        words = fingerprint(said["content"])
        if self._any_purged and self._draft.is_purged(id, words):
            raise InvalidError("this was purged, and stands in the file again; take it out")
        record = MemoryRecord(
            id=id,
            fingerprint=words,
            trust=Trust.OPERATOR,
            source_kind=SourceKind.MANUAL,
            source_ref=SOURCE,
            **said,
        )
        self._stand(record.id, entry)
        self._new.add(record.id)
        return record

    def _refuse_a_copy(self, entry: _Entry) -> None:
        """`plan 2.md` was left alone beside `plan.md` (row 49). Now that this was put away it is no news either: an older
        version would come back under the person's name."""
        named = entry.found.fields.get("id")
        if named and may_be_a_copy(entry.place.path.rpartition("/")[2]) and self._draft.memory(named) is not None:
            raise InvalidError(f"a sync client's copy of {named}; to keep it, give it a name of its own and no id")

    def _free_id(self, entry: _Entry, named: str | None) -> str:
        """The id it names; else one that follows from its place, or the next of those that nothing has yet: what stood there
        once may live on elsewhere, and a copied note names the id of another."""
        # Not from the file's own time: a checkout or a copy changes that, and must not change the id.
        moment = entry.found.fields.get("created_at", _BEGINNING)
        places = (f"{entry.place.path}\n{entry.place.key}{n or ''}" for n in count())
        for id in chain([named] if named else [], (id_of(place, moment) for place in places)):
            if id not in self._new and (self._is_blank or self._inventory.named(id) is None):
                return id
        raise AssertionError("there are more ids than entries")

    def _stand(self, memory_id: str, entry: _Entry) -> None:
        self.outcome.places.append(Known(entry.place, memory_id, entry.found.digest))
        self._texts[memory_id] = entry.found

    def _let_go(self, known: Known) -> None:
        self._inventory.retire(known)
        self.outcome.gone.append(known.memory_id)
        before = self._draft.memory(known.memory_id)
        if before is not None and before.status is not Status.DELETED:
            after = before.with_(
                status=Status.DELETED,
                deleted_at=self._now,
                updated_at=self._now,
                status_reason=f"it was taken out of {known.place.path}",
            )
            reason = f"taken out of {known.place.path}"
            self._draft.commit(self._signed(reason), [(Entity.MEMORY, before, after)])

    def _link(self) -> None:
        """Make the links that texts name. A note that others named before it was there gets theirs now."""
        drawing = Drawing(self._draft, among=self._names() if self._is_blank else None)
        named = [name for known in self.outcome.places for name in self._format.names(known.place)]
        drawing.draw_waiting(named, but=self._texts)
        for memory_id, found in self._texts.items():
            drawing.draw(memory_id, found.links, new=memory_id in self._new)
        drawing.commit(self._signed("read in the book's files"))
        self.outcome.drawn.update(drawing.drawn)

    def _names(self) -> dict[str, str]:
        """What each name means in a book of which everything was found just now: as in the inventory, the first has it."""
        names: dict[str, str] = {}
        for known in self.outcome.places:
            for name in self._format.names(known.place):
                names.setdefault(name, known.memory_id)
        return names | {id: id for id in self._texts}

    def _make_source(self) -> None:
        if self._draft.noun(Entity.SOURCE, SOURCE) is None:
            title = "written in the book's files"
            source = Source(id=SOURCE, kind=SourceKind.MANUAL, title=title, captured_at=self._now, actor="operator")
            self._draft.commit(self._signed(title), [(Entity.SOURCE, None, source)])

    def _signed(self, reason: str) -> Signature:
        return signed(Verb.EDIT, self._now, reason)


_MANY = 3
_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)


def signed(verb: Verb, now: datetime, reason: str) -> Signature:
    """What is found on disk was written by the operator: who can write there can do everything."""
    return Signature(
        id=new_id(), verb=verb, actor="operator", trust=Trust.OPERATOR, surface=SURFACE, at=now, reason=reason
    )


def _is_young(stamp: Stamp) -> bool:
    """Written a moment ago: if it also lacks its last line's end, whoever writes it may not be done."""
    return 0 <= time.time() - stamp.mtime_ns / 1e9 < settings.FILE_SETTLE_SECONDS
