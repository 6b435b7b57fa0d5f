"""`evolve`: change one's mind. The new statement replaces the old one with a reason; the old one stays readable."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.save import Save, admit_save, describe
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.engine.sources import manual_source
from commonplace.errors import ConflictError, InvalidError, StaleError
from commonplace.guard.entry import admit
from commonplace.guard.trust import may_overrule
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Relation, Status, Type, Verb


class Evolve(Request, frozen=True, kw_only=True):
    """A new statement in place of an old one."""

    id: Annotated[str, Meta(description="the memory to replace")]
    content: Annotated[str, Meta(description="what is true now")]
    reason: Annotated[str, Meta(description="why it changed")]
    title: Annotated[str | None, Meta(description="a new title; by default the old one")] = None
    summary: Annotated[str | None, Meta(description="a shorter form")] = None
    tags: Annotated[tuple[str, ...] | None, Meta(description="new tags; by default the old ones")] = None
    confidence: Annotated[float | None, Meta(description="how sure, 0 to 1")] = None
    evidence_ref: Annotated[str | None, Meta(description="where the evidence lies")] = None
    rationale: Annotated[str | None, Meta(description="why it was decided; by default the reason")] = None
    expect: Annotated[str | None, Meta(description="the fingerprint you read; refused if it changed since")] = None


def evolve(scribe: Scribe, asked: Evolve) -> MemoryRecord:
    if not asked.reason or not asked.reason.strip():
        raise InvalidError("reason: say why it changed", where="reason")
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        old = must_find(pen.view, asked.id, asked.expect)
        request = _inherit(old, asked)
        admit_save(request)
        new = describe(scribe, request, pen.now)
        return replace(scribe, pen, old, new, reason=asked.reason)


def replace(scribe: Scribe, pen: Pen, old: MemoryRecord, new: MemoryRecord, *, reason: str | None) -> MemoryRecord:
    """Put `new` in the place of `old`; if this writer may not, `new` waits in the inbox and `old` stands."""
    _refuse_unless_current(old)
    if new.fingerprint == old.fingerprint:
        raise InvalidError(
            "the new statement says the same as the old one", hint="Use `save` to reinforce it.", where="content"
        )
    manual_source(pen, scribe)
    if new.status is Status.ACTIVE and may_overrule(new.trust, old):
        return supersede(pen, old, new, reason)
    why = new.status_reason or f"would replace what the {old.trust} said"
    waiting = pen.record(None, new.with_(status=Status.INBOX, status_reason=why))
    pen.sign(Verb.SAVE, reason)
    return waiting


def supersede(pen: Pen, old: MemoryRecord, new: MemoryRecord, reason: str | None) -> MemoryRecord:
    """Both ways of the chain, the link between them, and one operation for all of it."""
    link_supersession(pen, old, new, reason)
    pen.record(None, new)
    pen.sign(Verb.EVOLVE, reason)
    return new


def link_supersession(pen: Pen, old: MemoryRecord, new: MemoryRecord, reason: str | None) -> None:
    pen.change(old, status=Status.SUPERSEDED, superseded_by=new.id, status_reason=reason)
    made = Link(from_id=new.id, relation=Relation.SUPERSEDES, to_id=old.id, created_at=pen.now)
    if pen.view.noun(Entity.LINK, made.id) is None:  # a reviewer may have drawn it before
        pen.write(Entity.LINK, None, made)


def _refuse_unless_current(old: MemoryRecord) -> None:
    if old.status is Status.ACTIVE:
        return
    if old.status is Status.SUPERSEDED:
        raise StaleError(
            "this memory was superseded already",
            where=old.id,
            hint=f"Evolve its successor instead: {old.superseded_by}",
        )
    hints = {Status.INBOX: "Confirm or reject it first.", Status.CONTRADICTED: "Resolve the conflict first."}
    raise ConflictError(
        f"only an active memory can evolve; this one is {old.status}",
        where=old.id,
        hint=hints.get(old.status, "Restore it first."),
    )


def _inherit(old: MemoryRecord, asked: Evolve) -> Save:
    """What is not said anew stays as it was; a summary of the old words does not."""
    decided = asked.rationale or (asked.reason if old.type is Type.DECISION else None)
    return Save(
        content=asked.content,
        type=old.type,
        kind=old.kind,
        scope=old.scope_word or old.scope,
        project_id=old.project_id,
        repo_id=old.repo_id,
        agent_id=old.agent_id,
        title=asked.title or old.title,
        summary=asked.summary,
        tags=old.tags if asked.tags is None else asked.tags,
        confidence=asked.confidence,
        evidence_ref=asked.evidence_ref or old.evidence_ref,
        always_load=old.always_load,
        supersedes=old.id,
        rationale=decided,
        tenant=old.tenant,
    )
