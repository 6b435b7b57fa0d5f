"""The program: words in, an answer on stdout, errors on stderr, an exit code out. Never a traceback."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.cli.arguments import Option, Parsed, parse, unknown_command
from commonplace.surfaces.lightly import import_lightly
from commonplace.surfaces.operations import BEGINNING, BY_NAME, Described

if TYPE_CHECKING:
    from commonplace.engine.book import Book

# Commands that are not verbs of a book. Each names the function that runs it.
EXTRAS = {
    "help": ("helps", "show how to use a command, or a topic"),
    "completion": ("completion", "print a completion script for bash, zsh or fish"),
    "demo": ("demo", "see it all at work on a throw-away book"),
    "vvm": ("vvm", "run or check a program of agent calls that remember"),
    "serve": ("serve", "run the daemon: one process for every agent of this machine"),
    "mcp": ("mcp", "speak MCP on stdin and stdout, for an agent that starts its servers itself"),
    "web": ("web", "print the address of the inspector, the page that shows the book"),
    "token": ("token", "say who may speak to the daemon, and how far"),
    "hook": ("hook", "answer a coding agent's hook: its payload on stdin, its context on stdout"),
    "install": ("install", "put hooks or the MCP server into an agent's settings, and show the change"),
    "uninstall": ("install", "take hooks or the MCP server out again, and nothing else"),
}


def run(words: list[str]) -> int:
    """Do what the words ask, and return the exit code."""
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever was reading has gone; what is still buffered must not raise again when the stream is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130
    except Exception as cause:  # noqa: BLE001 - whatever it is, a person gets one line and a next step
        return _failed(cause, as_json="--json" in words)
    return code


def _dispatch(words: list[str]) -> int:
    parsed = parse(_joined(words), options_of)
    if "version" in parsed.everywhere:
        from commonplace import __version__

        sys.stdout.write(f"commonplace {__version__}\n")
        return 0
    if parsed.command is None or "help" in parsed.everywhere:
        from commonplace.surfaces.cli.helps import help_for

        return help_for(parsed.command, parsed)
    if parsed.command in EXTRAS:
        from importlib import import_module

        code: int = import_module(f"commonplace.surfaces.cli.{EXTRAS[parsed.command][0]}").run(parsed)
        return code
    return answer(BY_NAME[parsed.command], parsed)


def _joined(words: list[str]) -> list[str]:
    """`inbox accept` is the command `inbox-accept`: two words for a person, one for the table."""
    for at, first in enumerate(words[:-1]):
        second = words[at + 1]
        if first in BY_NAME:
            return [*words[:at], f"{first}-{second}", *words[at + 2 :]] if f"{first}-{second}" in BY_NAME else words
    return words


def options_of(command: str) -> tuple[Option, ...]:
    if command in BY_NAME:
        import_lightly()
        from commonplace.surfaces.cli import options

        return options.options_of(BY_NAME[command])
    if command in EXTRAS:
        return _extra_options(command)
    raise unknown_command(command, (*BY_NAME, *EXTRAS))


def _extra_options(command: str) -> tuple[Option, ...]:
    from importlib import import_module

    found: tuple[Option, ...] = getattr(import_module(f"commonplace.surfaces.cli.{EXTRAS[command][0]}"), "OPTIONS", ())
    return found


def answer(operation: Described, parsed: Parsed) -> int:
    """Ask the book and show what it says."""
    said = ask(operation, parsed)
    if said is None:
        return 1
    show(operation, said, parsed)
    return 0 if is_well(said) else 1


def ask(operation: Described, parsed: Parsed) -> Any:
    """The book's answer; none if it was about to destroy something and a person said no."""
    from commonplace.surfaces.cli.options import request_of
    from commonplace.surfaces.cli.remote import asked_elsewhere

    request = request_of(operation, parsed)
    if (said := asked_elsewhere(operation, request, parsed)) is not None:
        return said
    with open_book(operation, parsed, getattr(request, operation.book_from, None)) as book:
        if operation.destroys and not request.dry_run and "yes" not in parsed.options:
            from commonplace.surfaces.cli.asking import is_confirmed

            if not is_confirmed(operation, book, request, parsed):
                return None
        if operation.personal:
            from commonplace.surfaces.cli.asking import is_allowed

            if not is_allowed(request, parsed):
                return None
        return perform(operation, book, request, parsed)


