"""What to write for a change: where each memory's note goes, what it says, and which links must follow it.

Nothing is overwritten: a new note takes a free name, a superseded one goes to the archive before its successor takes its place
(A69), a deleted one stays where it is (A30). Only a purge takes a file away.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from posixpath import basename, join
from typing import Any, NamedTuple

from commonplace.errors import ConflictError, DeniedError
from commonplace.formats.vault.frontmatter import put, take_apart
from commonplace.formats.vault.keys import HOLDS, ORDER
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.names import numbered, plain, recognised, safe_name
from commonplace.formats.vault.note import Understood, understand, unreadable
from commonplace.formats.vault.patch import Patch, differing, held, new_note, told_by
from commonplace.formats.vault.places import folder_for, stem_for, stem_of_new
from commonplace.formats.vault.scalars import written
from commonplace.formats.vault.wikilinks import link_to, relinked
from commonplace.model.hashing import sha256
from commonplace.model.incident import scrubbed
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Relation, Status, Tier
from commonplace.seam.format import Altered, Known, Place, Put, Remove, Shelf, Step, Written
from commonplace.storage.conflict_files import merge_conflict

_OF_COPIES = (" (1)", " (2)", " 2", " copy")


class _Plan(NamedTuple):
    """One memory: where its note is now, if it has one, and where it will be."""

    record: MemoryRecord
    path: str | None
    target: str
    note: Understood | None = None
    changed: Set[str] = HOLDS
    """The fields that the change is about."""


class Writing:
    """One change. Files are gathered as they will be, and turned into steps at the end."""

    def __init__(self, layout: Layout, shelf: Shelf, *, personal: bool = False) -> None:
        self._layout, self._shelf, self._personal = layout, shelf, personal
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._places: dict[str, str] = {}
        self._left: set[str] = set()
        self._reserved: set[str] = set()
        self._known: dict[str, Known] = {}
        self._gone: list[str] = []

    def written(self, altered: Sequence[Altered]) -> Written:
        plans, new = [], []
        for memory_id, record, before in altered:
            standing = self._shelf.known(memory_id)
            if record is None:
                self._destroy(memory_id, standing)
            elif standing is None:
                new.append(scrubbed(record))
            else:
                plans += self._planned(scrubbed(record), standing.place.path, _changed(before, record))
        plans += [self._planned_new(record, plans) for record in new]
        for plan in plans:
            self._write(plan)
        for plan in plans:
            if plan.path is not None and plan.path != plan.target:
                self._follow(plan)
        return Written(self._steps(), [*self._known.values()], self._gone)

    def _destroy(self, memory_id: str, standing: Known | None) -> None:
        if standing is None:
            return
        self._refuse_personal(standing.place.path)
        if self._content(standing.place.path) is not None:
            self._after[standing.place.path] = None
        self._gone.append(memory_id)

    def _planned(self, record: MemoryRecord, path: str, changed: Set[str]) -> list[_Plan]:
        raw = self._content(path)
        if raw is None:
            return [self._planned_new(record, [])]
        if self._layout.is_personal(path) and not self._personal:
            note = understand(path, raw.decode(errors="replace"), self._layout)
            if differing(note, record, changed) - {"updated_at"}:
                self._refuse_personal(path)
            return []
        note = understand(path, _text(raw, path), self._layout)
        target = self._target(record, told_by(note, record), path)
        if target != path:
            self._left.add(path)
        self._places[record.id] = target
        return [_Plan(record, path, target, note, changed)]

    def _refuse_personal(self, path: str) -> None:
        if self._layout.is_personal(path) and not self._personal:
            raise DeniedError(
                f"this note lies outside of {self._layout.store}/: it is the person's own",
                where=path,
                hint="Edit it in your editor, or save what you have to say as a memory that links to it.",
            )

    def _target(self, record: MemoryRecord, told: dict[str, Any], path: str) -> str:
        folder, stem = folder_for(record, told, path, self._layout), stem_for(record, told, path)
        return path if join(folder, f"{stem}.md") == path else self._free(folder, stem, record.id)

    def _planned_new(self, record: MemoryRecord, plans: Sequence[_Plan]) -> _Plan:
        path = self._taken_over(record, plans)
        if path is None:
            home = self._layout.home(held(record), personal=self._personal and record.tier is Tier.T1)
            path = self._free(home, stem_of_new(record), record.id)
        self._places[record.id] = path
        return _Plan(record, None, path)

    def _taken_over(self, record: MemoryRecord, plans: Sequence[_Plan]) -> str | None:
        """The path of what it supersedes, if that leaves it in this very change and the new one is called the same.

        What is always loaded is never renamed (A69).
        """
        for plan in plans:
            if plan.record.id != record.supersedes or plan.note is None or plan.path not in self._left:
                continue
            before = told_by(plan.note, plan.record)
            same = record.slug and safe_name(record.slug) == basename(plan.path)[:-3]
            home = self._layout.home(before) == self._layout.home(held(record))
            if home and (same or record.always_load) and plain(plan.path) not in self._reserved:
                self._reserved.add(plain(plan.path))
                return plan.path
        return None

    def _free(self, folder: str, stem: str, id: str) -> str:
        """A name that nothing has, also not in another case or Unicode form: `name`, `name-2`, … (A68, rows 45, 46)."""
        stem = recognised(stem)
        for number in range(1, 100):
            path = join(folder, f"{numbered(stem, number)}.md")
            if self._is_free(path):
                break
        else:
            path = join(folder, f"{stem}-{safe_name(id.lower())}.md")
            if not self._is_free(path):
                raise ConflictError("no name is left for this note", where=path, hint="Move some notes away.")
        self._reserved.add(plain(path))
        return path

    def _is_free(self, path: str) -> bool:
        """Nothing has this name, and no note that stood alone would look like a sync client's copy of it (row 49)."""
        if path in self._left:
            return plain(path) not in self._reserved
        names = (path, *(f"{path[:-3]}{ending}.md" for ending in _OF_COPIES))
        return plain(path) not in self._reserved and not any(self._shelf.is_taken(name) for name in names)

    def _write(self, plan: _Plan) -> None:
        if plan.note is None:
            text = new_note(plan.record, plan.target, self._layout, self._refer)
            _refuse_conflict(text.encode(), plan.target)
        else:
            assert plan.path is not None
            text = Patch(plan.note, plan.path, plan.record, plan.target, plan.changed).text(self._layout, self._refer)
        if plan.path is not None and plan.path != plan.target:
            self._after.setdefault(plan.path, None)
        self._put(plan.record.id, plan.target, text)

    def _put(self, memory_id: str, path: str, text: str) -> None:
        raw = text.encode()
        if self._content(path) == raw and path not in self._left:
            return
        self._after[path] = raw
        self._known[memory_id] = Known(Place(path), memory_id, sha256(raw))

    def _refer(self, memory_id: str) -> str:
        """A link to where a memory stands after this change; its id if it stands nowhere."""
        path = self._place(memory_id)
        return link_to(path) if path else memory_id

    def _place(self, memory_id: str) -> str | None:
        if memory_id in self._places:
            return self._places[memory_id]
        standing = self._shelf.known(memory_id)
        return standing.place.path if standing and memory_id not in self._gone else None

    def _follow(self, plan: _Plan) -> None:
        """Links to a note that moved follow it; links to one that was superseded lead to its successor (A27)."""
        assert plan.path is not None
        links = self._shelf.links(plan.record.id)
        for link in links:
            if link.from_id == plan.record.id and link.relation is Relation.SUPERSEDES:
                self._tell_predecessor(link.to_id, plan.target)
        successor = plan.record.superseded_by if plan.record.status is Status.SUPERSEDED else None
        to = (self._place(successor) if successor else None) or plan.target
        if to == plan.path:
            return  # who took its place has its name too
        for memory_id in dict.fromkeys(link.from_id for link in links if link.to_id == plan.record.id):
            if memory_id != successor:
                self._relink(memory_id, plan.path, to)

    def _relink(self, memory_id: str, moved: str, to: str) -> None:
        path = self._place(memory_id)
        raw = self._content(path) if path and self._may_patch(path) else None
        if path and raw is not None and not unreadable(raw):
            text = raw.decode(errors="surrogateescape")
            turned = relinked(text, path, moved, to)
            if turned != text:
                self._after[path] = turned.encode(errors="surrogateescape")
                self._known[memory_id] = Known(Place(path), memory_id, sha256(self._after[path] or b""))

    def _tell_predecessor(self, memory_id: str, target: str) -> None:
        """An archived note names its successor, which has moved."""
        path = self._place(memory_id)
        raw = self._content(path) if path and self._may_patch(path) else None
        if not path or raw is None or unreadable(raw) or b"superseded_by:" not in raw:
            return
        block = put(take_apart(raw.decode(errors="surrogateescape")), "superseded_by", written(link_to(target)), ORDER)
        self._after[path] = block.text.encode(errors="surrogateescape")
        self._known[memory_id] = Known(Place(path), memory_id, sha256(self._after[path] or b""))

    def _may_patch(self, path: str) -> bool:
        return self._personal or not self._layout.is_personal(path)

    def _content(self, path: str) -> bytes | None:
        """The bytes of a file as they are at this point of the change."""
        if path not in self._after:
            if path not in self._before:
                self._before[path] = self._shelf.content(path)
            return self._before[path]
        return self._after[path]

    def _steps(self) -> list[Step]:
        """First what is put, then what is taken away: a note is never nowhere."""
        puts: list[Step] = []
        removes: list[Step] = []
        for path, raw in self._after.items():
            before = self._original(path)
            if raw is not None and raw != before:
                puts.append(Put(path, raw, None if before is None else sha256(before)))
            elif raw is None and before is not None:
                removes.append(Remove(path, sha256(before)))
        return [*sorted(puts, key=lambda step: step.replaces is not None), *removes]  # type: ignore[union-attr]

    def _original(self, path: str) -> bytes | None:
        if path not in self._before:
            self._before[path] = self._shelf.content(path)
        return self._before[path]


def _changed(before: MemoryRecord | None, after: MemoryRecord) -> Set[str]:
    """The fields that a change is about; any of them, if it is not known what was before."""
    if before is None:
        return HOLDS
    changed = {field for field in HOLDS if getattr(before, field) != getattr(after, field)}
    return changed | _ONE_LINE if changed & _ONE_LINE else changed


_ONE_LINE = {"scope", "scope_word"}


def _text(raw: bytes, path: str) -> str:
    """The text of a note that is about to be changed. One that was not understood whole is not written back (row 32)."""
    reason = unreadable(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        reason, text = "not all of it is UTF-8", ""
    if reason:
        raise ConflictError(
            f"this note was not changed: {reason}", where=path, hint="Save it as UTF-8 in your editor, then try again."
        )
    _refuse_conflict(raw, path)
    return text


def _refuse_conflict(raw: bytes, path: str) -> None:
    if b"<<<<<<<" in raw and merge_conflict(raw):
        raise ConflictError(
            "an unresolved merge stands in this note",
            where=path,
            hint="Keep one of the versions between the <<<<<<< and >>>>>>> lines; an example belongs into a code block.",
        )
