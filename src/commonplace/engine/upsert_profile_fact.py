"""`upsert_profile_fact`: one fact about the person, known by its subject. Said anew it replaces what was said before (rfc 44)."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from commonplace import settings
from commonplace.engine.evolve import Evolve, evolve
from commonplace.engine.save import Save, save
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import InvalidError, TooLargeError
from commonplace.model.filter import Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope, Type
from commonplace.seam.terms import Page

_SUBJECT = "subject:"
_MOST = settings.MAX_TAG_CHARS - len(_SUBJECT)


class UpsertProfileFact(Request, frozen=True, kw_only=True):
    """What is true of the person now."""

    subject: Annotated[str, Meta(description="what the fact is about, in a word or two: editor, home town")]
    content: Annotated[str, Meta(description="the fact, in words that stand by themselves")]
    reason: Annotated[str | None, Meta(description="why it changed")] = None
    confidence: Annotated[float | None, Meta(description="how sure, from 0 to 1")] = None
    evidence_ref: Annotated[str | None, Meta(description="where the evidence lies")] = None


def upsert_profile_fact(scribe: Scribe, asked: UpsertProfileFact) -> MemoryRecord:
    """A person's own word stands at once; an agent's waits in the inbox, and never takes the place of the person's (rfc 20)."""
    tag = subject_tag(asked.subject)
    with scribe.reading() as view:
        where = Filter(types=(Type.PROFILE,), scopes=(Scope.GLOBAL,), tags=(tag,))
        known = next(view.memories(where, Page(limit=1)), None)
    if known is not None and known.fingerprint != fingerprint(asked.content):
        changed = Evolve(
            id=known.id,
            content=asked.content,
            reason=asked.reason or f"the {asked.subject} changed",
            tags=known.tags,
            confidence=asked.confidence,
            evidence_ref=asked.evidence_ref,
            expect=known.fingerprint,
        )
        return evolve(scribe, changed)
    said = Save(
        content=asked.content,
        type=Type.PROFILE,
        tags=(tag,),
        confidence=asked.confidence,
        evidence_ref=asked.evidence_ref,
    )
    return save(scribe, said)


def subject_tag(subject: str) -> str:
    slug = re.sub(r"[^\w]+", "-", subject.strip().lower()).strip("-")
    if not slug:
        raise InvalidError("subject: must not be empty", hint="For example: editor.", where="subject")
    if len(slug) > _MOST:  # cut off, two subjects that begin alike would be one
        raise TooLargeError(f"subject: more than {_MOST} characters", hint="A word or two will do.", where="subject")
    return f"{_SUBJECT}{slug}"
