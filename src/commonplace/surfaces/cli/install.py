"""`commonplace install WHAT` and `commonplace uninstall WHAT`: the exact change is shown, and made unless it is a dry run.

What is installed are hooks, named by their agent, or our MCP server in an agent's list.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError
from commonplace.surfaces.cli.page import Line, Page

if TYPE_CHECKING:
    from commonplace.surfaces.hooks.installing import Change

AGENTS = ("claude-code", "codex", "gemini", "cursor", "openclaw")
WHAT = (*AGENTS, "mcp")
OPTIONS = (
    Option(("--dry-run",), "dry_run", help="show the change and write nothing"),
    Option(
        ("--level",),
        "level",
        "LEVEL",
        "whose settings: the user's (default), or those of the project in this folder",
        choices=("user", "project"),
    ),
    Option(
        ("--client",),
        "client",
        "AGENT",
        "mcp: in whose list of servers; claude-code's if not said",
        choices=(*AGENTS, "vscode"),
    ),
    Option(("--capture",), "capture", help="install: also keep each session's transcript when it ends"),
    Option(("--program",), "program", "COMMAND", "install: how commonplace is started, if not by this one's path"),
    Option(
        ("--print",),
        "print",
        help="install: only print what an empty file would hold, to put it in by hand (cursor and openclaw are not certain)",
    ),
)


class Installed(Protocol):
    """Something that can be put into an agent's settings."""

    note: str
    """What its user should know."""

    def to_install(self) -> list[Change]: ...

    def to_uninstall(self) -> list[Change]: ...

    def snippet(self) -> str:
        """What an empty file would hold."""
        ...


def run(parsed: Parsed) -> int:
    what = _asked(parsed)
    if parsed.command == "install" and "print" in parsed.options:
        sys.stdout.write(what.snippet())
        return 0
    changes = what.to_install() if parsed.command == "install" else what.to_uninstall()
    if "dry_run" not in parsed.options:
        from commonplace.surfaces.hooks.installing import apply

        for change in changes:
            apply(change)
    _show(what, changes, parsed)
    return 0


def _asked(parsed: Parsed) -> Installed:
    what = parsed.arguments[0] if len(parsed.arguments) == 1 else ""
    level = parsed.options.get("level", ["user"])[-1]
    if what not in WHAT:
        raise UsageError(f"{parsed.command} takes one of: {', '.join(WHAT)}", "For example: install claude-code")
    if level not in ("user", "project"):
        raise UsageError("--level is one of: user, project")
    if what == "mcp":
        from commonplace.surfaces.cli.install_mcp import Mcp

        return Mcp(parsed)
    if "client" in parsed.options:
        raise UsageError("--client goes with mcp", f"For example: {parsed.command} mcp --client cursor")
    if what == "openclaw" and level == "project":
        raise UsageError("openclaw has settings of the user only", "Leave --level out.")
    return _Hooks(what, level, parsed)


class _Hooks:
    """The hooks of one agent."""

    def __init__(self, agent: str, level: str, parsed: Parsed) -> None:
        from commonplace.surfaces.hooks import openclaw
        from commonplace.surfaces.hooks.recipes import RECIPES

        self._recipe = RECIPES.get(agent)
        self._path = self._recipe.path(level) if self._recipe else ""
        self._commands = _commands(agent, level, parsed)
        self.note = with_how_to_name_it(self._recipe.note if self._recipe else openclaw.NOTE, level, parsed)

    def to_install(self) -> list[Change]:
        from commonplace.surfaces.hooks import installing

        if self._recipe is None:
            return installing.openclaw_to_install(self._commands)
        return [installing.to_install(self._recipe, self._path, self._commands)]

    def to_uninstall(self) -> list[Change]:
        from commonplace.surfaces.hooks import installing

        if self._recipe is None:
            return installing.openclaw_to_uninstall()
        return [installing.to_uninstall(self._recipe, self._path)]

    def snippet(self) -> str:
        from commonplace.surfaces.hooks import openclaw, settings_file

        if self._recipe is None:
            return "\n".join(f"==> {path} <==\n{text}" for path, text in openclaw.files(self._commands).items())
        return settings_file.fresh(self._recipe, self._commands)


def _commands(agent: str, level: str, parsed: Parsed) -> dict[str, str]:
    from commonplace.surfaces.hooks.hosts import HOSTS
    from commonplace.surfaces.hooks.recipes import commands_for

    program = parsed.options.get("program", [""])[-1] or own_program(level)
    book = parsed.everywhere_last("book")
    options = [f"--book={book}"] if book else []
    return commands_for(HOSTS[agent], program, options, capture="capture" in parsed.options)


def with_how_to_name_it(note: str, level: str, parsed: Parsed) -> str:
    """A project's file is shared and names the program only: does this machine find it by that name?"""
    import os
    import shlex
    import shutil

    if level != "project" or "program" in parsed.options:
        return note
    own = os.path.dirname(sys.executable) if sys.prefix != sys.base_prefix else ""  # an agent is started outside of it
    others = [one for one in os.get_exec_path() if not own or os.path.realpath(one) != os.path.realpath(own)]
    if shutil.which("commonplace", path=os.pathsep.join(others)):
        return note
    beside = shlex.quote(os.path.join(os.path.dirname(sys.executable), "commonplace"))
    return f"{note} Outside of this environment no `commonplace` is on the PATH: put it there, or name it: --program {beside}"


def own_program(level: str) -> str:
    """How a hook starts this very program. A project's settings are shared: there it is found by its name.

    By its interpreter rather than by the script that was installed beside it: such scripts load what a hook does not need, for a
    third of the time it takes. -P, because hooks are started in folders that may be somebody's clone.
    """
    if level == "project":
        return "commonplace"
    import shlex

    return f"{shlex.quote(sys.executable)} -P -c {shlex.quote('from commonplace.surfaces.cli import main; main()')}"


def _show(what: Installed, changes: list[Change], parsed: Parsed) -> None:
    page = Page(sys.stdout, parsed.everywhere_last("color") or "auto")
    if "json" in parsed.everywhere:
        import json

        dry = "dry_run" in parsed.options
        said = [
            {"path": one.path, "changed": one.is_one, "written": one.is_one and not dry, "diff": "\n".join(one.diff())}
            for one in changes
        ]
        sys.stdout.write(json.dumps({"agent": parsed.arguments[0], "changes": said, "note": what.note}) + "\n")
    else:
        page.write(_lines(what, changes, parsed, page))


def _lines(what: Installed, changes: list[Change], parsed: Parsed, page: Page) -> Iterator[Line]:
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
        yield from page.prose(what.note, "dim")
