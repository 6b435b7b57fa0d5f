"""The four tools as data: what goes in and what comes out (A29, A81-A84).

These are not the tools of `surfaces/tools`: one name there has another meaning, and no listing holds both (X-4).
"""

from __future__ import annotations

from typing import Any

from commonplace.retrieve.budgets import PHASES
from commonplace.surfaces.mcp.wording import DESCRIPTIONS, TITLES

Schema = dict[str, Any]

SCOPES = ("all", "global", "project", "repo", "agent", "session")
DEFAULT_LIMIT, MOST_RESULTS = 20, 100
SNIPPET_CHARS = 200
DEFAULT_TOKENS = 4_000
NAME = "^[A-Za-z0-9][A-Za-z0-9_-]*$"


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _number(description: str, **more: Any) -> Schema:
    return {"type": "integer", "description": description, **more}


_PROJECT = _text(
    "The project the work is in; leave it out for the server's own, or for what holds everywhere.", pattern=NAME
)
_SORTS = "decision (say why in the content), preference, workflow, fix, domain-reference, idea, ..."

INPUTS: dict[str, dict[str, Schema]] = {
    "memory_search": {
        "query": _text("What you want to know, in any words; a whole question works best."),
        "scope": _text(
            "Only memories that concern everything (global), a project, a repo, an agent or a session.",
            enum=[*SCOPES],
            default="all",
        ),
        "project": _PROJECT,
        "kind": _text("Only this kind, such as decision, preference, fix or workflow.", pattern=NAME),
        "limit": _number("At most this many results.", minimum=1, maximum=MOST_RESULTS, default=DEFAULT_LIMIT),
        "include_deleted": {"type": "boolean", "default": False, "description": "Also memories that were forgotten."},
        "cursor": _text("Not needed: an answer is one page, and its cursor is always null."),
    },
    "memory_recall": {
        "context": _text("What you are about to do, in a sentence or two."),
        "phase": _text("The phase of the work that begins now.", enum=[*PHASES]),
        "project": _PROJECT,
        "budget_tokens": _number(
            "At most this many tokens; a phase has a limit of its own, which is never passed.",
            minimum=0,
            default=DEFAULT_TOKENS,
        ),
    },
    "memory_append": {
        "content": _text("One statement that can be understood without this conversation. Never a secret."),
        "kind": _text(f"What sort of statement: {_SORTS}", pattern=NAME),
        "project": _PROJECT,
        "title": _text("A few words to know it by."),
        "tags": {"type": "array", "items": {"type": "string"}, "description": "Words to find it under."},
        "idempotency_key": _text("A key of your own: sent again with the same statement, it is kept once."),
    },
    "memory_forget": {
        "id": _text("The id of the memory, as memory_search or memory_append gave it."),
        "reason": _text("Why; it is kept in the history."),
    },
}

REQUIRED = {
    "memory_search": ("query",),
    "memory_recall": ("context", "phase"),
    "memory_append": ("content", "kind"),
    "memory_forget": ("id",),
}

_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_TEXTS = {"type": "array", "items": _TEXT}
_RESULT: dict[str, Schema] = {
    **dict.fromkeys(("id", "slug", "status", "kind", "snippet"), _TEXT),
    "score": {"type": "number"},
    "tags": _TEXTS,
}
_OUTPUTS: dict[str, dict[str, Schema]] = {
    "memory_search": {
        "results": {"type": "array", "items": {"type": "object", "properties": _RESULT, "required": [*_RESULT]}},
        "total": {"type": "integer"},
        "cursor": {"type": "null"},
    },
    "memory_recall": {"result": _TEXT},
    "memory_append": {"id": _TEXT, "slug": _TEXT, "deduplicated": _FLAG},
    "memory_forget": {"id": _TEXT, "status": {"type": "string", "enum": ["deleted"]}, "already_deleted": _FLAG},
}

_HINTS = {
    "memory_search": {"readOnlyHint": True, "idempotentHint": True},
    "memory_recall": {"readOnlyHint": True, "idempotentHint": True},
    "memory_append": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
    "memory_forget": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
}


def described() -> list[Schema]:
    """All four, as `tools/list` answers."""
    return [_described(name) for name in INPUTS]


def _described(name: str) -> Schema:
    return {
        "name": name,
        "title": TITLES[name],
        "description": DESCRIPTIONS[name],
        "inputSchema": _object(INPUTS[name], REQUIRED[name]) | {"additionalProperties": False},
        "outputSchema": _object(_OUTPUTS[name], (*_OUTPUTS[name],)),
        "annotations": {"title": TITLES[name], **_HINTS[name], "openWorldHint": False},
    }


def _object(properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required]}
