"""A request that the daemon answers instead of this process: for every way in that can also open the book itself.

What shows progress, asks a person or takes as long as the book is large stays here; so does what the daemon could not see as it
is meant: a file of this process's own, a folder named from where it stands, a question of which only a hash is to be kept.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from commonplace import settings
from commonplace.surfaces.operations import OPERATIONS, Described

if TYPE_CHECKING:
    from commonplace.surfaces.http.client import Daemon

# Its request names another book; it may take longer than anybody waits for an answer.
_AT_HOME = ("copy", "consolidate")
# A file of the policy's kind is a page; a longer one is looked at here, and refused here.
_MOST_POLICY_CHARS = 200_000

BY_VERB = {(f"commonplace.engine.{one.module}", one.verb): one for one in OPERATIONS}
"""The operation of each function that answers one."""


def stays_here(operation: Described, request: Any) -> bool:
    """Is this for the book itself, whoever serves it?"""
    if operation.takes_progress or operation.destroys or operation.personal or operation.name in _AT_HOME:
        return True
    if operation.name in ("search", "context") and not settings.receipt_queries():
        return True  # the daemon keeps receipts by a setting of its own
    return not os.path.isabs(getattr(request, "root", None) or os.sep)


def answered(daemon: Daemon, operation: Described, request: Any, *, book: str, actor: str, surface: str) -> Any:
    """What the daemon says, as the verb itself would have said it. `NotThereError` if the book itself is to be asked: nothing
    was done, or what was cut off was only a question."""
    from commonplace.errors import CommonplaceError, CorruptError, UnavailableError
    from commonplace.surfaces.http.answer_types import understood
    from commonplace.surfaces.http.client import NotThereError

    fields = _without_paths(operation, request.to_dict())
    try:
        return understood(operation, daemon.ask(operation.name, fields, book=book, actor=actor, surface=surface))
    except CommonplaceError as cause:
        if daemon.is_another:
            raise NotThereError from None
        if operation.writes or isinstance(cause.__cause__, TimeoutError):
            raise  # it may have been done; or was waited for long enough
        if isinstance(cause, (UnavailableError, CorruptError)):
            raise NotThereError from None  # whoever opens the book says more about what is wrong with it
        raise


def _without_paths(operation: Described, fields: dict[str, Any]) -> dict[str, Any]:
    """The daemon takes no path from anybody: a policy is sent as its text. One that cannot be is for whoever opens the book."""
    if operation.name != "inbox-apply":
        return fields
    from commonplace.surfaces.http.client import NotThereError

    try:
        with open(fields["policy"], encoding="utf-8") as file:
            text = file.read(_MOST_POLICY_CHARS + 1)
    except (OSError, UnicodeError, ValueError):
        raise NotThereError from None
    if len(text) > _MOST_POLICY_CHARS:
        raise NotThereError
    return {**fields, "policy": text}
