"""`memory_delete`: the text leaves every file of the book, and a tombstone without content stays (G25, G26, X-3).

Destroying is otherwise the operator's alone. On this surface the design gives it to the agent: what it stored it may take back,
in a file of its own. So it is done with the operator's authority, under the name of this surface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from commonplace.errors import ConflictError, NotFoundError
from commonplace.surfaces.tools.arguments import Refused, shown, text_of
from commonplace.surfaces.tools.patience import TRIES, patiently

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.surfaces.tools.entries import Entries


def delete(entries: Entries, operator: Callable[[], Book], arguments: Mapping[str, Any]) -> dict[str, Any]:
    id = (text_of(arguments, "id") or "").strip()
    if not id:
        raise Refused("id is required")
    if not _stands(id, entries):
        raise Refused(f"memory {shown(id)} not found")
    for _ in range(TRIES):  # whoever writes into the file at the same moment may keep the line in it
        _destroy(id, entries, operator())
        if not _stands(id, entries):
            return {"ok": True}
    raise Refused(f"memory {shown(id)} is put back by another program")


def _destroy(id: str, entries: Entries, book: Book) -> None:
    try:
        patiently(lambda: book.purge(id, reason="memory_delete"))
    except NotFoundError:
        with suppress(ConflictError):
            entries.drop(id)


def _stands(id: str, entries: Entries) -> bool:
    return any(entry.id == id for entry in entries.all())
