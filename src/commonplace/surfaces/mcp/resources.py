"""Resources: what every session begins with is listed, and any memory can be read as `memory://ID`, fenced as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from commonplace.errors import NotFoundError
from commonplace.surfaces.mcp.envelope import INVALID_PARAMS, ProtocolError
from commonplace.surfaces.mcp.saying import harmless, page_of
from commonplace.surfaces.mcp.versions import STATELESS

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.surfaces.mcp.desk import Desk

SCHEME = "memory://"
NOT_FOUND = -32002
"""What the versions with a handshake say of a resource that is not there; the newest has no word of its own for it."""
_SORT = "text/plain"
_MOST_URI_CHARS = 600


def listed(desk: Desk) -> dict[str, Any]:
    return {"resources": [_entry(record) for record in desk.always_loaded()]}


def _entry(record: MemoryRecord) -> dict[str, Any]:
    name = harmless(record.slug or record.id, 60)
    return {
        "uri": f"{SCHEME}{quote(record.id, safe='')}",
        "name": name,
        "title": harmless(record.title, 80) if record.title else name,
        "description": f"Remembered data: {harmless(record.summary or record.content, 120)}",
        "mimeType": _SORT,
        "annotations": {"audience": ["assistant"]},
    }


def templates() -> dict[str, Any]:
    one = {
        "uriTemplate": f"{SCHEME}{{id}}",
        "name": "memory",
        "title": "One memory",
        "description": "One memory, whole, with its kind, status and trust; by the id that memory_search gave.",
        "mimeType": _SORT,
    }
    return {"resourceTemplates": [one]}


def read(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:
    uri = params.get("uri")
    id = unquote(uri.removeprefix(SCHEME)) if isinstance(uri, str) and uri.startswith(SCHEME) else ""
    if not isinstance(uri, str) or len(uri) > _MOST_URI_CHARS or not f"{uri}{id}".isprintable() or not id.strip():
        raise ProtocolError(INVALID_PARAMS, f"uri: must be {SCHEME}ID")
    try:
        record = desk.memory(id)
    except NotFoundError:
        code = INVALID_PARAMS if version == STATELESS else NOT_FOUND
        raise ProtocolError(code, "there is no such resource", {"hint": "memory_search gives ids."}) from None
    return {"contents": [{"uri": uri, "mimeType": _SORT, "text": page_of(record)}]}
