"""The page of verbs: one section per operation of the table."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

from commonplace.engine.book import Book
from commonplace.surfaces.cli.options import fields_of
from commonplace.surfaces.operations import GROUPS, OPERATIONS, Described

from .generate import code, table


def lines() -> Iterator[str]:
    yield "# Verbs"
    yield ""
    yield "Every verb of a book, from the one table of operations (`commonplace.surfaces.operations`). A verb that changes"
    yield "something returns when the change is on disk. Fields are the same on every surface."
    yield ""
    for group in GROUPS:
        yield f"## {group}"
        yield ""
        for operation in OPERATIONS:
            if operation.group == group:
                yield from _section(operation)


def _section(operation: Described) -> Iterator[str]:
    method = method_of(operation)
    yield f"### {operation.name}"
    yield ""
    yield inspect.getdoc(method) or ""
    yield ""
    yield "```text"
    yield from _signature(method)
    yield "```"
    yield ""
    fields = fields_of(operation)
    if fields:
        yield from table(("field", "takes", "default", "meaning"), (_field(field) for field in fields.values()))
    yield f"Command: `commonplace {operation.example}` ([options](commands.md#{operation.name}))."
    yield _manner(operation)
    yield ""


def method_of(operation: Described) -> Any:
    return getattr(Book, operation.verb)


def _signature(method: Any) -> Iterator[str]:
    signature = inspect.signature(method)
    parameters = [_parameter(one) for one in signature.parameters.values() if one.name != "self"]
    keyword_only = [one for one in signature.parameters.values() if one.kind is one.KEYWORD_ONLY]
    if keyword_only:
        parameters.insert(len(parameters) - len(keyword_only), "*")
    whole = f"book.{method.__name__}({', '.join(parameters)}) -> {signature.return_annotation}"
    if len(whole) <= 110:
        yield whole
        return
    yield f"book.{method.__name__}("
    yield from (f"    {parameter}," for parameter in parameters)
    yield f") -> {signature.return_annotation}"


def _parameter(one: inspect.Parameter) -> str:
    return f"{one.name}: {one.annotation}{'' if one.default is one.empty else f' = {one.default!r}'}"


def _field(field: Any) -> tuple[str, ...]:
    takes = f"{field.type.__name__}{', several' if field.many else ''}"
    if field.choices:
        takes = f"{', '.join(field.choices)}"
    default = "required" if field.required else code(_written(field.default))
    return code(field.name), takes, default, field.help


def _written(default: Any) -> str:
    return "None" if default is None or default is msgspec.NODEFAULT else repr(default)


def _manner(operation: Described) -> str:
    if operation.destroys:
        return "It cannot be undone."
    return "It writes one or more operations to the journal." if operation.writes else "It changes no memory."
