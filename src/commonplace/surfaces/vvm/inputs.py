"""What a program asks of whoever runs it: its `input` lines, and what is given for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from commonplace.errors import InvalidError
from commonplace.surfaces.vvm.program import Source
from commonplace.surfaces.vvm.syntax import Expr, InputDecl, ListOf, Literal, ObjectOf
from commonplace.surfaces.vvm.values import Value, sort_of


def accepted(source: Source, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same, once it is what the program asks for. Refused before anything runs: one too many, one that is missing."""
    declared = {one.name: one for one in source.body if isinstance(one, InputDecl)}
    for name in given:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise _refused(
                "unknown_input", f"the program takes no input called `{name}`", source, f"It takes: {known}."
            )
    for name, one in declared.items():
        if one.default is None and name not in given:
            hint = f"Give it: --arg {name}=VALUE" + (f" ({one.about})" if one.about else "")
            raise _refused("missing_input", f"the program needs the input `{name}`", source, hint)
    return given


def _refused(kind: str, message: str, source: Source, hint: str) -> InvalidError:
    refused = InvalidError(message, where=source.file, hint=hint)
    refused.code = kind
    return refused


def typed(words: Iterable[str], declared: Iterable[InputDecl]) -> dict[str, Value]:
    """What was typed as `name=value`. It is text, unless the input's default is of another sort: then it is JSON of that sort."""
    defaults = {one.name: one.default for one in declared}
    found: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise InvalidError("--arg takes NAME=VALUE", where="--arg", hint="For example: --arg ticket=INC-1234")
        found[name] = _value(name, text, _sort(defaults.get(name)))
    return found


def _sort(default: Expr | None) -> str:
    match default:
        case Literal():
            return sort_of(default.value)
        case ListOf():
            return "a list"
        case ObjectOf():
            return "an object"
    return "a string"


def _value(name: str, text: str, sort: str) -> Value:
    if sort in ("a string", "()"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if sort_of(value) != sort:
        raise InvalidError(f"the input `{name}` is {sort}", where=f"--arg {name}", hint="Write it as JSON.")
    return value
