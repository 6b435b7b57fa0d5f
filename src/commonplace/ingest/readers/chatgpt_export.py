"""ChatGPT's data export, `conversations.json`: each conversation is a tree of messages, of which one branch was the last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.ingest.readers.exports import Export
from commonplace.ingest.readers.turns import Turn, moment_of, role_of, said
from commonplace.model.transcript import Role


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    for message in _branch(conversation):
        author = message.get("author")
        who = author if isinstance(author, dict) else {}
        role = role_of(who.get("role")) or Role.SYSTEM
        name = who.get("name") if isinstance(who.get("name"), str) else None
        yield Turn(role, _text(message.get("content")), name, moment_of(message.get("create_time")))


def _text(content: object) -> str:
    if not isinstance(content, dict):
        return said(content)
    return said(content["parts"]) if isinstance(content.get("parts"), list) else said(content)


def _branch(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """From the last message up to the first, then turned round. A tree that bites its own tail ends where it was met."""
    mapping = conversation["mapping"]
    if not isinstance(mapping, dict):
        return []
    at = conversation.get("current_node")
    if not isinstance(at, str) or at not in mapping:
        return [message for node in mapping.values() if (message := _message(node))]
    met: dict[str, None] = {}
    while isinstance(at, str) and at in mapping and at not in met:
        met[at] = None
        node = mapping[at]
        at = node.get("parent") if isinstance(node, dict) else None
    return [message for id in reversed(met) if (message := _message(mapping[id]))]


def _message(node: object) -> dict[str, Any] | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else None


_EXPORT = Export("chatgpt-export", "mapping", "title", "create_time", _turns)
read, each = _EXPORT.read, _EXPORT.each
