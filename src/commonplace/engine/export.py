"""`export`: the whole book as lines of JSON that any program can read, streamed, with its journal and a manifest."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated

from msgspec import Meta

from commonplace.engine.exchange import ENTITIES, End, Manifest, Tombstone, line_of
from commonplace.engine.scan import secrets_in
from commonplace.engine.scribe import Request, Scribe
from commonplace.model.base import Noun
from commonplace.model.finding import ExportReport, Finding
from commonplace.seam.catalog import View
from commonplace.seam.terms import Progress


class Export(Request, frozen=True, kw_only=True):
    """Where to."""

    path: Annotated[str, Meta(description="a file that does not exist yet")]


# What leaves the book is looked at once more; more findings than this say nothing new.
_MOST_FINDINGS = 100


def export(scribe: Scribe, asked: Export, progress: Progress | None = None) -> ExportReport:
    """One consistent moment of the book, however long it takes and however much is written meanwhile."""
    counts: dict[str, int] = {}
    digest, lines = sha256(), 0
    findings: list[Finding] = []
    with scribe.reading() as view, scribe.files.writing(asked.path) as file:
        total = _total(view)
        for name, noun in _everything(scribe, view):
            line = line_of(name, noun)
            digest.update(line)
            file.write(line)
            lines += 1
            counts[name] = counts.get(name, 0) + 1
            if name in ("memory", "source") and len(findings) < _MOST_FINDINGS:
                findings += secrets_in(noun)
            if progress and lines % 500 == 0:
                progress(lines, total)
        file.write(line_of("end", End(lines=lines, sha256=digest.hexdigest())))
        findings = [*left_out(view, counts), *findings]
    counts.pop("manifest")
    return ExportReport(
        path=asked.path, lines=lines + 1, counts=counts, sha256=digest.hexdigest(), findings=tuple(findings)
    )


def _everything(scribe: Scribe, view: View) -> Iterator[tuple[str, Noun]]:
    yield (
        "manifest",
        Manifest(book_id=scribe.canon.book_id, exported_at=scribe.clock.now(), counts=view.counts()["total"]),
    )
    for entry in view.chain():
        yield "journal", entry
    for id, seq in view.tombstones():
        yield "tombstone", Tombstone(id=id, seq=seq)
    for name, entity in ENTITIES:
        for noun in view.nouns(entity):
            yield name, noun


def left_out(view: View, counts: dict[str, int]) -> Iterator[Finding]:
    """What is damaged cannot be read, and so not be counted; that must not go unsaid."""
    for name, entity in ENTITIES:
        missing = sum(1 for _ in view.ids(entity)) - counts.get(name, 0)
        if missing:
            yield Finding(
                code="unreadable",
                message=f"{missing} of sort {name} could not be read",
                hint="They are left out; `commonplace verify` names them, and the journal still tells of them.",
            )


def _total(view: View) -> int:
    total = view.counts()["total"]
    return sum(total[name] for name in ("journal", "memories", "memory_links", "sources", "conflicts", "tombstones"))
