"""The three tools as a model is told of them, in the two forms that hosts ask for (G14, G21, G25)."""

from __future__ import annotations

from typing import Any

from commonplace.model.base import not_among
from commonplace.surfaces.tools.settings import DELETE, SEARCH, STORE, ToolSettings

MAX_TEXT_CHARS = 500
MAX_TAGS = 5
SCOPES = ("user", "workspace", "session")
STYLES = ("openai", "anthropic")

_TEXT = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_TEXT_CHARS,
    "description": f"The fact or note to remember (max {MAX_TEXT_CHARS} chars)",
}
_TAGS = {"type": "array", "items": {"type": "string"}, "maxItems": MAX_TAGS, "description": "Classification tags"}
_SCOPE = {"type": "string", "enum": [*SCOPES], "description": "Whom it concerns (default 'workspace')"}
_QUERY = {"type": "string", "description": "Keyword search across memory text"}
_TAG = {"type": "string", "description": "Filter by tag"}
_ID = {"type": "string", "description": "Memory ID to delete, for example m-4"}

_DESCRIBED: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    STORE: (
        "Store a memory that persists across sessions. Not for secrets: they are rejected.",
        {"text": _TEXT, "tags": _TAGS, "scope": _SCOPE},
        ["text"],
    ),
    SEARCH: (
        "Search stored memories by keyword or tag, newest first. Without either: the 20 most recent.",
        {"query": _QUERY, "tag": _TAG},
        [],
    ),
    DELETE: ("Delete a memory by ID, for good.", {"id": _ID}, ["id"]),
}


def parameters_of(tool: str) -> frozenset[str]:
    """What a tool can be told."""
    return frozenset(_DESCRIBED[tool][1])


def schemas(settings: ToolSettings, style: str) -> list[dict[str, Any]]:
    """The tools that are switched on."""
    if style not in STYLES:
        raise not_among([*STYLES], style, "style")
    return [_schema(tool, style) for tool in _DESCRIBED if settings.is_enabled(tool)]


def _schema(tool: str, style: str) -> dict[str, Any]:
    description, properties, required = _DESCRIBED[tool]
    takes = {
        "type": "object",
        "properties": {name: {**said} for name, said in properties.items()},
        "required": [*required],
        "additionalProperties": False,
    }
    if style == "anthropic":
        return {"name": tool, "description": description, "input_schema": takes}
    return {"type": "function", "function": {"name": tool, "description": description, "parameters": takes}}
