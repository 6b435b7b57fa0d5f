"""`agent.json`: what an agent's host may set about its memory, each with its default (G37, G53, G-d, G-k).

Only `memory` and `tools.<name>.enabled` are ours to read; whatever else stands in the file belongs to others. A wrong value is
an error that names it, not a default that nobody notices.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import msgspec

from commonplace.errors import InvalidError, TooLargeError
from commonplace.model.base import Noun

STORE, SEARCH, DELETE = TOOLS = ("memory_store", "memory_search", "memory_delete")
MODES = ("relevant", "recent_only", "off")
AGENT_JSON = os.path.join(".aegis", "agent.json")
_MAX_BYTES = 1 << 20
_MOST = 1_000_000


class ToolSettings(Noun, frozen=True, kw_only=True):
    """The settings of one workspace."""

    inject_mode: str = "relevant"
    """`relevant`, `recent_only` or `off`."""
    max_inject_chars: int = 2_000
    """At most so many characters of memory are injected."""
    max_inject_count: int = 10
    """And at most so many memories."""
    max_total: int = 500
    """So many stand in the file; the oldest make room."""
    recent_count: int = 5
    """How many the mode `recent_only` injects."""
    fill_recent: bool = False
    """In mode `relevant`: are the places that are left given to recent memories?"""
    id_start: int = 1
    """The first id of a file that has none yet."""
    disabled: tuple[str, ...] = ()
    """The tools that are switched off."""

    def __post_init__(self) -> None:
        if self.inject_mode not in MODES:
            raise _wrong("memory.inject_mode", f"must be one of: {', '.join(MODES)}")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
                raise _wrong(f"memory.{name}", f"must be a whole number between {least} and {_MOST}")
        if not isinstance(self.fill_recent, bool):
            raise _wrong("memory.fill_recent", "must be true or false")

    def for_one_call(self, mode: str | None, limits: Mapping[str, Any]) -> ToolSettings:
        """These settings, but for what is chosen otherwise."""
        chosen = {**limits} if mode is None else {**limits, "inject_mode": mode}
        return msgspec.structs.replace(self, **chosen) if chosen else self

    def is_enabled(self, tool: str) -> bool:
        return tool in TOOLS and tool not in self.disabled


_LEAST = {"max_inject_chars": 1, "max_inject_count": 1, "max_total": 1, "recent_count": 1, "id_start": 0}
_KNOWN = tuple(name for name in ToolSettings.__struct_fields__ if name != "disabled")


def settings_for(
    workspace: str, given: ToolSettings | Mapping[str, Any] | str | os.PathLike[str] | None
) -> ToolSettings:
    """What was given: settings, the content of an `agent.json`, or its path. Nothing: the workspace's own, if it has one."""
    if isinstance(given, ToolSettings):
        return given
    if isinstance(given, Mapping):
        return parsed(given)
    path = os.path.join(workspace, AGENT_JSON) if given is None else os.fspath(given)
    if given is None and not os.path.exists(path):
        return ToolSettings()
    return parsed(_read(path), path)


def parsed(agent: Mapping[str, Any], where: str = "agent.json") -> ToolSettings:
    """The settings in the content of an `agent.json`."""
    memory = _section(agent, "memory")
    unknown = sorted(map(str, memory.keys() - {*_KNOWN}))
    if unknown:
        raise _wrong(f"memory.{unknown[0]}", f"is not known in {where}; known are: {', '.join(_KNOWN)}")
    return ToolSettings(
        **memory, disabled=tuple(tool for tool in TOOLS if not _enabled(_section(agent, "tools"), tool))
    )


def _enabled(tools: Mapping[str, Any], tool: str) -> bool:
    enabled = _section(tools, tool, within="tools.").get("enabled", True)
    if not isinstance(enabled, bool):
        raise _wrong(f"tools.{tool}.enabled", "must be true or false")
    return enabled


def _section(outer: Mapping[str, Any], name: str, within: str = "") -> Mapping[str, Any]:
    section = outer.get(name)
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise _wrong(within + name, "must be a JSON object")
    return section


def _read(path: str) -> Mapping[str, Any]:
    from commonplace.storage.plain_file import opened

    with opened(path) as fd, open(fd, "rb", closefd=False) as file:
        raw = file.read(_MAX_BYTES + 1)
    if len(raw) > _MAX_BYTES:
        raise TooLargeError(f"agent.json is larger than {_MAX_BYTES} bytes", where=path)
    try:
        agent = json.loads(raw)
    except (ValueError, RecursionError):
        agent = None
    if not isinstance(agent, dict):
        raise InvalidError(
            "agent.json is not a JSON object", where=path, hint='For example: {"memory": {"max_total": 500}}'
        )
    return agent


def _wrong(name: str, why: str) -> InvalidError:
    return InvalidError(f"{name}: {why}", where=name, hint="Correct it in agent.json, or leave it out for the default.")
