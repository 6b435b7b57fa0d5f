"""How the question of an agent reaches the book: through the daemon when it runs and serves that book, else by opening it.

The daemon has its models loaded already. It is looked for with every question and no connection is kept: a conversation lasts for
hours, in which daemons come and go.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from commonplace import settings
from commonplace.errors import UnavailableError

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.engine.scribe import Request
    from commonplace.surfaces.operations import Described

_CAUGHT_UP = 32
"""How many memories a search embeds first: about half a second's work at most."""


class OwnBook:
    """The book at this URL, or the configured one. `direct` never asks the daemon. Safe to ask from several threads."""

    def __init__(
        self, url: str | None, actor: str, timeout: float = settings.BUSY_TIMEOUT_SECONDS, *, direct: bool = False
    ) -> None:
        self._url, self._actor, self._timeout, self._direct = url, actor, timeout, direct
        self._book: Book | None = None
        self._lock = threading.Lock()

    def ask(self, name: str, fields: dict[str, Any]) -> Any:
        from commonplace.engine.scribe import ask
        from commonplace.surfaces.operations import BY_NAME

        operation = BY_NAME[name]
        request = ask(operation.request_class(), **fields)
        said = None if self._direct else self._told(operation, request)
        return self._looked_up(operation, request) if said is None else said

    def close(self) -> None:
        if self._book is not None:
            self._book.close()
            self._book = None

    def _told(self, operation: Described, request: Request) -> Any:
        """The daemon's answer; None if there is none to ask, or it ended over a question that may be asked again."""
        try:
            return through_daemon(self._url, self._actor, operation, request)
        except UnavailableError:
            if operation.writes:  # it may have been done: not to be asked elsewhere
                raise
            return None

    def _looked_up(self, operation: Described, request: Request) -> Any:
        from commonplace.surfaces.operations import BEGINNING

        book = self._opened(create=operation.name in BEGINNING)
        if operation.name in ("search", "context"):
            from commonplace.engine.index_pending import IndexPending

            book.perform("index_pending:catch_up", IndexPending(limit=_CAUGHT_UP))
        return book.perform(f"{operation.module}:{operation.verb}", request)

    def _opened(self, *, create: bool) -> Book:
        """Whoever is named: what comes from a model is trusted as an agent's, never more (row 116)."""
        with self._lock:
            if self._book is None:
                from commonplace.wiring import open_book

                self._book = open_book(
                    self._url, actor=self._actor, trust="agent", surface="mcp", timeout=self._timeout, create=create
                )
            return self._book


def through_daemon(url: str | None, actor: str, operation: Described, request: Request) -> Any:
    """None if no daemon of this version runs, or it does not serve this book, or it would trust this actor more than an agent."""
    from commonplace.places import data_folder

    state = os.path.join(data_folder(), "daemon.json")
    if not os.path.exists(state) or not _is_an_agents(actor):
        return None
    from commonplace import __version__
    from commonplace.surfaces.http.client import NotThereError, running
    from commonplace.wiring import configured_url

    daemon = running(state)
    name = None if daemon is None else daemon.serves(url or configured_url())
    if daemon is None or name is None or daemon.version != __version__:
        return None
    try:
        said = daemon.ask(operation.name, request.to_dict(), book=name, actor=actor, surface="mcp")
    except NotThereError:
        return None
    finally:
        daemon.close()
    return _understood(operation, said)


def _is_an_agents(actor: str) -> bool:
    from commonplace.guard.trust import channel_of
    from commonplace.model.words import Trust

    return not channel_of(actor).outranks(Trust.AGENT)


def _understood(operation: Described, said: bytes) -> Any:
    import msgspec

    from commonplace.model.base import taken_apart
    from commonplace.surfaces.http.answer_types import answer_types

    return msgspec.json.decode(said, type=taken_apart(answer_types(operation)[0]))
