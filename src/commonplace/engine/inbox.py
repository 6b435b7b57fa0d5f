"""`inbox`: what waits for a person's word, one by one: accept, edit, reject, merge, defer; or many at once, by a policy."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from commonplace import settings
from commonplace.engine.confirm import DEFERRED, Confirm, Reject, accept, confirm, reject, review, undeferred
from commonplace.engine.scribe import Request, Scribe, must_find
from commonplace.errors import ConflictError, InvalidError, TooLargeError
from commonplace.guard.entry import admit
from commonplace.guard.trust import refuse_overruling
from commonplace.model.base import utc
from commonplace.model.filter import Circle, Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.model.inbox import InboxItem
from commonplace.model.incident import scrubbed
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Entity, Relation, Status, Verb
from commonplace.retrieve.evidence import evidence_for, span_of
from commonplace.seam.catalog import View


class Inbox(Request, frozen=True, kw_only=True):
    """Which of those that wait, oldest first."""

    project: Annotated[str | None, Meta(description="only of this project, and what is global")] = None
    types: Annotated[tuple[str, ...] | None, Meta(description="only these types")] = None
    kinds: Annotated[tuple[str, ...] | None, Meta(description="only these kinds")] = None
    deferred: Annotated[bool, Meta(description="also those that were put off to a later day")] = False
    limit: Annotated[int, Meta(description="at most this many", ge=1, le=settings.MAX_LIST_LIMIT)] = 20


class InboxEdit(Request, frozen=True, kw_only=True):
    """Accept it in other words."""

    id: Annotated[str, Meta(description="the memory in the inbox")]
    content: Annotated[str, Meta(description="what it should say")]
    reason: Annotated[str | None, Meta(description="why")] = None
    rationale: Annotated[str | None, Meta(description="for a decision: why it was decided")] = None
    expect: Annotated[str | None, Meta(description="the fingerprint you read; refused if it changed since")] = None


class InboxMerge(Request, frozen=True, kw_only=True):
    """It says what another memory says already."""

    id: Annotated[str, Meta(description="the memory in the inbox")]
    into: Annotated[str, Meta(description="the memory that says it already")]
    reason: Annotated[str | None, Meta(description="why")] = None


class InboxDefer(Request, frozen=True, kw_only=True):
    """Not now."""

    id: Annotated[str, Meta(description="the memory in the inbox")]
    until: Annotated[datetime, Meta(description="when to show it again")]
    reason: Annotated[str | None, Meta(description="why")] = None


def inbox(scribe: Scribe, asked: Inbox) -> Sequence[InboxItem]:
    where: dict[str, Any] = {"statuses": (Status.INBOX,)}
    if asked.project:
        where["within"] = Circle(project_id=asked.project)
    where |= {name: getattr(asked, name) for name in ("types", "kinds") if getattr(asked, name)}
    today = f"{scribe.clock.now():%Y-%m-%d}"
    with scribe.reading() as view:
        waiting = (one for one in view.memories(Filter(**where)) if asked.deferred or (deferral(one) or "") <= today)
        oldest = deque(waiting, maxlen=asked.limit)  # listings come newest first
        return [_item(view, record) for record in reversed(oldest)]


def inbox_accept(scribe: Scribe, asked: Confirm) -> MemoryRecord:
    return confirm(scribe, asked)


def inbox_reject(scribe: Scribe, asked: Reject) -> MemoryRecord:
    return reject(scribe, asked)


def inbox_edit(scribe: Scribe, asked: InboxEdit) -> MemoryRecord:
    """The words are the reviewer's; where it came from stays what it was."""
    if not asked.content.strip():
        raise InvalidError("content: there is nothing to keep", hint="Say it, or reject the memory.", where="content")
    admit({"content": asked.content, "reason": asked.reason, "rationale": asked.rationale})
    with scribe.writing() as pen:
        record = must_find(pen.view, asked.id, asked.expect)
        review(scribe, record, "edit")
        refuse_overruling(scribe.trust, record, "edit")
        said = pen.record(record, _reworded(record, asked).with_(updated_at=pen.now))
        pen.sign(Verb.EDIT, asked.reason or "edited in review")
        active = accept(scribe, pen, said, Confirm(id=said.id, reason=asked.reason))
        pen.sign(Verb.PROMOTE, asked.reason)
        return active


