"""The automatic source of a hand-written memory: who wrote, through which surface (R-g)."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from commonplace.engine.scribe import Pen, Scribe
from commonplace.model.source import Source
from commonplace.model.words import Entity, SourceKind


def manual_source_id(scribe: Scribe) -> str:
    """The same for the same writer and surface, so that a thousand saves share one source."""
    return _source_id(scribe.surface, scribe.actor)


@lru_cache(maxsize=256)
def _source_id(surface: str, actor: str) -> str:
    return "manual-" + blake2b(f"{surface}\n{actor}".encode(), digest_size=10).hexdigest()


def manual_source(pen: Pen, scribe: Scribe) -> None:
    """Make the source if this writer has none yet."""
    id = manual_source_id(scribe)
    if id in scribe.known_sources:
        return
    if pen.view.noun(Entity.SOURCE, id) is not None:
        scribe.known_sources.add(id)  # a source that is there stays there
    else:
        made = Source(
            id=id,
            kind=SourceKind.MANUAL,
            title=f"written by {scribe.actor} through {scribe.surface}",
            captured_at=pen.now,
            actor=scribe.actor,
        )
        pen.write(Entity.SOURCE, None, made)
