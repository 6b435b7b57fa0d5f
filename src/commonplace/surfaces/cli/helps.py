"""Help: the commands in their groups, one command with its options and an example, and topics worth a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.arguments import EVERYWHERE, Option, Parsed, UsageError, unknown_command
from commonplace.surfaces.cli.page import Line, Page
from commonplace.surfaces.operations import BY_NAME, GROUPS, OPERATIONS, Described

if TYPE_CHECKING:
    from commonplace.surfaces.cli.options import Field

_WIDE = 22
_MOST = 88
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
        return overview(page)
    if name in BY_NAME:
        return of_command(BY_NAME[name], page)
    if name in TOPICS:
        from commonplace.surfaces.cli.topics import topic

        return topic(name, page)
    if name in EXTRAS:
        return of_extra(name, page)
    raise unknown_command(name, (*BY_NAME, *EXTRAS, *TOPICS))


def overview(page: Page) -> Iterator[Line]:
    from commonplace.surfaces.cli.program import EXTRAS

    yield from page.prose(
        ": durable memory for agents and the people who work with them", "", [("commonplace", "title")], []
    )
    yield []
    yield [("usage: ", "dim"), ("commonplace COMMAND [ARGUMENTS] [OPTIONS]", "")]
    for group in GROUPS:
        yield []
        yield [(group, "bold")]
        for one in OPERATIONS:
            if one.group == group:
                yield from page.described(one.name, one.summary, _WIDE + 2)
    for group, names in (
        ("Agents", ("serve", "web", "mcp", "token", "install", "uninstall", "hook", "vvm")),
        ("Learning", ("help", "completion", "demo")),
    ):
        yield []
        yield [(group, "bold")]
        for name in names:
            yield from page.described(name, EXTRAS[name][1], _WIDE + 2)
    yield []
    yield [("Options everywhere", "bold")]
    for option in EVERYWHERE:
        yield from page.described(_names(option), option.help, _WIDE + 2)
    yield []
    yield from page.prose(f"commonplace help {' | '.join(TOPICS)}", "", [("Topics: ", "bold")], [("        ", "")])
    yield [("Begin:  ", "bold"), ('commonplace save "Alice prefers tabs over spaces." --type profile', "")]


def of_command(operation: Described, page: Page) -> Iterator[Line]:
    from commonplace.surfaces.cli.options import fields_of, options_of, placeholder

    fields, options = fields_of(operation), options_of(operation)
    given = ((placeholder(name), fields[name].required) for name in operation.positional)
    arguments = "".join(f" {word}" if required else f" [{word}]" for word, required in given)
    needed = "".join(f" {option.shown}" for option in options if option.required)
    yield from page.prose(f": {operation.summary}", "", [(f"commonplace {operation.name}", "title")], [])
    yield []
    usage = f"commonplace {operation.name}{arguments}{needed} [OPTIONS]"
    yield from page.prose(usage, "", [("usage: ", "dim")], [("       ", "")])
    if operation.positional:
        yield []
        yield [("Arguments", "bold")]
        for name in operation.positional:
            yield from page.described(placeholder(name), _about(fields[name]), _WIDE + 6, _MOST)
    if options:
        yield []
        yield [("Options", "bold")]
        for option in options:
            yield from page.described(_names(option), _about_option(option, fields.get(option.field)), _WIDE + 6, _MOST)
    yield []
    yield [("Example", "bold")]
    yield [(f"  $ commonplace {operation.example}", "")]
    yield []
    everywhere = " ".join(option.names[0] for option in EVERYWHERE)
    yield from page.prose(f"Everywhere: {everywhere}", "dim")
    yield [("Exit codes: commonplace help exit-codes", "dim")]


def of_extra(name: str, page: Page) -> Iterator[Line]:
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
    yield from page.prose(f": {EXTRAS[name][1]}", "", [(f"commonplace {name}", "title")], [])
    yield []
    yield from page.prose(f"commonplace {name}{arguments}", "", [("usage: ", "dim")], [("       ", "")])
    yield []
    if options := options_of(name):
        yield [("Options", "bold")]
        for option in options:
            yield from page.described(_names(option), _about_option(option, None), _WIDE + 6, _MOST)
        yield []
    yield [("Example", "bold")]
    yield [(f"  $ commonplace {example}", "")]


def _names(option: Option) -> str:
    names = ", ".join(name for name in option.names if name != "--colour")
    return f"{names} {option.takes}" if option.takes else names


def _about(field: Field) -> str:
    if field.name == "source":
        return "a file; - for the pipe; or the id of a source that was imported"
    extra = "; - reads it from the pipe" if field.name == "content" else ""
    if field.type is datetime:
        extra = ": 2026-05-03, tomorrow, 3d (from now)"
    words = f": {', '.join(field.choices)}" if field.choices else ""
    return f"{field.help}{words}{extra}"


def _about_option(option: Option, field: Field | None) -> str:
    said = option.help
    if said.startswith("inbox"):
        said = f"only these: {', '.join(option.choices)}"
    elif not all(word in said for word in option.choices):
        what, semicolon, rest = said.partition(";")
        said = f"{what}: {', '.join(option.choices)}{semicolon}{rest}"
    if option.required:
        return f"{said} (required)"
    default = field.default if field is not None else None
    return (
        f"{said} (default: {default})"
        if isinstance(default, (int, float, str)) and default not in (False, "")
        else said
    )
