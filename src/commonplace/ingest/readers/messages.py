"""Message lists as chat endpoints take them: `[{"role": …, "content": …}]`, under `messages`, or one message a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.ingest.readers.material import Material
from commonplace.ingest.readers.turns import Turn, called, moment_of, render, role_of, said
from commonplace.model.transcript import Role, Transcript

_TIMES = ("timestamp", "created_at", "create_time", "time", "date")


def read(material: Material) -> Transcript | None:
    document = material.document
    messages = document.get("messages") if isinstance(document, dict) and "messages" in document else document
    if isinstance(messages, list):
        title = document.get("title") if isinstance(document, dict) else None
        return _read(messages, title, [])
    if len(material.objects) > 1 or not isinstance(document, dict):
        return _read(material.objects, None, material.odd)
    return _read([document], None, [])


def _read(messages: list[Any], title: object, odd: list[str]) -> Transcript | None:
    ours = [message for message in messages if _is_ours(message)]
    # A list of which most is something else is not a conversation, and must not lose what it is.
    if len(ours) * 2 <= len(messages):
        return None
    turns = [turn for message in ours for turn in _turns(message)]
    return render("messages", turns, title=title, odd=odd)


def _is_ours(message: object) -> bool:
    return isinstance(message, dict) and role_of(message.get("role", message.get("sender"))) is not None


def _turns(message: dict[str, Any]) -> Iterator[Turn]:
    role = role_of(message.get("role", message.get("sender"))) or Role.DOCUMENT
    at = next((moment for key in _TIMES if (moment := moment_of(message.get(key)))), None)
    name = message.get("name")
    yield Turn(role, said(message.get("content", message.get("text"))), name if isinstance(name, str) else None, at)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        made = call.get("function") if isinstance(call, dict) else None
        if isinstance(made, dict):
            yield called(made.get("name"), made.get("arguments"))._replace(at=at)
