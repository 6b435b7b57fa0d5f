"""`stats`: how much there is of what."""

from __future__ import annotations

from commonplace.engine.scribe import Request, Scribe
from commonplace.model.finding import BookStats


class Stats(Request, frozen=True, kw_only=True):
    """Nothing to say: it is about the whole book."""


def stats(scribe: Scribe, asked: Stats) -> BookStats:  # noqa: ARG001 - every verb is asked something
    with scribe.reading() as view:
        counts = view.counts()
    canon, total = scribe.canon, counts["total"]
    return BookStats(
        book_id=canon.book_id,
        url=canon.url,
        format_version=canon.format_version,
        memories=total["memories"],
        by_status=counts["status"],
        by_type=counts["type"],
        links=total["memory_links"],
        sources=total["sources"],
        conflicts=total["conflicts"],
        operations=total["journal"],
        bytes=canon.size(),
    )