def open_book(operation: Described, parsed: Parsed, url: str | None = None) -> Book:
    """Only what brings something in may begin a new book: to ask or change one that is missing is a mistake worth hearing of."""
    from commonplace import settings
    from commonplace.errors import CorruptError
    from commonplace.surfaces.cli.options import number
    from commonplace.wiring import open_book

    asked = parsed.everywhere_last("timeout")
    timeout = settings.BUSY_TIMEOUT_SECONDS if asked is None else number(asked, "--timeout")
    try:
        return open_book(
            url or parsed.everywhere_last("book"),
            actor=actor_of(parsed),
            surface="cli",
            timeout=timeout,
            create=operation.name in BEGINNING,
        )
    except CorruptError as error:
        if operation.name == "doctor":  # what cannot be opened cannot be examined: nobody is sent round in a circle
            error.hint = _BEYOND_REPAIR
        raise


_BEYOND_REPAIR = (
    "Keep the damaged file under another name, and put the newest backup in its place; or `commonplace import` an export "
    "into a new book."
)


def actor_of(parsed: Parsed) -> str:
    """`--actor`, else `$COMMONPLACE_ACTOR`, else whoever is logged in: a person at the machine is its operator."""
    named = parsed.everywhere_last("actor")
    if named is not None:
        return named
    env = os.environ
    return env.get("COMMONPLACE_ACTOR") or env.get("LOGNAME") or env.get("USER") or "operator"


_CAUGHT_UP = 32
"""How many memories a search embeds first: about half a second's work at most."""


def perform(operation: Described, book: Book, request: Any, parsed: Parsed) -> Any:
    import gc

    gc.freeze()  # what was loaded stays for good: looking through it once would cost more than most answers
    gc.enable()
    verb = f"{operation.module}:{operation.verb}"
    if operation.name in ("search", "context") and getattr(request, "profile", "") != "words":
        # This process is too short for a background: what was saved since the last search is embedded now, a little at a time.
        from commonplace.engine.index_pending import IndexPending

        book.perform("index_pending:catch_up", IndexPending(limit=_CAUGHT_UP))
    if not operation.takes_progress or not sys.stderr.isatty():
        return book.perform(verb, request)
    from commonplace.surfaces.cli.progress import Bar

    bar = Bar(operation.name, color_of(parsed))
    try:
        return book.perform(verb, request, progress=bar)
    finally:
        bar.clear()


def show(operation: Described, said: Any, parsed: Parsed) -> None:
    from commonplace.surfaces.cli import render
    from commonplace.surfaces.cli.page import Page

    page = Page(sys.stdout, color_of(parsed))
    if "json" in parsed.everywhere:
        sys.stdout.flush()
        sys.stdout.buffer.write(render.json_of(said, page).encode())
        sys.stdout.buffer.flush()
    else:
        quiet = "quiet" in parsed.everywhere
        page.write(render.ids_of(operation, said) if quiet else render.lines_of(operation, said, page))


def is_well(said: Any) -> bool:
    """False when it went through but somebody should look: findings, lines kept aside, a purge that left something."""
    if getattr(said, "kept_aside", None) or getattr(said, "remaining", None):
        return False
    return bool(getattr(said, "ok", True)) and all(check.equal for check in getattr(said, "checks", ()))


def color_of(parsed: Parsed) -> str:
    return parsed.everywhere_last("color") or "auto"


def _failed(cause: Exception, *, as_json: bool) -> int:
    from commonplace.surfaces.cli import exits
    from commonplace.surfaces.cli.page import Page

    if os.environ.get("COMMONPLACE_DEBUG"):
        import traceback

        traceback.print_exception(cause)
    exits.tell(exits.described(cause), Page(sys.stderr), as_json=as_json)
    return exits.code_of(cause)
