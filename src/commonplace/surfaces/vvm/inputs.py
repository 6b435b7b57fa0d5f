"""What a program asks of whoever runs it: its `input` lines, and what is given for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from commonplace.errors import InvalidError
from commonplace.surfaces.vvm.program import Source
from commonplace.surfaces.vvm.syntax import Expr, InputDecl, ListOf, Literal, ObjectOf
from commonplace.surfaces.vvm.values import Value, sort_of


class InputError(InvalidError):
    """An input is missing, or one is given that nobody asked for. `code` says which."""

    def __init__(self, kind: str, name: str, message: str, hint: str, where: str) -> None:
        super().__init__(message, hint=hint, where=where)
        self.code, self.name = kind, name


def accepted(source: Source, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same, once it is what the program asks for. Refused before anything runs: one too many, one that is missing."""
    declared = {one.name: one for one in source.body if isinstance(one, InputDecl)}
    for name in given:
        if name not in declared:
            hint = f"It takes: {', '.join(declared) or 'none'}."
            raise InputError("unknown_input", name, f"there is no input called `{name}`", hint, source.file)
    for name, one in declared.items():
        if one.default is None and name not in given:
            hint = f"Give it: --arg {name}=VALUE" + (f" ({one.about})" if one.about else "")
            raise InputError("missing_input", name, f"the input `{name}` is missing", hint, source.file)
    return given


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
