"""Which line of the frontmatter holds which field of a memory, in the locked order (A23, A67).

The first nine stand in the design. The others are written only when they say something that a reader would not take for
granted; `id` always, and last. What no line holds (trust, occurrences, sources, history, links that were drawn elsewhere) is
kept in the journal beside the notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.names import safe_name
from commonplace.formats.vault.scalars import Value, written
from commonplace.model.words import SCOPE_WORDS, Scope, Status, Tier, Type

ORDER = (
    "kind", "status", "created", "updated", "tags", "group", "slug", "always_load", "supersedes",
    "superseded_by", "superseded_at", "superseded_reason", "deleted_at", "status_reason",
    "title", "aliases", "type", "scope", "project", "repo", "agent", "tier", "summary", "rationale", "evidence",
    "valid_from", "valid_to", "id",
)  # fmt: skip

KEYS = {
    "kind": "kind", "status": "status", "created_at": "created", "updated_at": "updated", "tags": "tags", "slug": "slug",
    "always_load": "always_load", "deleted_at": "deleted_at", "title": "title", "aliases": "aliases", "type": "type",
    "scope": "scope", "scope_word": "scope", "project_id": "project", "repo_id": "repo", "agent_id": "agent", "tier": "tier",
    "summary": "summary", "rationale": "rationale", "evidence_ref": "evidence", "valid_from": "valid_from",
    "valid_to": "valid_to", "status_reason": "status_reason", "id": "id",
}  # fmt: skip
"""Field of the record, key in the note."""
HOLDS = frozenset(KEYS) | {"content"}
TEXTS = (("title", "title"), ("summary", "summary"), ("rationale", "rationale"), ("evidence_ref", "evidence"))
OWNERS = (("project_id", "project"), ("repo_id", "repo"), ("agent_id", "agent"))
TIMES = (("created_at", "created"), ("updated_at", "updated"), ("valid_from", "valid_from"), ("valid_to", "valid_to"))

_TYPES = {"preference": Type.PROFILE, "feedback": Type.PROFILE, "task-hint": Type.TASK_HINT}


def type_of(kind: str) -> Type:
    """What sort of statement a kind is when nothing says it."""
    return _TYPES.get(kind) or (Type(kind) if kind in tuple(Type) else Type.PROJECT)


def scope_of(project: str | None) -> Scope:
    """Whom it concerns when nothing says it."""
    return Scope.PROJECT if project else Scope.GLOBAL


def group_of(said: Mapping[str, Any], layout: Layout) -> str:
    """The folder it belongs to in good times, whatever its status: kebab segments joined by `/` (A68)."""
    kind = safe_name(said["kind"])
    if said["scope"] is Scope.PROJECT and said["project_id"]:
        return f"{layout.projects}/{safe_name(said['project_id'])}/{kind}"
    return kind


def lines_of(said: Mapping[str, Any], layout: Layout, tier: Tier) -> dict[str, Value | None]:
    """What each line should say for these fields, where the note's folder speaks for this tier; None for no line at all."""
    superseded = said["status"] is Status.SUPERSEDED
    reason = _text(said["status_reason"])
    return {
        "kind": written(said["kind"]),
        "status": str(said["status"]),
        "created": moment(said["created_at"]),
        "updated": moment(said["updated_at"]),
        "tags": [*said["tags"]],
        "group": written(group_of(said, layout)),
        "slug": written(said["slug"]),
        "always_load": "true" if said["always_load"] else "false",
        "superseded_reason": reason if superseded else None,
        "deleted_at": moment(said["deleted_at"]),
        "status_reason": None if superseded else reason,
        "title": _text(said["title"]),
        "aliases": [*said["aliases"]] or None,
        "type": None if said["type"] is type_of(said["kind"]) else str(said["type"]),
        "scope": _scope(said),
        "project": _text(said["project_id"]),
        "repo": _text(said["repo_id"]),
        "agent": _text(said["agent_id"]),
        "tier": None if said["tier"] is tier else str(said["tier"]),
        "summary": _text(said["summary"]),
        "rationale": _text(said["rationale"]),
        "evidence": _text(said["evidence_ref"]),
        "valid_from": moment(said["valid_from"]),
        "valid_to": moment(said["valid_to"]),
        "id": written(said["id"]),
    }


def _text(text: str | None) -> str | None:
    return None if text is None else written(text)


def _scope(said: Mapping[str, Any]) -> str | None:
    """The surface's own word where there is one (X-11); nothing where the project tells it."""
    word, scope = said["scope_word"], said["scope"]
    if word and SCOPE_WORDS.get(word) is scope:
        return written(word)
    return None if scope is scope_of(said["project_id"]) else str(scope)


def moment(value: datetime | None) -> str | None:
    """In UTC (A-l), as short as it can be said exactly."""
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")
