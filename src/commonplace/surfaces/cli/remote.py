"""Through the daemon, when it runs and serves this book: the same request, the same answer, with its models loaded already.

Only a look at one file when it does not run. What shows progress, asks a person, or has a file of its own stays here; so does
everything with `--direct`, or with `--timeout`, which is about waiting for other writers at the book itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.surfaces.cli.arguments import Parsed
    from commonplace.surfaces.http.client import Daemon

# A body must not be larger than the daemon takes; what is, goes the direct way.
_MOST_CHARS = 4 * 1024 * 1024
# A file of the policy's kind is a page; a longer one is looked at here, and refused here.
_MOST_POLICY_CHARS = 200_000
# Its request names another book.
_AT_HOME = ("copy",)


def asked_elsewhere(operation: Described, request: Any, parsed: Parsed) -> Any:
    """The daemon's answer; None if it is not to be asked, does not run, or does not serve this book."""
    if _stays_here(operation, request, parsed):
        return None
    from commonplace.places import data_folder

    state = os.path.join(data_folder(), "daemon.json")
    if not os.path.exists(state):
        return None
    from commonplace import __version__
    from commonplace.guard.trust import check_actor
    from commonplace.surfaces.cli.program import actor_of
    from commonplace.surfaces.http.client import running
    from commonplace.wiring import configured_url

    actor = check_actor(actor_of(parsed))
    daemon = running(state)
    name = None if daemon is None else daemon.serves(parsed.everywhere_last("book") or configured_url())
    if daemon is None or name is None or daemon.version != __version__:
        return None
    fields = _without_paths(operation, request.to_dict())
    if fields is None:
        return None
    try:
        said = _said(daemon, operation, fields, name, actor)
    finally:
        daemon.close()
    return None if said is None else _understood(operation, said)


def _said(daemon: Daemon, operation: Described, fields: dict[str, Any], book: str, actor: str) -> bytes | None:
    """None if the book itself has to be asked, this once: the daemon was killed, and is back for the next."""
    from commonplace.errors import UnavailableError
    from commonplace.surfaces.http.client import NotThereError

    try:
        return daemon.ask(operation.name, fields, book=book, actor=actor, surface="cli")
    except NotThereError:
        return None
    except UnavailableError as cause:
        if operation.writes or isinstance(cause.__cause__, TimeoutError):
            raise  # it may have been done; or was waited for long enough
        return None


def _stays_here(operation: Described, request: Any, parsed: Parsed) -> bool:
    at_home = operation.takes_progress or operation.destroys or operation.personal or operation.name in _AT_HOME
    asked_to = "direct" in parsed.everywhere or "timeout" in parsed.everywhere
    return at_home or asked_to or len(getattr(request, "source", "")) > _MOST_CHARS


def _without_paths(operation: Described, fields: dict[str, Any]) -> dict[str, Any] | None:
    """The daemon takes no path from anybody: a policy is sent as its text. None if it cannot be: then it is told here why."""
    if operation.name != "inbox-apply":
        return fields
    try:
        with open(fields["policy"], encoding="utf-8") as file:
            text = file.read(_MOST_POLICY_CHARS + 1)
    except (OSError, UnicodeError, ValueError):
        return None
    return {**fields, "policy": text} if len(text) <= _MOST_POLICY_CHARS else None


def _understood(operation: Described, said: bytes) -> Any:
    import msgspec

    from commonplace.surfaces.http.answer_types import answer_types

    *others, last = answer_types(operation)
    for sort in others:
        try:
            return msgspec.json.decode(said, type=sort)
        except msgspec.ValidationError:
            continue
    return msgspec.json.decode(said, type=last)
