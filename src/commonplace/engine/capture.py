"""`capture_session` and `capture_conversation`: keep what happened, whole, and put it into the queue. Returns at once.

Only what somebody hands over on purpose comes in (rfc 8-10). It is understood, its secrets are taken out, and one durable
transaction keeps one source and one event (rfc 12); nothing is extracted here. The same material twice is one source and one
event.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, harmless
from commonplace.errors import InvalidError, NotFoundError
from commonplace.guard.entry import admit
from commonplace.model.base import set_once, utc
from commonplace.model.hashing import sha256
from commonplace.model.ids import new_id
from commonplace.model.source import CaptureMode, IngestionEvent, Source, Trigger
from commonplace.model.words import SCOPE_WORDS, Entity, Scope, SourceKind, Trust, Verb

if TYPE_CHECKING:
    from commonplace.engine.scribe import Pen
    from commonplace.model.transcript import Transcript


class Material(Request, frozen=True, kw_only=True):
    """Something that somebody hands over."""

    source: Annotated[str, Meta(description="the material itself, or the id of a source that was imported")]
    title: Annotated[str | None, Meta(description="a few words to know it by")] = None
    observed_at: Annotated[datetime | None, Meta(description="when it took place, if the material does not say")] = None
    format: Annotated[str | None, Meta(description="which reader to use; by default it is looked at")] = None
    uri: Annotated[str | None, Meta(description="where it comes from")] = None

    def __post_init__(self) -> None:
        if self.observed_at is not None:
            set_once(self, "observed_at", utc(self.observed_at, "observed_at"))


class CaptureSession(Material, frozen=True, kw_only=True):
    """A session that has ended."""

    scope: Annotated[str | None, Meta(description="whom it concerns; by default the narrowest owner given")] = None
    project_id: Annotated[str | None, Meta(description="the project it belongs to")] = None
    repo_id: Annotated[str | None, Meta(description="the repository it belongs to")] = None
    agent_id: Annotated[str | None, Meta(description="the agent whose session it was")] = None


class CaptureConversation(CaptureSession, frozen=True, kw_only=True):
    """A conversation, or what was noted of it."""

    capture_mode: Annotated[CaptureMode, Meta(description="transcript, notes or summary")] = CaptureMode.TRANSCRIPT

    def __post_init__(self) -> None:
        super().__post_init__()
        set_once(self, "capture_mode", CaptureMode.of(self.capture_mode, "capture_mode"))


def capture_session(scribe: Scribe, asked: CaptureSession) -> IngestionEvent:
    return _capture(scribe, asked, SourceKind.RUN, Trigger.SESSION_CLOSE, None)


def capture_conversation(scribe: Scribe, asked: CaptureConversation) -> IngestionEvent:
    return _capture(scribe, asked, SourceKind.CONVERSATION, Trigger.CONVERSATION_CAPTURE, asked.capture_mode)


def _capture(
    scribe: Scribe, asked: CaptureSession, kind: SourceKind, trigger: Trigger, mode: CaptureMode | None
) -> IngestionEvent:
    """A data export holds many conversations: each is a source and an event of its own, and the first one answers."""
    scope = _scope(asked)
    imported = _imported(scribe, asked.source)
    made = [(imported, None)] if imported else _described(scribe, asked, kind, mode)
    with scribe.writing() as pen:
        events = [_captured(pen, source, note, asked, scope, trigger, mode) for source, note in made]
        return events[0]


def _captured(
    pen: Pen,
    made: Source,
    note: str | None,
    asked: CaptureSession,
    scope: Scope,
    trigger: Trigger,
    mode: CaptureMode | None,
) -> IngestionEvent:
    source = keep(pen, made)
    for there in pen.view.events(source_ref=source.id, limit=1):
        return there
    event = msgspec.structs.replace(_event(pen, source, asked, scope, trigger, mode), outcome=note)
    pen.write(Entity.EVENT, None, event)
    pen.sign(Verb.CAPTURE, run=event.id)
    from commonplace.ingest.queue import job_of

    pen.draft.keep_job(job_of(event, pen.now))
    return event


def _event(
    pen: Pen, source: Source, asked: CaptureSession, scope: Scope, trigger: Trigger, mode: CaptureMode | None
) -> IngestionEvent:
    return IngestionEvent(
        id=new_id(),
        trigger=trigger,
        source_ref=source.id,
        requested_scope=scope,
        created_at=pen.now,
        updated_at=pen.now,
        project_id=asked.project_id,
        repo_id=asked.repo_id,
        agent_id=asked.agent_id,
        mode=mode,
    )


def _described(
    scribe: Scribe, asked: Material, kind: SourceKind, mode: CaptureMode | None
) -> list[tuple[Source, str | None]]:
    """The sources that the material makes, and what the reader has to say about each."""
    from commonplace.ingest.reading import read_each

    found = read_each(asked.source, asked.format)
    many = f"one of {len(found):,} conversations" if len(found) > 1 else None
    return [(describe(scribe, asked, one, kind, mode), one.note or many) for one in found]


def describe(
    scribe: Scribe, asked: Material, understood: Transcript, kind: SourceKind, mode: CaptureMode | None = None
) -> Source:
    """What is kept of a transcript: readable, whole, without its secrets."""
    from commonplace.ingest.outline import outline_of

    admit({"title": asked.title, "uri": asked.uri})
    found = _spoken(understood, kind, mode, scribe.trust)
    return Source(
        id=new_id(),
        kind=kind,
        title=asked.title or found.title,
        uri=asked.uri,
        body=found.body,
        fingerprint=f"sha256:{sha256(found.body.encode()).hex()}",
        captured_at=scribe.clock.now(),
        observed_at=asked.observed_at or found.observed_at,
        actor=scribe.actor,
        format=found.format,
        outline=outline_of(found),
    )


def _spoken(found: Transcript, kind: SourceKind, mode: CaptureMode | None, trust: Trust) -> Transcript:
    """Whose words are they, where the material does not say? A person's notes are the person's, a run's account and a
    summary the agent's; anything else is a document, which nobody here has said."""
    from commonplace.model.transcript import Role

    by_mode = {
        CaptureMode.NOTES: Role.PERSON if trust.outranks(Trust.AGENT) else Role.AGENT,
        CaptureMode.SUMMARY: Role.AGENT,
    }
    role = by_mode.get(mode) if mode else Role.AGENT if kind is SourceKind.RUN else None
    if role is None or any(piece.role is not Role.DOCUMENT for piece in found.pieces):
        return found
    pieces = tuple(msgspec.structs.replace(piece, role=role) for piece in found.pieces)
    return msgspec.structs.replace(found, pieces=pieces)


