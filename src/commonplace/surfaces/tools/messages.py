"""The messages of a conversation, as chat interfaces have them: which one the user said last, and where the block goes.

Nothing that is handed in is changed: what comes out is a new list, with a new message where the block stands (G32, G50).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from commonplace.errors import InvalidError
from commonplace.surfaces.tools.inject import HEADING

Message = Mapping[str, Any]
_BEFORE_ALL = ("system", "developer")
# A block of ours at the very end, from an earlier call.
_BLOCK = re.compile(rf"(?:\A|\n\n){re.escape(HEADING)}(?:\n- \([^\n]*)+\n?\Z")


def last_user_text(messages: Sequence[Message]) -> str:
    """The words of the last user message. Results of tools that travel under the user's name are not the user's."""
    for message in reversed(_checked(messages)):
        if message.get("role") == "user" and not _is_tool_result(message.get("content")):
            return _text(message.get("content"))
    return ""


def with_block(messages: Sequence[Message], block: str) -> list[Message]:
    """The messages with this block behind the system prompt, instead of one from an earlier call."""
    found = [*_checked(messages)]
    leading = next((at for at, one in enumerate(found) if one.get("role") not in _BEFORE_ALL), len(found))
    for at in range(leading):
        found[at] = _without_block(found[at])
    if block and not leading:
        return [{"role": "system", "content": block}, *found]
    if block:
        found[leading - 1] = _with_block(found[leading - 1], block)
    return found


def prompt_with_block(prompt: str, block: str) -> str:
    """The same for a system prompt that travels by itself."""
    return "\n\n".join(filter(None, (_BLOCK.sub("", prompt), block)))


def _with_block(message: Message, block: str) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": block}]}
    return {**message, "content": prompt_with_block(content if isinstance(content, str) else "", block)}


def _without_block(message: Message) -> Message:
    content = message.get("content")
    if isinstance(content, str) and _BLOCK.search(content):
        return {**message, "content": _BLOCK.sub("", content)}
    if isinstance(content, list) and any(map(_is_block, content)):
        return {**message, "content": [part for part in content if not _is_block(part)]}
    return message


def _is_block(part: object) -> bool:
    return isinstance(part, Mapping) and bool(_BLOCK.match(_text([part])))


def _is_tool_result(content: object) -> bool:
    parts = content if isinstance(content, list) else []
    return bool(parts) and all(isinstance(part, Mapping) and part.get("type") == "tool_result" for part in parts)


def _text(content: object) -> str:
    """The text of a message, be it in parts, some of which may be pictures."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _checked(messages: Sequence[Message]) -> Sequence[Message]:
    if isinstance(messages, (str, bytes, Mapping)) or not all(isinstance(one, Mapping) for one in messages):
        raise InvalidError(
            "messages: must be a list of messages",
            where="messages",
            hint='For example: [{"role": "user", "content": "Hello"}]',
        )
    return messages
