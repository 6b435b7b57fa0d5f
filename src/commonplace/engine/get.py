"""`get`: one memory, as it is or as it was believed at a moment."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, harmless, must_find
from commonplace.errors import NotFoundError
from commonplace.model.base import set_once, utc
from commonplace.model.record import MemoryRecord


class Get(Request, frozen=True, kw_only=True):
    """Which memory, and when."""

    id: Annotated[str, Meta(description="the memory's id or alias")]
    as_of: Annotated[datetime | None, Meta(description="as the book knew it at this moment")] = None

    def __post_init__(self) -> None:
        if self.as_of is not None:
            set_once(self, "as_of", utc(self.as_of, "as_of"))


def get(scribe: Scribe, asked: Get) -> MemoryRecord:
    with scribe.reading() as view:
        if asked.as_of is None:
            return must_find(view, asked.id)
        from commonplace.engine.past import memory_at

        found = memory_at(view, asked.id, view.seq_at(asked.as_of))
    if found is None:
        raise NotFoundError("the book did not know this memory then", where=harmless(asked.id))
    return found