def _reworded(record: MemoryRecord, asked: InboxEdit) -> MemoryRecord:
    """In the reviewer's words; of an incident, without who was there (A71)."""
    return scrubbed(
        record.with_(
            content=asked.content,
            fingerprint=fingerprint(asked.content),
            rationale=asked.rationale or record.rationale,
            tags=undeferred(record),
        )
    )


def inbox_merge(scribe: Scribe, asked: InboxMerge) -> MemoryRecord:
    """The other one is reinforced and linked; this one is put away, and both keep where they came from."""
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        record, other = must_find(pen.view, asked.id), must_find(pen.view, asked.into)
        review(scribe, record, "merge")
        refuse_overruling(scribe.trust, record, "merge")
        if other.id == record.id or other.status is not Status.ACTIVE:
            raise ConflictError("only an active memory can take another one in", where=other.id)
        kept = pen.change(other, occurrences=other.occurrences + record.occurrences)
        pen.change(record, status=Status.ARCHIVED, status_reason=f"merged into {other.id}", tags=undeferred(record))
        link = Link(from_id=record.id, relation=Relation.SUPPORTS, to_id=other.id, evidence_ref=record.evidence_ref,
                    created_at=pen.now)  # fmt: skip
        if pen.view.noun(Entity.LINK, link.id) is None:
            pen.write(Entity.LINK, None, link)
        pen.sign(Verb.REINFORCE, asked.reason or "it says the same")
        return kept


def inbox_defer(scribe: Scribe, asked: InboxDefer) -> MemoryRecord:
    admit({"reason": asked.reason})
    until = f"{utc(asked.until, 'until'):%Y-%m-%d}"
    with scribe.writing() as pen:
        record = must_find(pen.view, asked.id)
        review(scribe, record, "defer")
        later = pen.change(record, tags=_deferred(record, until))
        pen.sign(Verb.EDIT, asked.reason or f"put off to {until}")
        return later


def deferral(record: MemoryRecord) -> str | None:
    """The day until which it was put off."""
    return next((tag.removeprefix(DEFERRED) for tag in record.tags if tag.startswith(DEFERRED)), None)


def _deferred(record: MemoryRecord, until: str) -> tuple[str, ...]:
    tags = undeferred(record)
    if len(tags) >= settings.MAX_TAGS:
        raise TooLargeError(
            f"tags: the day needs one more, and the limit is {settings.MAX_TAGS}",
            hint="Accept, edit or reject it now.",
            where=record.id,
        )
    return (*tags, f"{DEFERRED}{until}")


def _item(view: View, record: MemoryRecord) -> InboxItem:
    replaced = view.memory(record.supersedes) if record.supersedes else None
    return InboxItem(
        record=record,
        reason=record.status_reason or "it waits for a second look",
        evidence=evidence_for(record, (), 0, _body(view, record)),
        change=_diff(replaced.content if replaced else None, record.content),
        replaces=replaced.id if replaced else None,
        deferred_until=deferral(record),
    )


def _body(view: View, record: MemoryRecord) -> dict[str, str | None]:
    cited = span_of(record)
    source = view.noun(Entity.SOURCE, cited[0]) if cited else None
    return {source.id: source.body} if isinstance(source, Source) else {}


def _diff(old: str | None, new: str) -> str:
    """Line by line, as one reads it: what goes, and what comes."""
    gone = [f"- {line}" for line in old.splitlines()] if old else []
    return "\n".join([*gone, *(f"+ {line}" for line in new.splitlines())])
