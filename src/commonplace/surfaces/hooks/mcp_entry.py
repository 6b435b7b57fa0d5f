"""An agent's list of MCP servers with ours in it, and without. Text in, text out; what others put there is not touched.

JSON is changed where the entry stands, and nowhere else. TOML is only ever added to at its end, as a table of its own; what is
changed is read again, and must say what it said before but for our entry.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from commonplace.surfaces.hooks.json_text import Node, NotJsonError, parse, with_item, with_value
from commonplace.surfaces.hooks.mcp_clients import NAME, Client
from commonplace.surfaces.hooks.settings_file import ensured, node_at, pruned


def fresh(client: Client, entry: dict[str, Any]) -> str:
    """A file that holds our server and nothing else."""
    return with_entry("" if client.toml else "{}\n", client, entry)


def entry_in(text: str, client: Client) -> dict[str, Any] | None:
    """What the file says of our server."""
    said: object = _toml(text) if client.toml else parse(text).value
    for step in (*client.inside, NAME):
        said = said.get(step) if isinstance(said, dict) else None
    return said if isinstance(said, dict) else None


def is_ours(entry: dict[str, Any]) -> bool:
    """Does it start `commonplace mcp`? Also if somebody has added options, or a variable."""
    words = [entry.get("command"), *(entry["args"] if isinstance(entry.get("args"), list) else ())]
    at = words.index("mcp") if "mcp" in words else -1
    return at > 0 and any(isinstance(word, str) and "commonplace" in word for word in words[:at])


def with_entry(text: str, client: Client, entry: dict[str, Any]) -> str:
    """Ours at the end of the list; where it stands already, only what it starts is brought up to date."""
    standing = entry_in(text, client)
    if standing is not None:
        entry = {**standing, **entry, "args": _with_additions(entry["args"], standing.get("args"))}
        if standing == entry:
            return text
        if client.toml:
            return with_entry(without_entry(text, client), client, entry)
        return _replaced(text, client, entry)
    if client.toml:
        added = f"{_gap(text)}{_table(client, entry)}"
        ended = added.replace("\n", "\r\n") if "\r\n" in text else added
        return _checked(f"{text}{ended}", text, client, entry)
    for depth, step in enumerate(client.inside):
        text = ensured(text, [*client.inside[:depth]], step, {})
    return with_item(text, node_at(parse(text), client.inside), entry, NAME)


def without_entry(text: str, client: Client) -> str:
    """Without our entry, and without the list if it is empty now because of that."""
    standing = entry_in(text, client)
    if standing is None or not is_ours(standing):
        return text
    if not client.toml:
        return pruned(text, [*client.inside, NAME])
    lines = text.splitlines(keepends=True)
    named = [line.strip() for line in lines]
    if _heading(client) not in named:
        raise NotJsonError("it stands there in another form")
    begin = named.index(_heading(client))
    end = next((n for n in range(begin + 1, len(lines)) if _begins_another(lines[n], client)), len(lines))
    while not named[end - 1] or named[end - 1].startswith("#"):  # what stands above another table is about that one
        end -= 1
    blank = 1 if begin and not lines[begin - 1].strip() else 0
    return _checked("".join(lines[: begin - blank] + lines[end:]), text, client, None)


def _with_additions(ours: list[str], standing: object) -> list[str]:
    """Our arguments, and the options behind them that somebody has added, with their values."""
    if not isinstance(standing, list) or "mcp" not in standing:
        return ours
    named = {option.partition("=")[0] for option in ours[ours.index("mcp") + 1 :]}
    added, keeps = [], True
    for word in map(str, standing[standing.index("mcp") + 1 :]):
        if word.startswith("-"):
            keeps = word.partition("=")[0] not in named
        if keeps:
            added.append(word)
    return [*ours, *added]


def _replaced(text: str, client: Client, entry: dict[str, Any]) -> str:
    for key, value in entry.items():
        node: Node = node_at(parse(text), (*client.inside, NAME))
        found = node.get(key)
        if found is None:
            text = with_item(text, node, value, key)
        elif found.value != value:
            text = with_value(text, found, value)
    return text


def _heading(client: Client) -> str:
    return f"[{'.'.join((*client.inside, NAME))}]"


def _begins_another(line: str, client: Client) -> bool:
    """Another table, which is not one of our own."""
    return line.lstrip().startswith("[") and not line.lstrip().startswith(_heading(client)[:-1] + ".")


def _table(client: Client, entry: dict[str, Any]) -> str:
    """The entry as a table. Strings and lists of strings are written alike in JSON and TOML."""
    lines = [_heading(client), *(f"{key} = {_value(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return json.dumps(value, ensure_ascii=False)


def _gap(text: str) -> str:
    return "" if not text else "\n" if text.endswith("\n") else "\n\n"


def _checked(after: str, before: str, client: Client, entry: dict[str, Any] | None) -> str:
    """What was not meant must not have changed."""
    wanted, said = _toml(before), _toml(after)
    for told in (wanted, said):
        inside = told.get(client.inside[0], {})
        if not isinstance(inside, dict):
            raise NotJsonError(f"{client.inside[0]} is no table")
        inside.pop(NAME, None)
        if not inside:
            told.pop(client.inside[0], None)
    if wanted != said or entry_in(after, client) != entry:
        raise NotJsonError("it stands there in another form")
    return after


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        raise NotJsonError("this is not TOML") from cause
