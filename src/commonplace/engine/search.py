"""`search`: find memories by their words, and say why each one came up."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.list import List, filter_of
from commonplace.engine.scribe import Request, Scribe
from commonplace.model.result import RetrievalResult
from commonplace.retrieve.understand import words_of


class Search(Request, frozen=True, kw_only=True):
    """What to look for. Any text is a legal query; nothing in it is syntax."""

    query: Annotated[str, Meta(description="what to look for, in any words")]
    project: Annotated[str | None, Meta(description="only of this project")] = None
    repo: Annotated[str | None, Meta(description="only of this repository")] = None
    agent: Annotated[str | None, Meta(description="only of this agent")] = None
    scopes: Annotated[tuple[str, ...] | None, Meta(description="only these scopes")] = None
    types: Annotated[tuple[str, ...] | None, Meta(description="only these types")] = None
    kinds: Annotated[tuple[str, ...] | None, Meta(description="only these kinds")] = None
    statuses: Annotated[tuple[str, ...] | None, Meta(description="inbox, active, superseded, ...; or all")] = None
    tags: Annotated[tuple[str, ...] | None, Meta(description="only with all of these tags")] = None
    limit: Annotated[int, Meta(description="at most this many")] = 10


# A search does not wait for writers: it only uses the chance if nobody is writing.
_SETTLE_SECONDS = 0.02


def search(scribe: Scribe, asked: Search) -> list[RetrievalResult]:
    where = List(
        statuses=asked.statuses,
        types=asked.types,
        kinds=asked.kinds,
        scopes=asked.scopes,
        tags=asked.tags,
        project_id=asked.project,
        repo_id=asked.repo,
        agent_id=asked.agent,
        limit=asked.limit,
    )
    words = words_of(asked.query)
    scribe.canon.settle(_SETTLE_SECONDS)
    with scribe.reading() as view:
        found = view.words(words, filter_of(where), asked.limit)
    return [
        RetrievalResult(
            record=record,
            score=round(score, 6),
            scores={"lexical": round(score, 6)},
            matched_scope=record.scope,
            evidence_ref=record.evidence_ref or record.source_ref,
            explanation=_why(words, record.title, record.summary, record.content),
        )
        for record, score in found
    ]


def _why(words: tuple[str, ...], *texts: str | None) -> str:
    held = " ".join(text for text in texts if text).lower()
    seen = [word for word in words if word in held]
    return f"it holds the words: {', '.join(seen)}" if seen else "it holds other forms of the words you asked for"
