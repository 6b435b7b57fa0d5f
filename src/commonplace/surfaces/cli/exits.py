"""Exit codes, one per kind of error, and how an error is told. The only place where the family is mapped for a shell."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.errors import CommonplaceError
from commonplace.surfaces.cli.arguments import UsageError
from commonplace.surfaces.cli.page import Line, Page

OK, FOUND, USAGE, UNEXPECTED, INTERRUPTED, PIPE = 0, 1, 2, 70, 130, 141

BY_KIND = {
    "locked": 11,
    "stale": 12,
    "not_found": 13,
    "invalid": 14,
    "secret": 15,
    "too_large": 16,
    "denied": 17,
    "conflict": 18,
    "corrupt": 19,
    "unavailable": 20,
    "not_searched": 21,
}

MEANINGS = (
    (OK, "done"),
    (
        FOUND,
        "finished, and something needs your attention: a finding, a line kept aside, a purge that was not confirmed",
    ),
    (USAGE, "usage: the command line is wrong; nothing was done"),
    (BY_KIND["locked"], "locked: others were writing for the whole time limit; try again"),
    (BY_KIND["stale"], "stale: it changed since you read it; read again, then reapply"),
    (BY_KIND["not_found"], "not_found: no such memory, operation, run or file"),
    (BY_KIND["invalid"], "invalid: the input is not what the command takes"),
    (BY_KIND["secret"], "secret: the text holds something that looks like a secret"),
    (BY_KIND["too_large"], "too_large: a limit was passed"),
    (BY_KIND["denied"], "denied: this actor may not do that"),
    (BY_KIND["conflict"], "conflict: something that is there already stands in the way"),
    (BY_KIND["corrupt"], "corrupt: what is on disk is not what was written; run doctor"),
    (BY_KIND["unavailable"], "unavailable: the book or the disk is not there, full, read-only, newer or foreign"),
    (BY_KIND["not_searched"], "not_searched: could not look, which is not the same as nothing found"),
    (UNEXPECTED, "a bug of ours; COMMONPLACE_DEBUG=1 shows the trace"),
    (INTERRUPTED, "interrupted with Ctrl-C"),
    (PIPE, "whoever read the output went away"),
)


def told(error: dict[str, object], page: Page) -> Iterator[Line]:
    """An error as a tired person can use it: what, where, what next."""
    yield from page.prose(_safe(error["message"]), "bold", [("error: ", "bad")], [("       ", "")])
    for label, said in (("  where: ", error.get("where")), ("  hint:  ", error.get("hint"))):
        if said:
            yield from page.prose(_safe(said), "", [(label, "dim")], [("         ", "")])


def tell(error: dict[str, object], page: Page, *, as_json: bool) -> None:
    """Errors go to stderr: as lines for people, or in the one JSON form of every surface."""
    if as_json:
        from json import dumps

        safe = {key: _safe(value) if isinstance(value, str) else value for key, value in error.items()}
        page.file.write(dumps({"error": safe}) + "\n")
    else:
        page.write(told(error, page))


def code_of(cause: Exception) -> int:
    if isinstance(cause, UsageError):
        return USAGE
    if isinstance(cause, OSError):
        return BY_KIND["unavailable"]
    return BY_KIND.get(cause.kind, UNEXPECTED) if isinstance(cause, CommonplaceError) else UNEXPECTED


def described(cause: Exception) -> dict[str, object]:
    """What to tell of an error, in the one form that all errors have."""
    if isinstance(cause, CommonplaceError):
        said = cause.to_dict()["error"]
        assert isinstance(said, dict)
        return said
    if isinstance(cause, UsageError):
        return _form("usage", cause.message, cause.hint)
    if isinstance(cause, OSError):
        hint = "Look at the disk, the permissions and where the output goes."
        return _form("unavailable", f"the system refused: {cause.strerror or type(cause).__name__}", hint)
    # Not its message: that could quote what was being saved.
    hint = "Run it again with COMMONPLACE_DEBUG=1 to see the trace, and report it."
    return _form("unexpected", f"something unexpected happened ({type(cause).__name__})", hint)


def _form(kind: str, message: str, hint: str) -> dict[str, object]:
    said: dict[str, object] = {"kind": kind, "message": message, "retryable": False}
    return said | {"hint": hint} if hint else said


def _safe(said: object) -> str:
    """A path or an id that was typed may be a secret in the wrong place; errors end up in logs."""
    from commonplace.guard.secrets import redact

    return redact(str(said))[0]
