"""`memory_search`: a part of the text, a tag, both, or neither; newest first, at most twenty (G21-G24)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from commonplace.guard.secrets import redact
from commonplace.surfaces.tools.arguments import text_of
from commonplace.surfaces.tools.entries import Entry

MOST = 20


def search(entries: Sequence[Entry], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Scopes are not looked at (G9). Nothing found is an empty list (G-j)."""
    query, tag = text_of(arguments, "query"), text_of(arguments, "tag")
    found = [entry for entry in reversed(entries) if _holds(entry, query) and _is_tagged(entry, tag)][:MOST]
    return {"count": len(found), "memories": [_shown(entry) for entry in found]}


def _holds(entry: Entry, query: str | None) -> bool:
    return query is None or query.casefold() in entry.text.casefold()


def _is_tagged(entry: Entry, tag: str | None) -> bool:
    return tag is None or tag.casefold() in (one.casefold() for one in entry.tags)


def _shown(entry: Entry) -> dict[str, Any]:
    # What people wrote into the file passed no guard, and an answer goes into a prompt.
    return {"id": entry.id, "text": redact(entry.text)[0], "tags": [*entry.tags], "ts": entry.ts}
