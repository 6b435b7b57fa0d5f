"""Sessions of Codex: `session_meta` first, then `response_item` lines with a payload; older files hold the payloads bare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import Turn, called, moment_of, render, role_of, said
from commonplace.model.transcript import Role, Transcript

_ITEMS = ("message", "function_call", "function_call_output", "local_shell_call", "reasoning", "custom_tool_call")
# What the program itself sends in a person's name.
_MARKS = ("<environment_context", "<user_instructions", "<permissions", "<turn_aborted", "# AGENTS.md instructions")


def read(material: Material) -> Transcript | None:
    lines = material.objects
    if not lines or not (_is_wrapped(lines[0]) or _is_bare(lines)):
        return None
    turns = [turn for line in lines for turn in _turns(_item(line), line)]
    if not any(turn.role is Role.PERSON for turn in turns):
        turns += [turn for line in lines for turn in _event(line)]
    return render("codex", turns, at=moment_of(lines[0].get("timestamp")), odd=material.odd)


def _is_wrapped(line: dict[str, Any]) -> bool:
    return line.get("type") in ("session_meta", "response_item", "turn_context", "event_msg") and "payload" in line


def _is_bare(lines: list[dict[str, Any]]) -> bool:
    """The older form: a head with an id and a moment, then the items themselves."""
    head = "id" in lines[0] and "timestamp" in lines[0] and "type" not in lines[0]
    return head and any(line.get("type") in _ITEMS for line in lines[1:20])


def _item(line: dict[str, Any]) -> dict[str, Any]:
    held = line.get("payload") if line.get("type") == "response_item" else line
    return held if isinstance(held, dict) else {}


def _turns(item: dict[str, Any], line: dict[str, Any]) -> Iterator[Turn]:
    at, sort = moment_of(line.get("timestamp")), item.get("type")
    if sort == "message":
        yield _message(item)._replace(at=at)
    elif sort in ("function_call", "custom_tool_call", "local_shell_call"):
        arguments = item.get("arguments", item.get("input", item.get("action")))
        yield called(item.get("name", "shell"), arguments)._replace(at=at)
    elif sort in ("function_call_output", "custom_tool_call_output"):
        yield Turn(Role.TOOL, said(item.get("output")), "Tool result", at)
    elif sort == "reasoning":
        yield Turn(Role.SYSTEM, said(item.get("summary")), "Assistant thinking", at)


def _message(item: dict[str, Any]) -> Turn:
    role, text = role_of(item.get("role")) or Role.SYSTEM, said(item.get("content"))
    is_added = role is Role.PERSON and text.lstrip().startswith(_MARKS)
    return Turn(Role.SYSTEM if is_added else role, text)


def _event(line: dict[str, Any]) -> Iterator[Turn]:
    """What was shown on the screen: the same words again, needed only where the items are missing."""
    held = line.get("payload") if line.get("type") == "event_msg" else None
    if isinstance(held, dict) and held.get("type") in ("user_message", "agent_message"):
        role = Role.PERSON if held["type"] == "user_message" else Role.AGENT
        yield Turn(role, said(held.get("message")), None, moment_of(line.get("timestamp")))
