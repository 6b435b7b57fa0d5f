"""Claude's data export, `conversations.json`: each conversation has `chat_messages` with a sender and a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from commonplace.ingest.readers.exports import Export
from commonplace.ingest.readers.turns import Turn, called, moment_of, role_of, said
from commonplace.model.transcript import Role


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    messages = conversation["chat_messages"]
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict):
            at = moment_of(message.get("created_at"))
            yield from (turn._replace(at=at) for turn in _message(message))


def _message(message: dict[str, Any]) -> Iterator[Turn]:
    role, blocks = role_of(message.get("sender")) or Role.SYSTEM, message.get("content")
    if not isinstance(blocks, list) or not blocks:
        blocks = [message.get("text")]
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield called(block.get("name"), block.get("input"))
        elif isinstance(block, dict) and block.get("type") == "tool_result":
            yield Turn(Role.TOOL, said(block.get("content")), "Tool result")
        else:
            yield Turn(role, said([block]))
    attached = message.get("attachments")
    for file in attached if isinstance(attached, list) else []:
        if isinstance(file, dict):
            # What a person attached is not what the person said.
            yield Turn(
                Role.TOOL, said(file.get("extracted_content")), f"Attachment {file.get('file_name') or ''}".strip()
            )


_EXPORT = Export("claude-export", "chat_messages", "name", "created_at", _turns)
read, each = _EXPORT.read, _EXPORT.each