def keep(pen: Pen, made: Source) -> Source:
    """The source with this body: the one that is there, or this one."""
    if made.fingerprint is None:
        return made  # of an older book, and here already
    there = pen.view.source_like(made.fingerprint)
    if there is not None:
        return there
    pen.write(Entity.SOURCE, None, made)
    return made


def _imported(scribe: Scribe, given: str) -> Source | None:
    """The source that this is the id of, if it is one."""
    if len(given) > 64 or not given.isalnum():
        return None
    with scribe.reading() as view:
        found = view.noun(Entity.SOURCE, given)
    if isinstance(found, Source) and found.body:
        return found
    if len(given) == 26 and given.isupper():
        raise NotFoundError("there is no such source", where=harmless(given), hint="Import it first, or give its text.")
    return None


def _scope(asked: CaptureSession) -> Scope:
    """As a save would decide it, and refused where a save would refuse it: before anything is kept."""
    admit({name: getattr(asked, name) for name in ("project_id", "repo_id", "agent_id")})
    if asked.scope is None:
        scope = Scope.REPO if asked.repo_id else Scope.PROJECT if asked.project_id else Scope.GLOBAL
    else:
        scope = SCOPE_WORDS.get(asked.scope) or Scope.of(asked.scope, "scope")
    owner = {Scope.PROJECT: "project_id", Scope.REPO: "repo_id", Scope.AGENT: "agent_id"}.get(scope)
    if owner and not getattr(asked, owner):
        raise InvalidError(f"scope {scope} needs {owner}", hint=f"Give {owner}, or another scope.", where=owner)
    return scope
