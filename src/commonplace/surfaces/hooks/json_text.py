"""Changing a little in a JSON file that a person keeps: what is not changed stays as it is, to the byte.

The text is read with the place of each value, so that a change is a few characters at one place. Comments and trailing commas are
understood, because people write them; anything else that is not JSON is refused.
"""

from __future__ import annotations

import json
from typing import Any

_SPACE = " \t\r\n\ufeff"
_MAX_DEPTH = 200


class NotJsonError(ValueError):
    """This text cannot be understood, so it is not changed."""


class Node:
    """A value and where it stands. Of an object `keys` belong to `items`, one by one; `begins` is where each member begins, and
    `commas` where the comma behind it is, -1 if there is none."""

    def __init__(self, start: int) -> None:
        self.start, self.end = start, start
        self.value: Any = None
        self.keys: list[str] = []
        self.items: list[Node] = []
        self.begins: list[int] = []
        self.commas: list[int] = []

    def get(self, key: str) -> Node | None:
        """The last member of that name, as programs take it."""
        found = [item for name, item in zip(self.keys, self.items, strict=True) if name == key]
        return found[-1] if found else None

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_array(self) -> bool:
        return isinstance(self.value, list)


def parse(text: str) -> Node:
    """The whole text as one value."""
    reader = _Reader(text)
    found = reader.value(reader.after_space(0), 0)
    if reader.after_space(found.end) != len(text):
        raise NotJsonError("there is more behind the end")
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._decoder = text, json.JSONDecoder()

    def value(self, at: int, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise NotJsonError("too deep")
        if self._text[at : at + 1] in ("{", "["):
            return self._container(at, depth)
        node = Node(at)
        try:
            node.value, node.end = self._decoder.raw_decode(self._text, at)
        except (ValueError, RecursionError) as cause:
            raise NotJsonError("this is not JSON") from cause
        return node

    def _container(self, at: int, depth: int) -> Node:
        node, is_object = Node(at), self._text[at] == "{"
        close, at = "}" if is_object else "]", self.after_space(at + 1)
        while self._text[at : at + 1] != close:
            node.begins.append(at)
            if is_object:
                at = self._key(node, at)
            node.items.append(self.value(at, depth + 1))
            at = self.after_space(node.items[-1].end)
            node.commas.append(at if self._text[at : at + 1] == "," else -1)
            if node.commas[-1] >= 0:
                at = self.after_space(at + 1)
            elif self._text[at : at + 1] != close:
                raise NotJsonError("a comma is missing")
        values = [item.value for item in node.items]
        node.value = dict(zip(node.keys, values, strict=True)) if is_object else values
        node.end = at + 1
        return node

    def _key(self, node: Node, at: int) -> int:
        key = self.value(at, _MAX_DEPTH)
        at = self.after_space(key.end)
        if not isinstance(key.value, str) or self._text[at : at + 1] != ":":
            raise NotJsonError("a name and a colon are missing")
        node.keys.append(key.value)
        return self.after_space(at + 1)

    def after_space(self, at: int) -> int:
        """Behind blanks and comments."""
        while True:
            while self._text[at : at + 1] and self._text[at] in _SPACE:
                at += 1
            if self._text.startswith("//", at):
                end = self._text.find("\n", at)
                at = len(self._text) if end < 0 else end
            elif self._text.startswith("/*", at):
                end = self._text.find("*/", at)
                if end < 0:
                    raise NotJsonError("a comment does not end")
                at = end + 2
            else:
                return at


def with_item(text: str, inside: Node, value: Any, key: str | None = None) -> str:
    """The text with one more value at the end of this array, or of this object under `key`."""
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if inside.items and "\n" not in text[inside.start : inside.begins[0]]:
        return _put(text, inside.items[-1].end, f", {name}{json.dumps(value, ensure_ascii=False)}")
    outer, unit = _indent_at(text, inside.start), _unit(text)
    inner = _indent_at(text, inside.begins[0]) if inside.items else outer + unit
    said = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{inner}")
    if inside.items:
        return _put(text, inside.items[-1].end, f",\n{inner}{name}{said}")
    if text[inside.start + 1 : inside.end - 1].strip():  # a comment, and nothing else
        return _put(text, inside.start + 1, f"\n{inner}{name}{said}")
    return _put(text, inside.start + 1, f"\n{inner}{name}{said}\n{outer}", inside.end - 1)


def without_item(text: str, inside: Node, at: int) -> str:
    """The text without the value at this place of an array or object, and without the comma that went with it."""
    begin, end = inside.begins[at], inside.items[at].end
    if len(inside.items) == 1:
        first, last = inside.start + 1, inside.end - 1
    elif at == 0:
        first, last = begin, inside.begins[1]
    else:
        first, last = inside.items[at - 1].end, end
    if (text[first:begin] + text[end:last]).strip(f"{_SPACE},"):
        return _beside_comments(text, inside, at)
    return text[:first] + text[last:]


def _beside_comments(text: str, inside: Node, at: int) -> str:
    """Only the value and one comma go: a comment near it may be about what stands beside it."""
    begin, end = inside.begins[at], inside.items[at].end
    behind, before = inside.commas[at], inside.commas[at - 1] if at else -1
    text = text[:begin] + (text[end:] if behind < 0 else text[end:behind] + text[behind + 1 :])
    if behind < 0 <= before:
        text, begin = text[:before] + text[before + 1 :], begin - 1
    line, until = text.rfind("\n", 0, begin) + 1, text.find("\n", begin) + 1
    return text if text[line:until].strip() or not until else text[:line] + text[until:]


def with_value(text: str, node: Node, value: Any) -> str:
    """The text with another value in this one's place."""
    return text[: node.start] + json.dumps(value, ensure_ascii=False) + text[node.end :]


def _put(text: str, at: int, said: str, until: int | None = None) -> str:
    ended = said.replace("\n", "\r\n") if "\r\n" in text else said
    return text[:at] + ended + text[at if until is None else until :]


def _indent_at(text: str, at: int) -> str:
    """What the line that holds this place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation, as the file has it."""
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        if blank and line.strip():
            return "\t" if blank[0] == "\t" else blank
    return "  "
