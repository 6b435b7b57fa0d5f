"""Sessions of Claude Code: one JSON object a line, with `type`, `message`, `timestamp`, `sessionId`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import Turn, called, moment_of, render, said
from commonplace.model.transcript import Role, Transcript

_ROLES = {"user": Role.PERSON, "assistant": Role.AGENT, "system": Role.SYSTEM}
# What the program itself puts into a person's turn.
_MARKS = ("<command-", "<local-command", "<system-reminder", "<bash-", "<task-notification", "Caveat: ")


def read(material: Material) -> Transcript | None:
    if not any(_is_ours(line) for line in material.objects[:50]):
        return None
    turns = [turn for line in material.objects for turn in _turns(line)]
    return render("claude-code", turns, title=_title(material.objects), odd=material.odd)


def _is_ours(line: dict[str, Any]) -> bool:
    return (
        line.get("type") in ("user", "assistant")
        and isinstance(line.get("message"), dict)
        and ("sessionId" in line or "uuid" in line)
    )


def _title(lines: list[dict[str, Any]]) -> object:
    named = [
        line.get("customTitle") or line.get("aiTitle") or line.get("summary")
        for line in lines
        if line.get("type") in ("summary", "custom-title", "ai-title")
    ]
    return named[-1] if named else None


def _turns(line: dict[str, Any]) -> Iterator[Turn]:
    message, role, at = line.get("message"), _ROLES.get(str(line.get("type"))), moment_of(line.get("timestamp"))
    if role is Role.SYSTEM:
        yield Turn(Role.SYSTEM, said(line.get("content")), None, at)
    if role is None or not isinstance(message, dict):
        return
    content = message.get("content")
    for block in content if isinstance(content, list) else [content]:
        yield from _block(block, _speaking(line, role), at)


def _speaking(line: dict[str, Any], role: Role) -> Role:
    """Who really speaks: what the program adds is no person's word, and in a side chain the agent asks another one."""
    if line.get("isMeta") or line.get("isCompactSummary"):
        return Role.SYSTEM
    return Role.AGENT if line.get("isSidechain") else role


def _block(block: object, role: Role, at: datetime | None) -> Iterator[Turn]:
    sort = block.get("type") if isinstance(block, dict) else None
    if isinstance(block, dict) and sort == "tool_use":
        yield called(block.get("name"), block.get("input"))._replace(at=at)
    elif isinstance(block, dict) and sort == "tool_result":
        yield Turn(Role.TOOL, said(block.get("content")), "Tool result", at)
    elif isinstance(block, dict) and sort == "thinking":
        yield Turn(Role.SYSTEM, said(block.get("thinking")), "Assistant thinking", at)
    else:
        text = said([block])
        is_added = role is Role.PERSON and text.lstrip().startswith(_MARKS)
        yield Turn(Role.SYSTEM if is_added else role, text, None, at)
