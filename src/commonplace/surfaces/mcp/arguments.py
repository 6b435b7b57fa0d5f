"""What a model sends with a call becomes what the tool takes. What does not fit is told in words that it can act on."""

from __future__ import annotations

import re
from typing import Any

from commonplace.errors import InvalidError
from commonplace.model.base import not_among
from commonplace.surfaces.mcp.schemas import INPUTS, REQUIRED

_CLASSES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list}
_A = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


def arguments_of(tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """All that the tool takes, by name; what was left out or null has its default."""
    takes = INPUTS[tool]
    if unknown := [name for name in given if name not in takes]:
        where = unknown[0] if unknown[0].isidentifier() and len(unknown[0]) <= 24 else None
        raise InvalidError(f"{tool} has no argument of this name", hint=f"It takes: {', '.join(takes)}.", where=where)
    found = {name: schema.get("default") for name, schema in takes.items()}
    found |= {name: _checked(name, value, takes[name]) for name, value in given.items() if value is not None}
    for name in REQUIRED[tool]:
        if found[name] is None:
            raise InvalidError(f"{name}: is needed", hint=f"{takes[name]['description']}", where=name)
    return found


def _checked(name: str, value: Any, schema: dict[str, Any]) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    _check_class(name, value, schema)
    if "enum" in schema and value not in schema["enum"]:
        raise not_among(schema["enum"], value, name)
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value, re.ASCII):
        hint = "For example: domain-reference." if name == "kind" else "For example: atlas."
        raise InvalidError(f"{name}: letters, digits, - and _, beginning with a letter or digit", hint=hint, where=name)
    _check_range(name, value, schema)
    return value


def _check_class(name: str, value: Any, schema: dict[str, Any]) -> None:
    kind = schema["type"]
    fits = isinstance(value, _CLASSES[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if kind == "array" and fits:
        fits = all(isinstance(one, str) for one in value)
    if not fits:
        raise InvalidError(f"{name}: must be {_A[kind]}", hint=f"Send {name} as {_A[kind]}.", where=name)


def _check_range(name: str, value: Any, schema: dict[str, Any]) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        said = f"between {least} and {most}" if most is not None else f"at least {least}"
        raise InvalidError(f"{name}: must be {said}", hint=f"Send a number that is {said}.", where=name)
