"""`save`: keep one statement. Says the same as a live memory? Then that one is reinforced instead (A70)."""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from commonplace import settings
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.engine.sources import manual_source, manual_source_id
from commonplace.errors import ConflictError, InvalidError
from commonplace.guard.entry import admit
from commonplace.guard.standing import in_its_place
from commonplace.guard.trust import lesser, may_overrule, tier_of
from commonplace.model.base import set_once, utc
from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.words import SCOPE_WORDS, Scope, SourceKind, Status, Trust, Type, Verb

if TYPE_CHECKING:
    from commonplace.engine.retain import Retain


class Save(Request, frozen=True, kw_only=True):
    """One statement to keep."""

    content: Annotated[str, Meta(description="the statement, in words that stand by themselves")]
    type: Annotated[Type, Meta(description="what sort of statement")]
    kind: Annotated[str | None, Meta(description="finer sort, kebab-case; open")] = None
    scope: Annotated[str | None, Meta(description="whom it concerns; by default the narrowest owner given")] = None
    project_id: Annotated[str | None, Meta(description="the project it belongs to")] = None
    repo_id: Annotated[str | None, Meta(description="the repository it belongs to")] = None
    agent_id: Annotated[str | None, Meta(description="the agent it came from or is for")] = None
    title: Annotated[str | None, Meta(description="a few words to know it by")] = None
    summary: Annotated[str | None, Meta(description="a shorter form")] = None
    tags: Annotated[tuple[str, ...], Meta(description="words to find it under")] = ()
    confidence: Annotated[float | None, Meta(description="how sure, 0 to 1")] = None
    observed_at: Annotated[datetime | None, Meta(description="when it was seen to be true")] = None
    evidence_ref: Annotated[str | None, Meta(description="where the evidence lies")] = None
    always_load: Annotated[bool, Meta(description="hand it to every agent at the start of a session")] = False
    supersedes: Annotated[str | None, Meta(description="the memory it replaces")] = None
    idempotency_key: Annotated[str | None, Meta(description="the same key twice saves once")] = None
    rationale: Annotated[str | None, Meta(description="why it was decided")] = None
    valid_from: Annotated[datetime | None, Meta(description="true from")] = None
    valid_to: Annotated[datetime | None, Meta(description="true until")] = None
    anchors: Annotated[tuple[str, ...], Meta(description="what it is true of: file:PATH@HASH, commit:HASH")] = ()
    aliases: Annotated[tuple[str, ...], Meta(description="other names it answers to")] = ()
    tenant: Annotated[str | None, Meta(description="whose book this is, where one book serves several")] = None

    def __post_init__(self) -> None:
        for field in ("observed_at", "valid_from", "valid_to"):
            if getattr(self, field) is not None:
                set_once(self, field, utc(getattr(self, field), field))


def save(scribe: Scribe, asked: Save) -> MemoryRecord:
    admit_save(asked)
    request_hash = _hash_of(asked) if asked.idempotency_key else None
    with scribe.writing() as pen:
        if request_hash is not None:
            answered = _answered(pen, asked, request_hash)
            if answered is not None:
                return answered
        # Described under the lock, so that the book learns it at the very moment it says it was created.
        saved = _write(scribe, pen, describe(scribe, asked, pen.now))
        if request_hash is not None:
            assert asked.idempotency_key
            pen.draft.remember(asked.idempotency_key, request_hash, saved.id)
        return saved


def _write(scribe: Scribe, pen: Pen, wanted: MemoryRecord) -> MemoryRecord:
    if wanted.supersedes:
        from commonplace.engine.evolve import replace

        old = must_find(pen.view, wanted.supersedes)
        return replace(scribe, pen, old, wanted.with_(supersedes=old.id), reason=None)
    twin = pen.view.twin(wanted, pen.now)
    if twin is not None:
        return reinforce(pen, twin, wanted)
    manual_source(pen, scribe)
    pen.record(None, wanted)
    pen.sign(Verb.SAVE)
    return wanted


def reinforce(pen: Pen, twin: MemoryRecord, wanted: MemoryRecord, run: str | None = None) -> MemoryRecord:
    """Somebody said it again. It counts; and who is trusted more, or may make it active, lifts it up."""
    lifted: dict[str, Any] = {"occurrences": twin.occurrences + wanted.occurrences}
    if wanted.trust.outranks(twin.trust):
        lifted |= {"trust": wanted.trust, "tier": wanted.tier}
    if twin.status is Status.INBOX and wanted.status is Status.ACTIVE:
        lifted |= {"status": Status.ACTIVE, "status_reason": None}
        _take_its_place(pen, twin, wanted)
    for field in ("rationale", "evidence_ref"):  # the ground it was repeated with is the ground it stands on
        if not getattr(twin, field) and getattr(wanted, field):
            lifted[field] = getattr(wanted, field)
    if not {*wanted.tags} <= {*twin.tags}:
        lifted["tags"] = tuple(dict.fromkeys((*twin.tags, *wanted.tags)))[: settings.MAX_TAGS]
    again = pen.change(twin, **lifted)
    pen.sign(Verb.REINFORCE, run=run)
    return again


def _take_its_place(pen: Pen, twin: MemoryRecord, wanted: MemoryRecord) -> None:
    """If what waited proposed to replace another memory, and whoever says it again may, then now it does."""
    old = pen.view.memory(twin.supersedes) if twin.supersedes else None
    if old is not None and old.status is Status.ACTIVE and may_overrule(wanted.trust, old):
        from commonplace.engine.evolve import link_supersession

        link_supersession(pen, old, twin, "what was proposed was said again")


