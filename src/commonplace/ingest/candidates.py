"""Proposals become candidates: memories that wait in the inbox, each with the span it was taken from."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.guard.entry import admit
from commonplace.guard.trust import lesser, tier_of
from commonplace.ingest.evidence import piece_at, stands
from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.transcript import Role
from commonplace.model.words import Scope, SourceKind, Status, Trust

if TYPE_CHECKING:
    from commonplace.model.proposal import Proposal
    from commonplace.model.source import IngestionEvent, Source
    from commonplace.model.transcript import Transcript

_OUTSIDE = (SourceKind.DOCUMENT, SourceKind.IMPORT)
_OTHERS = (Role.TOOL, Role.DOCUMENT, Role.SYSTEM)
_OWNERS = {Scope.PROJECT: "project_id", Scope.REPO: "repo_id", Scope.AGENT: "agent_id"}


def trust_of(source: Source, channel: Trust) -> Trust:
    """How far what stands in a source may be trusted at most: it was extracted, or it comes from outside."""
    return Trust.EXTERNAL if source.kind in _OUTSIDE else lesser(Trust.EXTRACTED, channel)


def candidate(
    event: IngestionEvent,
    source: Source,
    transcript: Transcript,
    proposal: Proposal,
    channel: Trust,
    extractor: str,
    now: datetime,
) -> MemoryRecord | None:
    """The candidate that a proposal makes; None if it does not stand where it says, or holds what may not come in."""
    if not stands(transcript, proposal):
        return None
    try:
        made = _described(event, source, transcript, proposal, channel, extractor, now)
        admit({field: value for field in _TEXTS if (value := getattr(made, field))})
    except CommonplaceError:
        return None
    return made


_TEXTS = ("content", "title", "rationale", "kind", "tags", "status_reason")


def _described(
    event: IngestionEvent,
    source: Source,
    transcript: Transcript,
    proposal: Proposal,
    channel: Trust,
    extractor: str,
    now: datetime,
) -> MemoryRecord:
    piece = piece_at(transcript, proposal.start)
    trust = trust_of(source, channel)
    if piece is None or piece.role in _OTHERS:
        trust = Trust.EXTERNAL  # nobody here said it: a tool, a page, the program itself
    content = proposal.content.strip()
    return MemoryRecord(
        id=new_id(),
        type=proposal.type,
        scope=_scope(event, proposal),
        status=Status.INBOX,
        content=content,
        project_id=event.project_id,
        repo_id=event.repo_id,
        agent_id=event.agent_id,
        source_kind=source.kind,
        title=proposal.title,
        confidence=proposal.confidence,
        created_at=now,
        updated_at=now,
        observed_at=proposal.observed_at or (piece.at if piece else None) or source.observed_at or source.captured_at,
        source_ref=source.id,
        evidence_ref=proposal.evidence(source.id),
        kind=_kebab(proposal.kind) or str(proposal.type),
        tags=proposal.tags,
        tier=tier_of(trust),
        trust=trust,
        fingerprint=fingerprint(content),
        rationale=proposal.rationale,
        status_reason=f"found by {extractor} ({proposal.rule}); it needs a second look",
    )


def _scope(event: IngestionEvent, proposal: Proposal) -> Scope:
    """The scope a rule asks for, if the capture names its owner; else the one the capture asked for."""
    asked = proposal.scope
    if asked is None or ((owner := _OWNERS.get(asked)) and not getattr(event, owner)):
        return event.requested_scope
    return asked


def _kebab(kind: str) -> str:
    return re.sub(r"[^\w.]+", "-", kind.strip().lower()).strip("-")[:60]
