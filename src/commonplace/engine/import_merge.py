"""Merging an export into a book that has a journal of its own: what is new comes in, what differs is kept aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from commonplace.engine.exchange import ENTITIES
from commonplace.engine.import_reader import Item, Reader, check_manifest
from commonplace.engine.past import replay
from commonplace.engine.scribe import Pen
from commonplace.errors import CommonplaceError, InvalidError
from commonplace.guard.entry import admit
from commonplace.guard.standing import in_its_place
from commonplace.guard.trust import lesser, tier_of
from commonplace.model.base import Noun
from commonplace.model.fingerprint import fingerprint as fingerprint_of
from commonplace.model.ids import new_id
from commonplace.model.operation import Change, Entry, Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Entity, SourceKind, Trust, Verb
from commonplace.seam.terms import Signature

_TEXTS = {
    Entity.MEMORY: (
        *("content", "title", "summary", "rationale", "status_reason", "evidence_ref", "tags", "anchors", "aliases"),
        *(
            "id",
            "project_id",
            "repo_id",
            "agent_id",
            "kind",
            "slug",
            "tenant",
            "source_ref",
            "supersedes",
            "superseded_by",
        ),
    ),
    Entity.SOURCE: ("title", "uri", "body", "actor", "format", "outline"),
    Entity.LINK: ("evidence_ref",),
    Entity.CONFLICT: ("reason", "left_evidence", "right_evidence", "resolution"),
    Entity.EVENT: ("outcome", "error", "project_id", "repo_id", "agent_id"),
}
_ENDS = {Entity.LINK: ("from_id", "to_id"), Entity.CONFLICT: ("left_id", "right_id")}


class Merger:
    """Brings new things in, one operation each, all of one run that can be reverted."""

    def __init__(self, trust: Trust) -> None:
        self._trust = trust
        self._origin = "unknown"
        self.run = new_id()
        self.added: dict[str, int] = {}
        self.already_here = 0

    def take(self, pen: Pen, reader: Reader, items: Iterable[Item]) -> None:
        """One batch in one transaction."""
        things: dict[str, list[Item]] = {}
        for item in items:
            if item.name in _NAMES or item.name == "journal":
                things.setdefault(item.name, []).append(item)
            else:
                self._try(pen, reader, item, self._take_other)
        self._keep_history(pen, reader, things.get("journal", []))
        for name, entity in ENTITIES:
            self._add(pen, reader, entity, things.get(name, []))

    def _try(self, pen: Pen, reader: Reader, item: Item, take: Any) -> None:
        try:
            take(pen, item)
        except CommonplaceError as cause:
            if item.name == "manifest":
                raise
            reader.set_aside(pen, item, cause)

    def _take_other(self, pen: Pen, item: Item) -> None:
        if item.name == "manifest":
            check_manifest(item.held)
            self._origin = item.held.book_id
        elif item.name == "tombstone":
            # To purge is the operator's alone; so is to say that something was.
            if self._trust is Trust.OPERATOR and pen.view.memory(item.held.id) is None:
                pen.draft.bury(item.held.id, None, 0)
        else:
            raise item.held or InvalidError("the line holds nothing that is known")

    def _keep_history(self, pen: Pen, reader: Reader, items: list[Item]) -> None:
        """What the other book's journal told, beside our own; not what is here already, as when a journal comes home."""
        here = pen.view.known_operations([item.held.id for item in items])
        any_purged = pen.view.any_purged()
        kept: list[tuple[Entry, Operation]] = []
        for item in items:
            if item.held.id in here:
                continue
            try:
                operation = _sound(item.held)
            except CommonplaceError as cause:
                reader.set_aside(pen, item, cause)
                continue
            # It must not bring back what was purged here.
            if not (any_purged and any(_is_purged(pen, change) for change in operation.changes)):
                kept.append((item.held, operation))
        pen.draft.keep_foreign(self._origin, kept)

    def _add(self, pen: Pen, reader: Reader, entity: Entity, items: list[Item]) -> None:
        """All things of one sort in a batch: the new ones in bulk, then those that are here already."""
        here = pen.view.present(entity, [item.held.id for item in items]) if items else set()
        fit = _Fit(pen, entity, items)
        new: list[tuple[Signature, Entity, Noun]] = []
        met = []
        for item in items:
            try:
                noun = self._as_trusted(item.held)
                fit.check(noun, is_new=item.held.id not in here)
            except CommonplaceError as cause:
                reader.set_aside(pen, item, cause)
                continue
            if item.held.id in here:
                met.append(item)
            else:
                here.add(item.held.id)
                new.append((pen.signature(Verb.IMPORT, run=self.run), entity, noun))
        pen.draft.commit_all(new)
        if new:
            self.added[str(entity)] = self.added.get(str(entity), 0) + len(new)
        for item in met:
            self._try(pen, reader, item, self._meet)

    def _as_trusted(self, held: Any) -> Any:
        """Trust comes from the channel: a file cannot raise itself above whoever imports it (row 116)."""
        if not isinstance(held, MemoryRecord) or self._trust is Trust.OPERATOR:
            return held
        trust = lesser(held.trust, self._trust)
        said = held.with_(trust=trust, tier=tier_of(trust))
        # What was let in elsewhere is in, if whoever brings it could have let it in here.
        is_vouched_for = trust is held.trust and self._trust.outranks(Trust.AGENT)
        return said if is_vouched_for else in_its_place(said)

    def _meet(self, pen: Pen, item: Item) -> None:
        """It is here already. If it says something that ours never said, it is kept aside, and ours stays."""
        noun = item.held
        said = (noun.to_dict(), self._as_trusted(noun).to_dict())
        if isinstance(noun, Source) and noun.kind is SourceKind.MANUAL:
            pass  # it says only who wrote through which surface, and its id says that already
        elif not any(state in said for state in _states(pen, noun.id)):
            raise InvalidError(f"this {item.name} is here already and says something else; ours stays", where=noun.id)
        self.already_here += 1


