"""An agent's settings with our hooks in them, and without. Text in, text out; what others put there is not touched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from commonplace.surfaces.hooks.json_text import Node, NotJsonError, parse, with_item, with_value, without_item
from commonplace.surfaces.hooks.recipes import Recipe, is_ours


def fresh(recipe: Recipe, commands: dict[str, str]) -> str:
    """A file that holds our hooks and nothing else."""
    return with_hooks(json.dumps(recipe.fresh, indent=2) + "\n", recipe, commands)


def with_hooks(text: str, recipe: Recipe, commands: dict[str, str]) -> str:
    """Our hook at the end of each event's list; where it stands already, only its command is brought up to date."""
    text = ensured(text, [], "hooks", {})
    for moment, command in commands.items():
        event = recipe.host.events[moment]
        text = ensured(text, ["hooks"], event, [])
        inside = node_at(parse(text), ["hooks", event])
        ours = [node for node in _commands(inside) if is_ours(node.value, recipe.host)]
        if not ours:
            text = with_item(text, inside, recipe.item(moment, command))
        elif ours[0].value != command:
            text = with_value(text, ours[0], command)
    return text


def without_hooks(text: str, recipe: Recipe) -> str:
    """Without our commands, and without the lists and groups that are empty now because of that."""
    for event in recipe.host.events.values():
        while found := _first(text, event, recipe):
            text = pruned(text, found)
    return text


def commands_in(text: str, recipe: Recipe) -> dict[str, str]:
    """Our commands in this file, by their moment."""
    hooks = parse(text).get("hooks")
    found = {}
    for moment, event in recipe.host.events.items():
        inside = hooks.get(event) if hooks else None
        for node in _commands(inside) if inside else ():
            if is_ours(node.value, recipe.host):
                found[moment] = node.value
    return found


def ensured(text: str, path: list[str], key: str, empty: Any) -> str:
    inside = node_at(parse(text), path)
    if not inside.is_object:
        raise NotJsonError(f"{'.'.join(path) or 'the whole'} is not an object")
    found = inside.get(key)
    if found is None:
        return with_item(text, inside, empty, key)
    if type(found.value) is not type(empty):
        raise NotJsonError(f"{key} is not {'a list' if empty == [] else 'an object'}")
    return text


def node_at(node: Node, path: Sequence[str | int]) -> Node:
    for step in path:
        found = node.items[step] if isinstance(step, int) else node.get(step)
        assert found is not None
        node = found
    return node


def _commands(node: Node) -> Iterator[Node]:
    """The commands in the list of an event, in whichever of the two forms."""
    if not node.is_array:
        return
    for item in node.items:
        command, group = item.get("command"), item.get("hooks")
        if command is not None:
            yield command
        if group is not None:
            yield from _commands(group)


def _first(text: str, event: str, recipe: Recipe) -> list[str | int]:
    """Where our first command of this event is listed: the way to it from the top."""
    hooks = parse(text).get("hooks")
    listed = hooks.get(event) if hooks and hooks.is_object else None
    for place, item in enumerate(listed.items if listed and listed.is_array else ()):
        command, group = item.get("command"), item.get("hooks")
        if command is not None and is_ours(command.value, recipe.host):
            return ["hooks", event, place]
        for inner, one in enumerate(group.items if group and group.is_array else ()):
            named = one.get("command")
            if named is not None and is_ours(named.value, recipe.host):
                return ["hooks", event, place, "hooks", inner]
    return []


def pruned(text: str, path: list[str | int]) -> str:
    """Without what is at this path, nor what it leaves empty on the way up: its list, its group, its event, `hooks`. What holds
    a comment is not empty."""
    while path:
        inside, last = node_at(parse(text), path[:-1]), path[-1]
        place = last if isinstance(last, int) else len(inside.keys) - 1 - inside.keys[::-1].index(last)
        text = without_item(text, inside, place)
        left = node_at(parse(text), path[:-1])
        if text[left.start + 1 : left.end - 1].strip():
            return text
        path = path[:-1]
        if path and not isinstance(path[-1], int) and path[-1] == "hooks" and len(path) > 1:
            path = path[:-1]  # a group without commands does nothing: it goes as a whole
    return text
