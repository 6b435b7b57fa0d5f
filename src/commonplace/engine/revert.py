"""`revert`: undo one operation or a whole run, and everything that was derived from what it made.

A revert is an operation like any other, so it can be reverted too. It refuses, and names what stands in the way, when a
later change rests on what it would undo. What was made is not destroyed by reverting: it is soft-deleted.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from commonplace.engine.lineage import derived_from, made_by
from commonplace.engine.scribe import Pen, Request, Scribe, harmless
from commonplace.errors import ConflictError, DeniedError, NotFoundError
from commonplace.guard.entry import admit
from commonplace.model.base import Noun
from commonplace.model.link import Conflict, Link
from commonplace.model.operation import Change, Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.source import IngestionEvent, Project, Repo, Source
from commonplace.model.words import Entity, Status, Verb

_NOUNS: dict[Entity, type[Noun]] = {
    Entity.MEMORY: MemoryRecord,
    Entity.LINK: Link,
    Entity.SOURCE: Source,
    Entity.EVENT: IngestionEvent,
    Entity.CONFLICT: Conflict,
    Entity.PROJECT: Project,
    Entity.REPO: Repo,
}
Thing = tuple[Entity, str]


class Revert(Request, frozen=True, kw_only=True):
    """What to undo."""

    id: Annotated[str, Meta(description="the operation or the run")]
    reason: Annotated[str | None, Meta(description="why")] = None


def revert(scribe: Scribe, asked: Revert) -> Operation:
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        targets = _with_derived(pen, _targets(pen, asked.id))
        for operation in targets:
            _refuse(scribe, operation)
        undo = _Undo(pen, targets)
        for operation in reversed(targets):
            for change in reversed(operation.changes):
                if not _stays(pen, change):
                    undo.undo(change)
        if not undo.after:
            raise ConflictError("there is nothing left to undo", where=asked.id)
        undo.write()
        signed = pen.sign(Verb.REVERT, asked.reason, reverts=tuple(operation.id for operation in targets))
        done = pen.view.operation(signed)
        assert done is not None
        return done


def _stays(pen: Pen, change: Change) -> bool:
    """A source stays: other memories may cite it by now. A capture that was worked through stays so, or the same would
    come of it again; one that nobody has begun with is taken back."""
    if change.entity is not Entity.EVENT:
        return change.entity is Entity.SOURCE
    now = pen.view.noun(Entity.EVENT, change.id)
    return change.before is not None or now is None or now.to_dict() != change.after


def _targets(pen: Pen, id: str) -> list[Operation]:
    """One operation; or of a run those that have something left to undo."""
    one = pen.view.operation(id)
    found = [one] if one else [*pen.view.operations(run=id)]
    if not found:
        raise NotFoundError(
            "there is no such operation or run", where=harmless(id), hint="`commonplace journal` shows them."
        )
    left = [operation for operation in found if not (_is_destroyed(operation) or _is_undone(pen, operation))]
    # What only noted a source stays, and says nothing of the rest of its run.
    some = any(not _stays(pen, change) for operation in left for change in operation.changes)
    return left if some and not one else found


def _is_destroyed(operation: Operation) -> bool:
    """All that it did was purged since."""
    return operation.purged and all(change.is_gone for change in operation.changes)


def _is_undone(pen: Pen, operation: Operation) -> bool:
    told = (pen.view.operations(subject=subject) for subject in operation.subjects()[:1])
    return any(operation.id in _still_standing([*entries])[1] for entries in told)


def _with_derived(pen: Pen, targets: list[Operation]) -> list[Operation]:
    """The operations, and those that made what was derived from what they made, in the order of the journal."""
    found = {operation.seq: operation for operation in targets}
    queue = [*targets]
    while queue:
        for id in made_by(queue.pop()):
            for maker in _makers_of_derived(pen, id):
                if maker.seq not in found:
                    found[maker.seq] = maker
                    queue.append(maker)
    return [found[seq] for seq in sorted(found)]


def _makers_of_derived(pen: Pen, id: str) -> list[Operation]:
    return [
        maker
        for record in derived_from(pen.view, id)
        if record.status is not Status.DELETED
        for maker in pen.view.operations(subject=record.id)
        if record.id in made_by(maker)
    ]


def _refuse(scribe: Scribe, operation: Operation) -> None:
    if operation.verb is Verb.PURGE or operation.purged:
        raise ConflictError(
            "what was purged cannot come back", where=operation.id, hint="Save it anew if it is still wanted."
        )
    if operation.trust.outranks(scribe.trust):
        raise DeniedError(f"revert: the {operation.trust} did this", where=operation.id)


class _Undo:
    """The things being put back, each as it is now and as it will be."""

    def __init__(self, pen: Pen, targets: list[Operation]) -> None:
        self._pen = pen
        self._targets = {operation.seq for operation in targets}
        self._now: dict[Thing, Noun | None] = {}
        self.after: dict[Thing, Noun | None] = {}

    def undo(self, change: Change) -> None:
        thing = (change.entity, change.id)
        state = self._state(thing)
        self._refuse_if_changed_since(change, state)
        self.after[thing] = self._earlier(change, state)

    def write(self) -> None:
        for thing, later in self.after.items():
            self._pen.write(thing[0], self._now[thing], later)

    def _state(self, thing: Thing) -> Noun | None:
        if thing not in self._now:
            self._now[thing] = self.after[thing] = self._pen.view.noun(*thing)
        return self.after[thing]

    def _earlier(self, change: Change, state: Noun | None) -> Noun | None:
        """The thing as it was before the change; a memory that was made by it is soft-deleted instead of unmade."""
        noun = _NOUNS[change.entity]
        if change.before is None:
            if not isinstance(state, MemoryRecord):
                return None
            now = self._pen.now
            return state.with_(status=Status.DELETED, deleted_at=now, updated_at=now, status_reason="reverted")
        fields: dict[str, Any] = {**(state.to_dict() if state else {}), **change.before}
        earlier = noun.from_dict(fields)
        return earlier.with_(updated_at=self._pen.now) if isinstance(earlier, MemoryRecord) else earlier

    def _refuse_if_changed_since(self, change: Change, state: Noun | None) -> None:
        """What the change left must still be there; when it was last touched does not count."""
        now = state.to_dict() if state else None
        expected = change.after
        same = (now is None) == (expected is None) and all(
            now is not None and now.get(field) == value
            for field, value in (expected or {}).items()
            if field != "updated_at"
        )
        if not same:
            raise self._in_the_way(change)

    def _in_the_way(self, change: Change) -> ConflictError:
        told = [op for op in self._pen.view.operations(subject=change.id) if change.id in op.subjects()]
        later = [op for op in told if op.seq > min(self._targets) and op.seq not in self._targets]
        standing, undone = _still_standing(later)
        if undone & {operation.id for operation in told if operation.seq in self._targets}:
            hint = "To do it again, revert the operation that undid it."
            return ConflictError("it was undone already", where=change.id, hint=hint)
        names = ", ".join(f"{op.id} ({op.verb} by {op.actor})" for op in reversed(standing)) or "an unknown change"
        return ConflictError(
            f"later changes rest on it: {names}", where=change.id, hint="Revert those first, newest first."
        )


def _still_standing(operations: list[Operation]) -> tuple[list[Operation], set[str]]:
    """Those whose effect still stands, and the ids of those that were undone by one that stands itself."""
    undone: set[str] = set()
    standing = []
    for operation in reversed(operations):
        if operation.id not in undone:
            undone.update(operation.reverts)
            standing.append(operation)
    here = {operation.id for operation in operations}
    return [op for op in reversed(standing) if not op.reverts or not set(op.reverts) <= here], undone
