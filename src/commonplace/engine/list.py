"""`list`: the memories that match, newest first, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta

from commonplace import settings
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import InvalidError
from commonplace.model.base import set_once, utc
from commonplace.model.filter import Filter, statuses_of
from commonplace.model.record import MemoryRecord
from commonplace.seam.terms import Page


class List(Request, frozen=True, kw_only=True):
    """Which memories. Only active ones unless `statuses` says otherwise; `all` means every status."""

    statuses: Annotated[tuple[str, ...] | None, Meta(description="inbox, active, superseded, ...; or all")] = None
    types: Annotated[tuple[str, ...] | None, Meta(description="only these types")] = None
    kinds: Annotated[tuple[str, ...] | None, Meta(description="only these kinds")] = None
    scopes: Annotated[tuple[str, ...] | None, Meta(description="only these scopes")] = None
    tags: Annotated[tuple[str, ...] | None, Meta(description="only with all of these tags")] = None
    trusts: Annotated[tuple[str, ...] | None, Meta(description="only through these channels")] = None
    project_id: Annotated[str | None, Meta(description="only of this project")] = None
    repo_id: Annotated[str | None, Meta(description="only of this repository")] = None
    agent_id: Annotated[str | None, Meta(description="only of this agent")] = None
    source_ref: Annotated[str | None, Meta(description="only from this source")] = None
    tenant: Annotated[str | None, Meta(description="only of this tenant")] = None
    always_load: Annotated[bool | None, Meta(description="only those loaded at session start")] = None
    since: Annotated[datetime | None, Meta(description="created at or after")] = None
    until: Annotated[datetime | None, Meta(description="created before")] = None
    as_of: Annotated[datetime | None, Meta(description="as the book knew them at this moment")] = None
    limit: Annotated[int, Meta(description="at most this many")] = settings.DEFAULT_LIST_LIMIT
    after: Annotated[str | None, Meta(description="go on behind this memory")] = None

    def __post_init__(self) -> None:
        if self.as_of is not None:
            set_once(self, "as_of", utc(self.as_of, "as_of"))
        if (
            not isinstance(self.limit, int)
            or isinstance(self.limit, bool)
            or not 1 <= self.limit <= settings.MAX_LIST_LIMIT
        ):
            raise InvalidError(
                f"limit: must be between 1 and {settings.MAX_LIST_LIMIT}",
                hint="Page through more with `after`, or use `export` for everything.",
                where="limit",
            )


def list(scribe: Scribe, asked: List) -> Sequence[MemoryRecord]:
    where, page = filter_of(asked), Page(limit=asked.limit, after=asked.after)
    with scribe.reading() as view:
        if asked.as_of is None:
            return [*view.memories(where, page)]
        from commonplace.engine.past import memories_at

        return [*memories_at(view, where, page, view.seq_at(asked.as_of))]


_FILTERED = tuple(field for field in Filter.__struct_fields__ if field in List.__struct_fields__)


def filter_of(asked: List) -> Filter:
    given = {field: getattr(asked, field) for field in _FILTERED if getattr(asked, field) is not None}
    if asked.statuses is not None:
        given["statuses"] = statuses_of(asked.statuses)
    return Filter(**given)
