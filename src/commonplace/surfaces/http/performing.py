"""A request that may be asked is asked: made from its fields, looked at with the care its operation needs, and performed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from commonplace.engine.index_pending import IndexPending
from commonplace.errors import ConflictError, DeniedError, InvalidError
from commonplace.storage.atomic_write import in_our_words
from commonplace.surfaces.http import requests, rights
from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.surfaces.http.tokens import Token

_MOST_POLICY_BYTES = 256 * 1024
_CAUGHT_UP = 32


def performed(
    operation: Described,
    token: Token,
    book: Book,
    plain: dict[str, Any],
    *,
    confirmed: bool = False,
    surface: str = "http",
) -> Any:
    """The verb's answer, as far as this token may see it. Called in a thread of its own."""
    with _without_paths(operation, rights.held_to(token, operation, plain)) as fields:
        request = requests.request_of(operation, fields)
        _check_care(operation, request, confirmed=confirmed)
        rights.check_subject(token, operation, book, request)
        if surface == "cli" and operation.name in ("search", "context"):
            # What was saved a moment ago is found by its meaning too, as it is when the command opens the book itself.
            book.perform("index_pending:catch_up", IndexPending(limit=_CAUGHT_UP))
        answer = book.perform(f"{operation.module}:{operation.verb}", request)
    return rights.seen_by(token, operation, answer)


def _check_care(operation: Described, request: Any, *, confirmed: bool) -> None:
    """What a person would be asked first (see `surfaces/cli/asking.py`), where there is nobody to ask."""
    if operation.destroys and not request.dry_run and not confirmed:
        raise ConflictError(
            f"{operation.name} cannot be undone", hint="Look with dry_run first, then send it with ?confirm=yes."
        )
    if operation.personal and os.environ.get("MEMORY_REVIEW_MODE") != "silent":
        raise DeniedError(
            "this would change a note of the person's own, and there is nobody to ask",
            hint="Do it from a terminal, or start the daemon with MEMORY_REVIEW_MODE=silent if they allow it in advance.",
        )
    if operation.name == "work" and not (request.once or request.status):
        raise InvalidError("work: the daemon works by itself", hint="Say once or status.", where="once")


@contextmanager
def _without_paths(operation: Described, plain: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A policy is sent as its text: no path of this machine comes from outside. The engine reads it from a file."""
    text = plain.get("policy")
    if operation.name != "inbox-apply" or not isinstance(text, str):
        yield plain
        return
    if len(text) > _MOST_POLICY_BYTES:
        raise InvalidError("policy: send the text of a policy, not longer than 256 kB", where="policy")
    with (
        in_our_words("policy"),
        tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="replace", suffix=".toml") as file,
    ):
        file.write(text)
        file.flush()
        try:
            yield plain | {"policy": file.name}
        except InvalidError as cause:
            raise InvalidError(cause.message, hint=cause.hint, where="policy") from None
