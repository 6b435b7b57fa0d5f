"""`history` and `journal`: what happened to one memory, and what happened to the book."""

from __future__ import annotations

import sys
from datetime import datetime
from itertools import islice
from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, harmless
from commonplace.errors import InvalidError, NotFoundError
from commonplace.model.base import set_once, utc
from commonplace.model.operation import Operation
from commonplace.model.words import Verb


class History(Request, frozen=True, kw_only=True):
    """Whose history."""

    id: Annotated[str, Meta(description="the memory, link, source or conflict")]


class Journal(Request, frozen=True, kw_only=True):
    """Which operations."""

    since: Annotated[datetime | None, Meta(description="at or after")] = None
    until: Annotated[datetime | None, Meta(description="at or before")] = None
    actor: Annotated[str | None, Meta(description="only by this actor")] = None
    verb: Annotated[str | None, Meta(description="only this verb")] = None
    run: Annotated[str | None, Meta(description="only of this run")] = None
    limit: Annotated[int, Meta(description="the newest so many")] = 1000

    def __post_init__(self) -> None:
        for field in ("since", "until"):
            if getattr(self, field) is not None:
                set_once(self, field, utc(getattr(self, field), field))
        if self.verb is not None:
            set_once(self, "verb", str(Verb.of(self.verb, "verb")))
        if self.limit < 1:
            raise InvalidError("limit: must be at least 1", where="limit")


def history(scribe: Scribe, asked: History) -> list[Operation]:
    """Everything that happened to it, oldest first, beginning with what another book's journal told before an import."""
    with scribe.reading() as view:
        record = view.memory(asked.id)
        subject = record.id if record else asked.id
        told = [*view.foreign_history(subject), *view.operations(subject=subject)]
    if not told:
        raise NotFoundError("the journal does not know this id", where=harmless(asked.id))
    return told


def journal(scribe: Scribe, asked: Journal) -> list[Operation]:
    """The newest operations that match, oldest first."""
    with scribe.reading() as view:
        found = view.operations(
            since=asked.since,
            until=asked.until,
            actor=asked.actor,
            verb=asked.verb,
            run=asked.run,
            newest_first=True,
        )
        return [*islice(found, min(asked.limit, sys.maxsize))][::-1]
