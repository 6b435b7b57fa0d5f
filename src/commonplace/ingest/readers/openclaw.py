"""Sessions of OpenClaw: a `session` line with version and id, then `message` lines that hold role and blocks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import Turn, called, moment_of, render, role_of, said
from commonplace.model.transcript import Role, Transcript


def read(material: Material) -> Transcript | None:
    lines = material.objects
    if not lines or lines[0].get("type") != "session" or not any(_is_message(line) for line in lines):
        return None
    turns = [turn for line in lines for turn in _turns(line)]
    named = [line.get("name") for line in lines if line.get("type") == "session_info"]
    title = named[-1] if named else None
    return render("openclaw", turns, title=title, at=moment_of(lines[0].get("timestamp")), odd=material.odd)


def _is_message(line: dict[str, Any]) -> bool:
    return line.get("type") == "message" and isinstance(line.get("message"), dict)


def _turns(line: dict[str, Any]) -> Iterator[Turn]:
    at = moment_of(line.get("timestamp"))
    if _is_message(line):
        yield from _message(line["message"], at)
    elif line.get("type") in ("compaction", "branch_summary"):
        yield Turn(Role.SYSTEM, said(line.get("summary")), "Summary", at)
    elif line.get("type") == "custom_message":
        yield Turn(Role.SYSTEM, said(line.get("content")), None, at)


def _message(message: dict[str, Any], at: datetime | None) -> Iterator[Turn]:
    role, content = role_of(message.get("role")) or Role.SYSTEM, message.get("content")
    if role is Role.TOOL:
        yield Turn(role, said(content), "Tool result", at)
        return
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and block.get("type") == "toolCall":
            yield called(block.get("name"), block.get("arguments"))._replace(at=at)
        elif isinstance(block, dict) and block.get("type") == "thinking":
            yield Turn(Role.SYSTEM, said(block.get("thinking")), "Assistant thinking", at)
        else:
            yield Turn(role, said([block]), None, at)
