"""What a model sends with a call, and what it is told when that was wrong: an answer it can act on, never an exception."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from commonplace.surfaces.tools.schemas import parameters_of

Arguments = Mapping[str, Any] | str | bytes | None
_MAX_CHARS = 1 << 20


class Refused(Exception):  # noqa: N818 (it becomes an answer)
    """The call cannot be answered, and why, in words for a model."""


def arguments_of(tool: str, given: Arguments) -> dict[str, Any]:
    """The arguments by name, without those that are null."""
    told = _told(given)
    unknown = [name for name in told if name not in parameters_of(tool)]
    if unknown:
        known = ", ".join(sorted(parameters_of(tool)))
        raise Refused(f"unknown argument: {shown(unknown[0])}; {tool} takes: {known}")
    return {name: value for name, value in told.items() if value is not None}


def text_of(arguments: Mapping[str, Any], name: str) -> str | None:
    """A text, or None if there is none."""
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(f"{name} must be a string")
    return value or None


def failed(why: str) -> dict[str, Any]:
    return {"ok": False, "error": why}


def _told(given: Arguments) -> Mapping[str, Any]:
    if given is None or (isinstance(given, (str, bytes)) and not given.strip()):
        return {}
    if isinstance(given, (str, bytes)):
        given = _parsed(given)
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise Refused("arguments must be a JSON object")
    return given


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text) if len(text) <= _MAX_CHARS else None
    except (ValueError, RecursionError):
        return None


def shown(name: str) -> str:
    """What was sent, to be repeated in an answer: short, and without anything that looks like a secret."""
    from commonplace.surfaces.tools.aegis_secrets import holds_secret

    return name if len(name) <= 40 and name.isprintable() and not holds_secret([name]) else "(not shown)"
