"""`commonplace install AGENT` and `commonplace uninstall AGENT`: the exact change is shown, and made unless it is a dry run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError
from commonplace.surfaces.cli.page import Line, Page

if TYPE_CHECKING:
    from commonplace.surfaces.hooks.installing import Change

AGENTS = ("claude-code", "codex", "gemini", "cursor", "openclaw")
OPTIONS = (
    Option(("--dry-run",), "dry_run", help="show the change and write nothing"),
    Option(
        ("--level",),
        "level",
        "LEVEL",
        "whose settings: the user's (default), or those of the project in this folder",
        choices=("user", "project"),
    ),
    Option(("--capture",), "capture", help="install: also keep each session's transcript when it ends"),
    Option(("--program",), "program", "COMMAND", "install: how hooks start commonplace, if not by this one's path"),
    Option(
        ("--print",),
        "print",
        help="install: only print what an empty file would hold, to put it in by hand (cursor and openclaw are not certain)",
    ),
)


def run(parsed: Parsed) -> int:
    agent, level = _asked(parsed)
    if parsed.command == "install" and "print" in parsed.options:
        sys.stdout.write(_snippet(agent, level, parsed))
        return 0
    changes = _to_install(agent, level, parsed) if parsed.command == "install" else _to_uninstall(agent, level)
    if "dry_run" not in parsed.options:
        from commonplace.surfaces.hooks.installing import apply

        for change in changes:
            apply(change)
    _show(agent, changes, parsed)
    return 0


def _asked(parsed: Parsed) -> tuple[str, str]:
    agent = parsed.arguments[0] if len(parsed.arguments) == 1 else ""
    level = parsed.options.get("level", ["user"])[-1]
    if agent not in AGENTS:
        raise UsageError(f"{parsed.command} takes one of: {', '.join(AGENTS)}", "For example: install claude-code")
    if level not in ("user", "project"):
        raise UsageError("--level is one of: user, project")
    if agent == "openclaw" and level == "project":
        raise UsageError("openclaw has settings of the user only", "Leave --level out.")
    return agent, level


def _to_install(agent: str, level: str, parsed: Parsed) -> list[Change]:
    from commonplace.surfaces.hooks import installing
    from commonplace.surfaces.hooks.recipes import RECIPES

    commands = _commands(agent, level, parsed)
    if agent == "openclaw":
        return installing.openclaw_to_install(commands)
    return [installing.to_install(RECIPES[agent], RECIPES[agent].path(level), commands)]


def _to_uninstall(agent: str, level: str) -> list[Change]:
    from commonplace.surfaces.hooks import installing
    from commonplace.surfaces.hooks.recipes import RECIPES

    if agent == "openclaw":
        return installing.openclaw_to_uninstall()
    return [installing.to_uninstall(RECIPES[agent], RECIPES[agent].path(level))]


def _snippet(agent: str, level: str, parsed: Parsed) -> str:
    from commonplace.surfaces.hooks import openclaw, settings_file
    from commonplace.surfaces.hooks.recipes import RECIPES

    commands = _commands(agent, level, parsed)
    if agent == "openclaw":
        return "\n".join(f"==> {path} <==\n{text}" for path, text in openclaw.files(commands).items())
    return settings_file.fresh(RECIPES[agent], commands)


def _commands(agent: str, level: str, parsed: Parsed) -> dict[str, str]:
    from commonplace.surfaces.hooks.hosts import HOSTS
    from commonplace.surfaces.hooks.recipes import commands_for

    program = parsed.options.get("program", [""])[-1] or own_program(level)
    book = parsed.everywhere_last("book")
    options = [f"--book={book}"] if book else []
    return commands_for(HOSTS[agent], program, options, capture="capture" in parsed.options)


def own_program(level: str) -> str:
    """How to start this very program. A project's settings are shared: there it is found by its name.

    By its interpreter rather than by the script that was installed beside it: such scripts load what a hook does not need, for a
    third of the time it takes. -P, because hooks are started in folders that may be somebody's clone.
    """
    if level == "project":
        return "commonplace"
    import shlex

    return f"{shlex.quote(sys.executable)} -P -c {shlex.quote('from commonplace.surfaces.cli import main; main()')}"


def _show(agent: str, changes: list[Change], parsed: Parsed) -> None:
    page = Page(sys.stdout, parsed.everywhere_last("color") or "auto")
    if "json" in parsed.everywhere:
        import json

        dry = "dry_run" in parsed.options
        said = [
            {"path": one.path, "changed": one.is_one, "written": one.is_one and not dry, "diff": "\n".join(one.diff())}
            for one in changes
        ]
        sys.stdout.write(json.dumps({"agent": agent, "changes": said, "note": _note(agent)}) + "\n")
    else:
        page.write(_lines(agent, changes, parsed, page))


def _lines(agent: str, changes: list[Change], parsed: Parsed, page: Page) -> Iterator[Line]:
    for change in changes:
        for line in change.diff():
            yield [(line, {"+": "good", "-": "bad", "@": "dim"}.get(line[:1], ""))]
    wanted = [one for one in changes if one.is_one]
    if not wanted:
        yield [("nothing to change", "dim")]
    for change in wanted:
        done = "removed" if change.after is None else "written"
        yield [(f"would be {done}: " if "dry_run" in parsed.options else f"{done}: ", "good"), (change.path, "")]
    if parsed.command == "install":
        yield from page.prose(_note(agent), "dim")


def _note(agent: str) -> str:
    from commonplace.surfaces.hooks import openclaw
    from commonplace.surfaces.hooks.recipes import RECIPES

    return openclaw.NOTE if agent == "openclaw" else RECIPES[agent].note
