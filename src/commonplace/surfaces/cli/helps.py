"""Help: the commands in their groups, one command with its options and an example, and topics worth a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.arguments import EVERYWHERE, Option, Parsed, UsageError, unknown_command
from commonplace.surfaces.cli.page import Line, Page, wrapped
from commonplace.surfaces.operations import BY_NAME, GROUPS, OPERATIONS, Described

if TYPE_CHECKING:
    from commonplace.surfaces.cli.options import Field

_WIDE = 22
TOPICS = ("exit-codes", "books", "actors", "output", "times")


def run(parsed: Parsed) -> int:
    """`commonplace help [COMMAND or TOPIC]`."""
    if len(parsed.arguments) > 1:
        raise UsageError("help takes one command or topic")
    return help_for(parsed.arguments[0] if parsed.arguments else None, parsed)


def help_for(name: str | None, parsed: Parsed) -> int:
    page = Page(sys.stdout, parsed.everywhere_last("color") or "auto")
    page.write(_lines(name, page))
    return 0


def _lines(name: str | None, page: Page) -> Iterator[Line]:
    from commonplace.surfaces.cli.program import EXTRAS

    if name is None:
        return overview()
    if name in BY_NAME:
        return of_command(BY_NAME[name], page)
    if name in TOPICS:
        from commonplace.surfaces.cli.topics import topic

        return topic(name)
    if name in EXTRAS:
        return of_extra(name)
    raise unknown_command(name, (*BY_NAME, *EXTRAS, *TOPICS))


def overview() -> Iterator[Line]:
    from commonplace.surfaces.cli.program import EXTRAS

    yield [("commonplace", "title"), (": durable memory for agents and the people who work with them", "")]
    yield []
    yield [("usage: ", "dim"), ("commonplace COMMAND [ARGUMENTS] [OPTIONS]", "")]
    for group in GROUPS:
        yield []
        yield [(group, "bold")]
        yield from (_row(one.name, one.summary) for one in OPERATIONS if one.group == group)
    for group, names in (
        ("Agents", ("serve", "web", "mcp", "token", "install", "uninstall", "hook", "vvm")),
        ("Learning", ("help", "completion", "demo")),
    ):
        yield []
        yield [(group, "bold")]
        yield from (_row(name, EXTRAS[name][1]) for name in names)
    yield []
    yield [("Options everywhere", "bold")]
    yield from (_row(_names(option), option.help) for option in EVERYWHERE)
    yield []
    yield [("Topics: ", "bold"), ("commonplace help " + "|".join(TOPICS), "")]
    yield [("Begin:  ", "bold"), ('commonplace save "Alice prefers tabs over spaces." --type profile', "")]


def of_command(operation: Described, page: Page) -> Iterator[Line]:
    from commonplace.surfaces.cli.options import fields_of, options_of, placeholder

    fields, options = fields_of(operation), options_of(operation)
    given = ((placeholder(name), fields[name].required) for name in operation.positional)
    arguments = "".join(f" {word}" if required else f" [{word}]" for word, required in given)
    needed = "".join(f" {option.shown}" for option in options if option.required)
    yield [(f"commonplace {operation.name}", "title"), (f": {operation.summary}", "")]
    yield []
    yield [("usage: ", "dim"), (f"commonplace {operation.name}{arguments}{needed} [OPTIONS]", "")]
    if operation.positional:
        yield []
        yield [("Arguments", "bold")]
        for name in operation.positional:
            yield from _described(placeholder(name), _about(fields[name]))
    if options:
        yield []
        yield [("Options", "bold")]
        for option in options:
            yield from _described(_names(option), _about_option(option, fields.get(option.field)))
    yield []
    yield [("Example", "bold")]
    yield [(f"  $ commonplace {operation.example}", "")]
    yield []
    everywhere = " ".join(option.names[0] for option in EVERYWHERE)
    yield from page.prose(f"Everywhere: {everywhere}", "dim")
    yield [("Exit codes: commonplace help exit-codes", "dim")]


def of_extra(name: str) -> Iterator[Line]:
    from commonplace.surfaces.cli.program import EXTRAS, options_of

    arguments, example = {
        "help": (" [COMMAND or TOPIC]", "help exit-codes"),
        "completion": (" bash|zsh|fish", "completion bash >> ~/.bashrc"),
        "demo": ("", "demo"),
        "vvm": (" run|check FILE [OPTIONS]", "vvm run support.vvm --model http://localhost:11434/v1#llama3"),
        "serve": (" [OPTIONS]", "serve"),
        "web": (" [OPTIONS]", "web"),
        "mcp": (" [OPTIONS]", "mcp --project atlas"),
        "token": (" add NAME --scope SCOPE | list | revoke NAME | rotate NAME", "token add claude --scope write"),
        "hook": (" session-start|prompt|pre-compact|session-end [OPTIONS]", "hook session-start < payload.json"),
        "install": (" claude-code|codex|gemini|cursor|openclaw|mcp [OPTIONS]", "install claude-code --dry-run"),
        "uninstall": (" claude-code|codex|gemini|cursor|openclaw|mcp [OPTIONS]", "uninstall claude-code"),
    }[name]
    yield [(f"commonplace {name}", "title"), (f": {EXTRAS[name][1]}", "")]
    yield []
    yield [("usage: ", "dim"), (f"commonplace {name}{arguments}", "")]
    yield []
    if options := options_of(name):
        yield [("Options", "bold")]
        for option in options:
            yield from _described(_names(option), option.help)
        yield []
    yield [("Example", "bold")]
    yield [(f"  $ commonplace {example}", "")]


def _row(name: str, said: str) -> Line:
    return [("  ", ""), (name.ljust(_WIDE), "id"), (said, "")]


def _described(name: str, said: str) -> Iterator[Line]:
    """A name, and what is said of it beside or, when the name is long, below it."""
    indent = " " * (_WIDE + 6)
    lines = wrapped(said, 88 - len(indent))
    if len(name) > len(indent) - 4:
        yield [("  ", ""), (name, "id")]
    else:
        yield [("  ", ""), (name.ljust(len(indent) - 2), "id"), (lines.pop(0), "")]
    yield from ([(indent, ""), (line, "")] for line in lines)


def _names(option: Option) -> str:
    names = ", ".join(name for name in option.names if name != "--colour")
    return f"{names} {option.takes}" if option.takes else names


def _about(field: Field) -> str:
    extra = "; - reads it from the pipe" if field.name == "content" else ""
    words = f": {', '.join(field.choices)}" if field.choices else ""
    return f"{field.help}{words}{extra}"


def _about_option(option: Option, field: Field | None) -> str:
    said = option.help
    if option.choices and not said.startswith("inbox"):
        said += f": {', '.join(option.choices)}"
    elif option.choices:
        said = f"only these: {', '.join(option.choices)}"
    if option.required:
        return f"{said} (required)"
    default = field.default if field is not None else None
    return (
        f"{said} (default: {default})"
        if isinstance(default, (int, float, str)) and default not in (False, "")
        else said
    )
