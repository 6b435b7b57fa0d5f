"""Prompts that a person picks: look through the inbox together, or reflect on what a session taught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace.guard.fence import fenced
from commonplace.surfaces.mcp.envelope import INVALID_PARAMS, ProtocolError
from commonplace.surfaces.mcp.saying import harmless
from commonplace.surfaces.mcp.wording import COMMANDS, EMPTY, REFLECT, REVIEW

if TYPE_CHECKING:
    from commonplace.surfaces.mcp.desk import Desk

_PROJECT = {
    "name": "project",
    "title": "Project",
    "description": "Only of this project, and what is global",
    "required": False,
}
_FOCUS = {"name": "focus", "title": "Focus", "description": "What to look at especially", "required": False}
PROMPTS: tuple[dict[str, Any], ...] = (
    {
        "name": "review_inbox",
        "title": "Review the inbox",
        "description": "Go through the memories that wait for your word, one by one.",
        "arguments": [_PROJECT],
    },
    {
        "name": "reflect_on_session",
        "title": "Reflect on this session",
        "description": "What did this session teach that later ones should know? Proposes it, and keeps what you agree to.",
        "arguments": [_PROJECT, _FOCUS],
    },
)
_MOST_SHOWN = 20


def listed() -> dict[str, Any]:
    return {"prompts": [*PROMPTS]}


def get(params: dict[str, Any], desk: Desk) -> dict[str, Any]:
    name, given = params.get("name"), params.get("arguments")
    prompt = next((one for one in PROMPTS if one["name"] == name), None)
    if prompt is None:
        raise ProtocolError(INVALID_PARAMS, f"there is no such prompt; the prompts are: {_names(PROMPTS)}")
    told = _arguments(prompt, given)
    text = _review(desk, told) if name == "review_inbox" else _reflect(desk, told)
    return {
        "description": prompt["description"],
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }


def _arguments(prompt: dict[str, Any], given: Any) -> dict[str, str]:
    told = {} if given is None else given
    known = [one["name"] for one in prompt["arguments"]]
    if not isinstance(told, dict) or not all(name in known and isinstance(told[name], str) for name in told):
        raise ProtocolError(INVALID_PARAMS, f"arguments: must be texts, of: {_names(prompt['arguments'])}")
    return {name: said for name, said in told.items() if said.strip()}


def _names(several: Any) -> str:
    return ", ".join(one["name"] for one in several)


def _review(desk: Desk, told: dict[str, str]) -> str:
    waiting = desk.ask("inbox", project=told.get("project") or desk.project, limit=_MOST_SHOWN)
    if not waiting:
        return EMPTY
    lines = [f"- {' | '.join(harmless(cell, 600).replace('|', '/') for cell in _cells(item))}" for item in waiting]
    return f"{REVIEW}\n{COMMANDS}\n\n{fenced(lines, 'id | kind | trust | why it waits | text', waiting[0].record.id)}"


def _cells(item: Any) -> tuple[str, ...]:
    record = item.record
    return record.id, record.kind, str(record.trust), item.reason, record.content


def _reflect(desk: Desk, told: dict[str, str]) -> str:
    project = told.get("project") or desk.project
    where = f"\n\nThe project is {harmless(project)}." if project else ""
    focus = f"\n\nLook especially at: {harmless(told['focus'], 1_000)}" if "focus" in told else ""
    return f"{REFLECT}{where}{focus}"