def _answered(pen: Pen, asked: Save, request_hash: str) -> MemoryRecord | None:
    """What this idempotency key was answered with before, if it was used for the same request (row 73)."""
    assert asked.idempotency_key
    before = pen.view.remembered(asked.idempotency_key)
    if before is None:
        return None
    if before[0] != request_hash:
        raise ConflictError(
            "this idempotency key was used for something else", where="idempotency_key", hint="Use a new key."
        )
    return must_find(pen.view, before[1])


def _hash_of(asked: Save) -> str:
    return blake2b(msgspec.json.encode(asked), digest_size=16).hexdigest()


def admit_save(asked: Save) -> None:
    if not asked.content.strip():
        raise InvalidError("content: there is nothing to save", hint="Say what should be remembered.", where="content")
    given = {field: value for field, value in zip(_TEXTS, _texts_of(asked), strict=True) if value not in _NOTHING}
    for name in _NAMES if len(given) > 1 else ():
        if name in given:
            _refuse_empty(name, given[name])
    admit(given)


def _refuse_empty(name: str, value: str | tuple[str, ...]) -> None:
    for text in (value,) if isinstance(value, str) else value:
        if not text.strip():
            raise InvalidError(f"{name}: must not be empty", hint="Leave it out, or give it a name.", where=name)


_NAMES = (
    "kind",
    "scope",
    "project_id",
    "repo_id",
    "agent_id",
    "tenant",
    "tags",
    "aliases",
    "anchors",
    "idempotency_key",
)
_TEXTS = ("content", "title", "summary", "rationale", "evidence_ref", "supersedes", *_NAMES)
_texts_of = attrgetter(*_TEXTS)
_NOTHING: tuple[None, tuple[()]] = (None, ())


def describe(scribe: Scribe, asked: Save, now: datetime) -> MemoryRecord:
    trust = _trust(scribe, asked)
    scope, scope_word = scope_of(asked)
    kind = _kebab(asked.kind) if asked.kind else _KINDS.get(asked.type, str(asked.type))
    if kind == INCIDENT:
        asked = _without_persons(asked)
    said = MemoryRecord(
        id=new_id(),
        type=asked.type,
        scope=scope,
        status=Status.ACTIVE,
        content=asked.content,
        project_id=asked.project_id,
        repo_id=asked.repo_id,
        agent_id=asked.agent_id,
        source_kind=SourceKind.MANUAL,
        title=asked.title,
        summary=asked.summary,
        confidence=_DEFAULT_CONFIDENCE[trust] if asked.confidence is None else asked.confidence,
        created_at=now,
        updated_at=now,
        observed_at=asked.observed_at or now,
        source_ref=manual_source_id(scribe),
        evidence_ref=asked.evidence_ref,
        kind=kind,
        tags=asked.tags,
        slug=slug_of(asked.title or asked.content),
        aliases=asked.aliases,
        always_load=asked.always_load,
        supersedes=asked.supersedes,
        tier=tier_of(trust),
        trust=trust,
        fingerprint=fingerprint(asked.content),
        anchors=asked.anchors,
        valid_from=asked.valid_from,
        valid_to=asked.valid_to,
        tenant=asked.tenant,
        scope_word=scope_word,
        rationale=asked.rationale,
    )
    return in_its_place(said)


def _without_persons(asked: Save) -> Save:
    """An account of an incident is kept without who was there and what opens the door (A71)."""
    from commonplace.model.incident import FIELDS, scrub

    texts = {field: text for field in FIELDS if (text := getattr(asked, field, None))}
    return msgspec.structs.replace(asked, **{field: scrub(text) for field, text in texts.items()})


INCIDENT = "failure-incident"
_KINDS = {Type.PROFILE: "preference", Type.TASK_HINT: "task-hint"}
# How sure one may be of a hand-written statement, by who wrote it (R-h). Shown, never used to overwrite.
_DEFAULT_CONFIDENCE = {
    Trust.OPERATOR: 1.0,
    Trust.CURATED: 0.9,
    Trust.AGENT: 0.8,
    Trust.EXTRACTED: 0.6,
    Trust.EXTERNAL: 0.4,
}


def _trust(scribe: Scribe, asked: Save) -> Trust:
    """A memory that names the agent it came from is an agent's; in scope `agent` the name is the reader's instead."""
    if asked.agent_id and asked.scope != Scope.AGENT:
        return lesser(scribe.trust, Trust.AGENT)
    return scribe.trust


def scope_of(asked: Save | Retain) -> tuple[Scope, str | None]:
    """The scope that is meant, and the surface's own word for it if it has one."""
    if asked.scope in SCOPE_WORDS:
        return SCOPE_WORDS[asked.scope], asked.scope
    if asked.scope is not None:
        return Scope.of(asked.scope, "scope"), None
    if asked.repo_id:
        return Scope.REPO, None
    return (Scope.PROJECT, None) if asked.project_id else (Scope.GLOBAL, None)


def _kebab(kind: str) -> str:
    kebab = re.sub(r"[\s_]+", "-", kind.strip()).lower()
    if not re.fullmatch(r"[\w.-]+", kebab):
        raise InvalidError(
            "kind: letters, digits and hyphens only", hint="For example: workflow, domain-reference.", where="kind"
        )
    return kebab


_OF_A_SLUG = re.compile(r"[a-z0-9]+")


def slug_of(text: str) -> str:
    """A few words to make a file name of, at most 48 characters (A83)."""
    return "-".join(_OF_A_SLUG.findall(text[:60].lower()))[:48].strip("-")
