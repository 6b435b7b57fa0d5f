"""`scan`: walk what is stored and look for secrets that came in by other ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe
from commonplace.guard import secrets
from commonplace.model.base import Noun
from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.finding import Examination, Finding
from commonplace.model.words import Entity
from commonplace.seam.catalog import View
from commonplace.seam.terms import Progress

_TEXTS = (
    "content",
    "title",
    "summary",
    "rationale",
    "evidence_ref",
    "status_reason",
    "reason",
    "body",
    "uri",
    "tags",
    "aliases",
)


class Scan(Request, frozen=True, kw_only=True):
    """Walk the whole book."""

    limit: Annotated[int, Meta(description="stop after so many findings", ge=1)] = 1000


def scan(scribe: Scribe, asked: Scan, progress: Progress | None = None) -> Examination:
    checked = {"memories": 0, "sources": 0, "operations": 0}
    findings: list[Finding] = []
    with scribe.reading() as view:
        total = view.counts()["total"]["memories"]
        for name, noun in _everything(view):
            checked[name] += 1
            if progress and checked["memories"] % 200 == 0:
                progress(checked["memories"], total)
            findings += secrets_in(noun)
            if len(findings) >= asked.limit:
                break
    return Examination(ok=not findings, checked=checked, findings=tuple(findings))


def _everything(view: View) -> Iterator[tuple[str, Noun]]:
    for record in view.memories(Filter(statuses=EVERY_STATUS)):
        yield "memories", record
    for source in view.nouns(Entity.SOURCE):
        yield "sources", source
    for operation in view.operations():
        yield "operations", operation


def secrets_in(noun: Noun) -> Iterator[Finding]:
    """Where a noun holds something like a secret: which kind, which field, which characters; never what."""
    for field in _TEXTS:
        value = getattr(noun, field, None)
        for text in (value,) if isinstance(value, str) else value or ():
            for found in secrets.scan(text):
                yield Finding(
                    code=found.kind,
                    message=f"{field} holds something like a secret at characters {found.start} to {found.end}",
                    where=noun.id,  # type: ignore[attr-defined]
                    hint="Revoke it where it was issued; `commonplace purge` destroys a memory and all that speaks of it.",
                )
