"""`retain`: apply a memory patch, all of it or nothing: a new digest in place of the old one, and facts to find later (V28).

The digest is one memory of kind `digest`, a page that people and agents write in turn: a new one takes the old one's place
whoever wrote that, and the journal keeps every version. But nobody writes over what he has not read: with `expect`, a digest
that was changed meanwhile stays, and the new one waits in the inbox. Facts are memories like any other. No source is
made: what was said around the patch is nobody's to keep (X-5). What a memory cites is the patch itself, a run of the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from msgspec import Meta

from commonplace import settings
from commonplace.engine.save import Save, describe, reinforce, scope_of
from commonplace.engine.scribe import Pen, Request, Scribe, must_find
from commonplace.errors import InvalidError, TooLargeError
from commonplace.guard.entry import admit
from commonplace.model.filter import Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import new_id
from commonplace.model.record import MemoryRecord
from commonplace.model.retain_line import understand_line
from commonplace.model.words import Status, Type, Verb

DIGEST = "digest"


class Limits(NamedTuple):
    """How much a patch may hold and how much of it is handed out again (V-i); the defaults are in the settings."""

    digest_chars: int = settings.MAX_DIGEST_CHARS
    retain_items: int = settings.MAX_RETAIN_ITEMS
    retain_chars: int = settings.MAX_RETAIN_CHARS
    patch_bytes: int = settings.MAX_PATCH_BYTES
    context_tokens: int = settings.MEMORY_CONTEXT_TOKENS
    tail_facts: int = settings.LEDGER_TAIL_FACTS


class Retain(Request, frozen=True, kw_only=True):
    """A memory patch."""

    retain: Annotated[tuple[str, ...], Meta(description="facts to find later; may begin with W, B, O(c=0.9) or N")] = ()
    digest: Annotated[str | None, Meta(description="the new digest, whole; an empty one takes it away")] = None
    replaces: Annotated[str | None, Meta(description="the digest it replaces; by default the owner's")] = None
    expect: Annotated[
        str | None,
        Meta(description="the fingerprint of the digest you read; if it changed since, yours waits in the inbox"),
    ] = None
    scope: Annotated[str | None, Meta(description="whom it concerns; by default the narrowest owner given")] = None
    project_id: Annotated[str | None, Meta(description="the project it belongs to")] = None
    repo_id: Annotated[str | None, Meta(description="the repository it belongs to")] = None
    agent_id: Annotated[str | None, Meta(description="the agent it came from or is for")] = None


def retain(scribe: Scribe, asked: Retain, limits: Limits | None = None) -> list[MemoryRecord]:
    """The memories it made or changed: the digest first, then the facts in their order. Nothing to do changes nothing."""
    check_limits(asked.digest, asked.retain, limits or Limits())
    facts = _distinct(asked.retain)
    for text in filter(None, (asked.digest, *facts)):
        admit({"content": text})
    _admit_owners(asked)
    run = new_id()
    with scribe.writing() as pen:
        digest = _write_digest(scribe, pen, asked, run)
        said = [_fact(scribe, pen, asked, text, run) for text in facts]
        return [*digest, *_write_facts(pen, said, run)]


def check_limits(digest: str | None, facts: Iterable[str], limits: Limits) -> None:
    """Refuse what is too large, and say by how much. Never quotes."""
    facts = [*facts]
    if digest is not None and len(digest) > limits.digest_chars:
        raise _too_large("digest", f"{len(digest)} characters", limits.digest_chars)
    if len(facts) > limits.retain_items:
        raise _too_large("retain", f"{len(facts)} items", limits.retain_items)
    for at, fact in enumerate(facts):
        if len(fact) > limits.retain_chars:
            raise _too_large(f"retain[{at}]", f"{len(fact)} characters", limits.retain_chars)


def _too_large(where: str, found: str, limit: int) -> TooLargeError:
    return TooLargeError(f"{where}: {found}; the limit is {limit}", where=where)


def _distinct(facts: Iterable[str]) -> list[str]:
    """Each statement once, and no blank ones: whoever says a thing twice in one breath says it once."""
    return [*{fingerprint(fact): fact for fact in reversed([*facts]) if fact.strip()}.values()][::-1]


def _admit_owners(asked: Retain) -> None:
    owners = {name: getattr(asked, name) for name in ("scope", "project_id", "repo_id", "agent_id")}
    for name, given in owners.items():
        if given is not None and not given.strip():
            raise InvalidError(f"{name}: must not be empty", hint="Leave it out, or give it a name.", where=name)
    admit(owners)
    scope_of(asked)


def _write_digest(scribe: Scribe, pen: Pen, asked: Retain, run: str) -> list[MemoryRecord]:
    if asked.digest is None:
        return []
    wanted = _digest(scribe, pen, asked, run)
    old = _standing(pen, asked, wanted)
    if (old.content if old else "") == asked.digest:
        return []
    if not asked.digest.strip():
        return [_take_away(pen, old, run)] if old is not None and _has_read(asked, old) else []
    if old is None:
        return _sign_new(pen, wanted, run)
    if wanted.status is Status.ACTIVE and _has_read(asked, old):
        return [_replace(pen, old, wanted, run)]
    why = wanted.status_reason or "the digest was changed while this one was written"
    return _sign_new(pen, wanted.with_(status=Status.INBOX, supersedes=old.id, status_reason=why), run)


def _standing(pen: Pen, asked: Retain, wanted: MemoryRecord) -> MemoryRecord | None:
    """The digest that stands now: the one that is named, else the active one of the same owner."""
    if asked.replaces is not None:
        named = must_find(pen.view, asked.replaces)
        if named.kind != DIGEST:
            raise InvalidError("replaces: this memory is no digest", where="replaces")
        return named if named.status is Status.ACTIVE else None
    where = Filter(kinds=(DIGEST,), scopes=(wanted.scope,), always_load=True)
    owner = (wanted.project_id, wanted.repo_id, wanted.agent_id)
    found = pen.view.memories(where)
    return next((one for one in found if (one.project_id, one.repo_id, one.agent_id) == owner), None)


def _has_read(asked: Retain, old: MemoryRecord) -> bool:
    """Is the digest still what the writer read? Who does not say what he read takes what comes (row 47)."""
    return asked.expect is None or asked.expect == old.fingerprint


def _take_away(pen: Pen, old: MemoryRecord, run: str) -> MemoryRecord:
    gone = pen.change(old, status=Status.DELETED, deleted_at=pen.now, status_reason="the digest was emptied")
    pen.sign(Verb.FORGET, run=run)
    return gone


def _replace(pen: Pen, old: MemoryRecord, wanted: MemoryRecord, run: str) -> MemoryRecord:
    """In place: it is the same page, and its history is one history."""
    new = pen.change(
        old,
        content=wanted.content,
        fingerprint=wanted.fingerprint,
        slug=wanted.slug,
        trust=wanted.trust,
        tier=wanted.tier,
        observed_at=pen.now,
        evidence_ref=wanted.evidence_ref,
    )
    pen.sign(Verb.EVOLVE, run=run)
    return new


def _write_facts(pen: Pen, said: list[MemoryRecord], run: str) -> list[MemoryRecord]:
    twins = {one.id: _twin(pen, one) for one in said}
    new = [one for one in said if twins[one.id] is None]
    for one in new:
        pen.record(None, one)
    if new:
        pen.sign(Verb.SAVE, run=run)
    return [one if (twin := twins[one.id]) is None else reinforce(pen, twin, one, run) for one in said]


def _twin(pen: Pen, wanted: MemoryRecord) -> MemoryRecord | None:
    """The fact that says the same. A digest of the same words is a page, not the fact."""
    twin = pen.view.twin(wanted, pen.now)
    if twin is None or twin.kind != DIGEST:
        return twin
    others = (pen.view.memory(id) for id in pen.view.same_words(wanted.fingerprint))
    return next((one for one in others if one and one.kind != DIGEST and _is_for_the_same(pen, one, twin)), None)


def _is_for_the_same(pen: Pen, one: MemoryRecord, other: MemoryRecord) -> bool:
    owners = ("scope", "project_id", "repo_id", "agent_id", "tenant")
    return one.is_live(pen.now) and all(getattr(one, name) == getattr(other, name) for name in owners)


def _sign_new(pen: Pen, record: MemoryRecord, run: str) -> list[MemoryRecord]:
    pen.record(None, record)
    pen.sign(Verb.SAVE, run=run)
    return [record]


def _digest(scribe: Scribe, pen: Pen, asked: Retain, run: str) -> MemoryRecord:
    said = Save(
        content=asked.digest or "-",
        type=Type.PROJECT,
        kind=DIGEST,
        always_load=True,
        scope=asked.scope,
        project_id=asked.project_id,
        repo_id=asked.repo_id,
        agent_id=asked.agent_id,
        evidence_ref=f"run:{run}",
    )
    return describe(scribe, said, pen.now).with_(source_ref=None)


def _fact(scribe: Scribe, pen: Pen, asked: Retain, text: str, run: str) -> MemoryRecord:
    line = understand_line(text)
    said = Save(
        content=text,
        type=line.type,
        kind=line.kind,
        confidence=line.confidence,
        tags=line.entities,
        scope=asked.scope,
        project_id=asked.project_id,
        repo_id=asked.repo_id,
        agent_id=asked.agent_id,
        evidence_ref=f"run:{run}",
    )
    return describe(scribe, said, pen.now).with_(source_ref=None)
