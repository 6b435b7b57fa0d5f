"""`links`: how memories stand to each other, those of the newest memories first, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from commonplace import settings
from commonplace.engine.scribe import Request, Scribe
from commonplace.errors import InvalidError
from commonplace.model.link import Link
from commonplace.seam.catalog import View


class Links(Request, frozen=True, kw_only=True):
    """Which links."""

    memories: Annotated[tuple[str, ...] | None, Meta(description="only from or to these memories")] = None
    limit: Annotated[int, Meta(description="at most this many")] = settings.DEFAULT_LIST_LIMIT
    after: Annotated[str | None, Meta(description="go on behind this link: FROM>RELATION>TO")] = None

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= settings.MAX_LIST_LIMIT:
            raise InvalidError(
                f"limit: must be between 1 and {settings.MAX_LIST_LIMIT}",
                hint="Page through more with `after`.",
                where="limit",
            )


def links(scribe: Scribe, asked: Links) -> Sequence[Link]:
    with scribe.reading() as view:
        if asked.memories is None:
            return view.links_behind(asked.after, asked.limit)
        found = sorted(view.links_of(_ids(view, asked.memories)), key=lambda link: link.id, reverse=True)
        return [link for link in found if asked.after is None or link.id < asked.after][: asked.limit]


def _ids(view: View, named: Sequence[str]) -> list[str]:
    """Aliases have no links; the memories that have them do."""
    return [found.id if (found := view.memory(name)) else name for name in named]
