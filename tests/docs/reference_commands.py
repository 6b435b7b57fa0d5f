"""The page of commands: the command line with its options and exit codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from commonplace.surfaces.cli.arguments import EVERYWHERE, Option
from commonplace.surfaces.cli.exits import MEANINGS
from commonplace.surfaces.cli.helps import TOPICS
from commonplace.surfaces.cli.options import fields_of, options_of, placeholder
from commonplace.surfaces.cli.program import EXTRAS
from commonplace.surfaces.operations import OPERATIONS, Described

from .generate import code, table


def lines() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "`commonplace COMMAND [ARGUMENTS] [OPTIONS]`. The [guide](../guide/cli.md) tells how to use it well;"
    yield "`commonplace help COMMAND` shows the same as this page."
    yield ""
    yield "## Options everywhere"
    yield ""
    yield from _options(EVERYWHERE)
    yield "## Exit codes"
    yield ""
    yield from table(("code", "meaning"), ((str(number), meaning) for number, meaning in MEANINGS))
    yield "## Commands that ask a book"
    yield ""
    for operation in OPERATIONS:
        yield from _section(operation)
    yield "## Commands that need no book"
    yield ""
    yield from table(("command", "what it does"), ((code(name), said) for name, (_, said) in EXTRAS.items()))
    yield f"Topics of `commonplace help`: {', '.join(code(topic) for topic in TOPICS)}."


def _section(operation: Described) -> Iterator[str]:
    fields, options = fields_of(operation), options_of(operation)
    arguments = "".join(f" {placeholder(name)}" for name in operation.positional)
    needed = "".join(f" {option.shown}" for option in options if option.required)
    yield f"### {operation.name}"
    yield ""
    yield f"{operation.summary[0].upper()}{operation.summary[1:]}. `commonplace {operation.name}{arguments}{needed}`"
    yield ""
    if operation.positional:
        rows = ((code(placeholder(name)), fields[name].help) for name in operation.positional)
        yield from table(("argument", "meaning"), rows)
    if options:
        yield from _options(options)


def _options(options: Iterable[Option]) -> Iterator[str]:
    yield from table(("option", "meaning"), ((_named(option), _said(option)) for option in options))


def _named(option: Option) -> str:
    takes = f" {option.takes}" if option.takes else ""
    return ", ".join(code(f"{name}{takes}") for name in option.names)


def _said(option: Option) -> str:
    words = f" One of: {', '.join(option.choices)}." if option.choices else ""
    required = " Required." if option.required else ""
    return f"{option.help}.{words}{required}" if words or required else option.help