_NAMES = {name for name, _ in ENTITIES}


class _Fit:
    """May these things come in? Looks up once for a whole batch what each must be compared with."""

    def __init__(self, pen: Pen, entity: Entity, items: list[Item]) -> None:
        self._view, self._entity = pen.view, entity
        self._texts, self._ends = _TEXTS[entity], _ENDS.get(entity, ())
        self._any_purged = bool(items) and pen.view.any_purged()
        ids = [item.held.id for item in items]
        others = [other for _, other in ENTITIES if other is not entity] if items else []
        self._taken = {id for other in others for id in pen.view.present(other, ids)}
        ends = [getattr(item.held, end) for item in items for end in self._ends]
        self._memories = pen.view.present(Entity.MEMORY, ends) if ends else set()

    def check(self, noun: Any, *, is_new: bool) -> None:
        admit({field: value for field in self._texts if (value := getattr(noun, field))})
        fingerprint = None
        if self._entity is Entity.MEMORY:
            fingerprint = noun.fingerprint
            if fingerprint != fingerprint_of(noun.content):
                raise InvalidError("its fingerprint is not that of its content", where=noun.id)
        if is_new and self._any_purged and self._view.is_purged(noun.id, fingerprint):
            raise InvalidError(
                f"this {self._entity} was purged here and does not come back", where=noun.id, code="purged"
            )
        if noun.id in self._taken:  # the journal knows a thing by its id alone
            raise InvalidError("its id is that of another thing", where=noun.id)
        for end in self._ends:
            if getattr(noun, end) not in self._memories:
                raise InvalidError(f"one end of this {self._entity} is not in the book", where=getattr(noun, end))


def _is_purged(pen: Pen, change: Change) -> bool:
    said = (change.after or {}).get("fingerprint")
    return any(pen.view.is_purged(id, said) for id in (change.id, *change.mentions()))


def _states(pen: Pen, id: str) -> Iterator[dict[str, Any] | None]:
    """Everything ours ever was, according to the journal."""
    operations = [*pen.view.operations(subject=id)]
    return (replay(operations[: n + 1], id) for n in range(len(operations)))


def _sound(entry: Entry) -> Operation:
    if not entry.is_sound():
        raise InvalidError("this journal entry is not what was written")
    return check_entry(entry)


def check_entry(entry: Entry) -> Operation:
    """What a journal entry says. Nothing comes in unchecked because it stands in a journal."""
    try:
        operation = entry.operation()
    except ValueError:
        raise InvalidError("this journal entry cannot be read") from None
    if operation.reason:
        admit({"reason": operation.reason})
    for change in operation.changes:
        said = change.after or {}
        admit({field: said[field] for field in _TEXTS.get(change.entity, ()) if said.get(field)})
    return operation
