"""`commonplace vvm run FILE` and `commonplace vvm check FILE`: programs of agent calls. Nothing of them is loaded before."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.cli.arguments import Option, Parsed, UsageError
from commonplace.surfaces.cli.page import Line, Page

if TYPE_CHECKING:
    from commonplace.surfaces.agent.host import Notice
    from commonplace.surfaces.vvm.errors import Diagnostic, ProgramError
    from commonplace.surfaces.vvm.models import Models

OPTIONS = (
    Option(
        ("--model", "-m"),
        "model",
        "MODEL",
        "who answers: ADDRESS#NAME, or exec:COMMAND, a program that reads the prompt; WISH=MODEL for agents that wish for it",
    ),
    Option(("--arg", "-a"), "arg", "NAME=VALUE", "what the program asks for with `input NAME`"),
)


def run(parsed: Parsed) -> int:
    words = parsed.arguments
    if len(words) != 2 or words[0] not in ("run", "check"):
        raise UsageError("vvm takes run or check, and a file", "For example: commonplace vvm check support.vvm")
    return (_run if words[0] == "run" else _check)(words[1], parsed)


def _check(path: str, parsed: Parsed) -> int:
    from commonplace.surfaces.vvm.program import examine

    if parsed.options:
        raise UsageError("vvm check takes a file and nothing else", "It only reads: no model, no inputs.")
    read = examine(path)
    found = read.findings
    page = _page(parsed)
    well = not any(one.is_error for one in found)
    if "json" in parsed.everywhere:
        _write_json({"file": path, "ok": well, "diagnostics": [one.to_dict() for one in found]}, page)
    else:
        page.write(_told(found))
        page.write([[(f"and {read.left_out} more", "dim")]] if read.left_out else [])
        page.write([[("ok", "good"), (f": {path}", "")]] if well else [])
    return 0 if well else 1


def _run(path: str, parsed: Parsed) -> int:
    from commonplace.surfaces.vvm.errors import ProgramError

    try:
        return _exports(path, parsed)
    except ProgramError as problem:
        if "json" in parsed.everywhere:
            raise
        return _refused(problem, parsed)


def _exports(path: str, parsed: Parsed) -> int:
    from commonplace.agent import Host
    from commonplace.surfaces.vvm import run as running
    from commonplace.surfaces.vvm.inputs import typed
    from commonplace.surfaces.vvm.models import models_of
    from commonplace.surfaces.vvm.program import load

    program = load(path)
    Page(sys.stderr).write(_told(program.warnings) if sys.stderr.isatty() else [])
    if "model" not in parsed.options and program.needs_a_model:
        raise UsageError("vvm run needs --model MODEL", "ADDRESS#NAME, or exec:COMMAND for a program that answers.")
    arguments = typed(parsed.options.get("arg", []), program.inputs)
    models = models_of(parsed.options.get("model", []))
    with _stopping(models):
        exports = running.run(program, models, arguments, Host(notify=_note, **_patience(parsed)))
    _show(running.shown(exports), parsed)
    return 1 if running.has_errors(exports) else 0


@contextmanager
def _stopping(models: Models) -> Iterator[None]:
    """Whatever ends the run ends the programs that answer for it: Ctrl-C at once, while others of a `pmap` still wait."""
    import signal

    def stop(*_: object) -> None:
        models.close()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        models.close()
        signal.signal(signal.SIGINT, before)


def _patience(parsed: Parsed) -> dict[str, Any]:
    """`--timeout` is how long to wait for others, here as everywhere: for another call with the same memory."""
    from commonplace.surfaces.cli.options import number

    asked = parsed.everywhere_last("timeout")
    return {} if asked is None else {"lock_timeout": number(asked, "--timeout")}


def _show(exports: dict[str, Any], parsed: Parsed) -> None:
    from commonplace.surfaces.vvm.values import text_of

    page = _page(parsed)
    if "json" in parsed.everywhere:
        _write_json(exports, page)
        return
    alone = len(exports) == 1 or "quiet" in parsed.everywhere
    for number, (name, value) in enumerate(exports.items()):
        head: list[Line] = [] if alone else [*([[]] if number else []), [(name, "bold")]]
        page.write([*head, *page.prose(text_of(() if value is None else value))])


def _refused(problem: ProgramError, parsed: Parsed) -> int:
    from commonplace.surfaces.cli.exits import code_of

    page = Page(sys.stderr, parsed.everywhere_last("color") or "auto")
    page.write(_told(problem.found))
    page.write([[("error: ", "bad"), ("nothing was run", "bold")]])
    return code_of(problem)


def _told(found: Iterable[Diagnostic]) -> Iterator[Line]:
    """Findings as compilers tell them. A program is text from somebody: what looks like a secret in it is not repeated."""
    from commonplace.guard.secrets import redact

    for one in found:
        first, *rest = (redact(line)[0] for line in one.lines())
        yield [(first, "bad" if one.is_error else "warn")]
        yield from ([(line, "dim")] for line in rest)


def _note(notice: Notice) -> None:
    Page(sys.stderr).write([[("note: ", "warn"), (f"{notice.kind}: {notice.reason}", "")]])


def _write_json(said: Any, page: Page) -> None:
    from commonplace.surfaces.cli.render import json_of

    sys.stdout.flush()
    sys.stdout.buffer.write(json_of(said, page).encode())
    sys.stdout.buffer.flush()


def _page(parsed: Parsed) -> Page:
    return Page(sys.stdout, parsed.everywhere_last("color") or "auto")
