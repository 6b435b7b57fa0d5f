"""The line from a process that lives long to the daemon that serves its book: there as long as one does, given up when none does.

With each question the daemon's state file is looked at, once, which costs about a microsecond: so one that was stopped is not
asked, one that came back is asked anew, and one that comes later is found. Connections are kept and lent to one question at a
time, so several threads may ask; a forked child leaves its parent's alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from commonplace import __version__
from commonplace.errors import CommonplaceError, UnavailableError
from commonplace.places import config_path, data_folder
from commonplace.surfaces.elsewhere import answered, stays_here
from commonplace.surfaces.http.client import STATE, NotThereError, running

if TYPE_CHECKING:
    from commonplace.surfaces.http.client import Daemon
    from commonplace.surfaces.operations import Described

T = TypeVar("T")
Looks = tuple[int, int] | None

# One that was killed says so each time it is asked, until it is back with another state file.
_REST_SECONDS = 0.5
# One that hangs is waited for so long, and then left alone for as long.
_ANSWER_SECONDS = 60.0
_MOST_KEPT = 8
# An error in it names the file; over the wire no file is named.
_AT_HOME = ("inbox-apply",)


class Line:
    """To whichever daemon serves this book, for this actor. Safe to ask from several threads, and after a fork."""

    def __init__(self, url: str, actor: str, surface: str) -> None:
        self._url, self._actor, self._surface = url, actor, surface
        self._state = os.path.join(data_folder(), STATE)
        self._known: tuple[Looks, int, Serving | None] = (None, 0, None)
        """How the state file looked when this process read it, and whom it told of."""

    def is_open(self) -> bool:
        """Does somebody listen who serves the book? One that was killed is started anew."""
        serving = self._serving()
        return serving is not None and serving.listens()

    def ask(self, operation: Described, request: Any) -> Any:
        """The daemon's answer; None if the book itself is to be asked."""
        if operation.name in _AT_HOME or stays_here(operation, request):
            return None
        serving = self._serving()
        if serving is None:
            return None
        book, actor, surface = serving.name, self._actor, self._surface
        try:
            return serving.use(
                lambda daemon: answered(daemon, operation, request, book=book, actor=actor, surface=surface)
            )
        except UnavailableError as cause:
            if operation.writes or not isinstance(cause.__cause__, TimeoutError):
                raise
            return None

    def close(self) -> None:
        serving = self._known[2]
        if serving is not None:
            serving.close()

    def _serving(self) -> Serving | None:
        looks = self._looks()
        known, pid, serving = self._known
        if looks != known or pid != os.getpid():
            if serving is not None:
                serving.end()
            serving = None if looks is None else self._found()
            self._known = (looks, os.getpid(), serving)
        return serving if serving is not None and not serving.rests else None

    def _looks(self) -> Looks:
        try:
            found = os.stat(self._state)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _found(self) -> Serving | None:
        """Only the user's own daemon, of this very program, which read the same settings, is as good as the file."""
        daemon = running(self._state, _ANSWER_SECONDS)
        if daemon is None or daemon.owner != os.geteuid() or daemon.version != __version__:
            return None
        is_alike = daemon.config in ("", config_path()) and daemon.thinks_alike()
        name = daemon.serves(self._url) if is_alike else None
        return None if name is None else Serving(daemon, name)


class Serving:
    """One daemon that serves the book, as long as it is the one that runs, and the connections to it."""

    def __init__(self, daemon: Daemon, name: str) -> None:
        self._first, self.name = daemon, name
        self._idle: list[Daemon] = []
        self._rests_until, self._has_ended = 0.0, False

    @property
    def rests(self) -> bool:
        return monotonic() < self._rests_until

    def listens(self) -> bool:
        return self.use(_greeted) or False

    def use(self, what: Callable[[Daemon], T]) -> T | None:
        """What comes of it over a connection that nobody else uses meanwhile; None if nobody is there."""
        try:
            daemon = self._idle.pop()
        except IndexError:
            daemon = self._first.sibling()
        try:
            return what(daemon)
        except NotThereError:
            if not daemon.is_connected:
                self._rests_until = monotonic() + _REST_SECONDS
            return None
        except CommonplaceError as cause:  # told by the daemon, whose answer was read to its end; or it hangs
            if isinstance(cause.__cause__, TimeoutError):
                self._rests_until = monotonic() + _ANSWER_SECONDS
            raise
        except BaseException:  # an interrupt: the rest of the answer would be taken for the next one
            daemon.close()
            raise
        finally:
            self._give_back(daemon)

    def _give_back(self, daemon: Daemon) -> None:
        if self._has_ended or len(self._idle) >= _MOST_KEPT or not daemon.is_connected:
            daemon.close()
        else:
            self._idle.append(daemon)

    def end(self) -> None:
        """It is no more; or the process is a child, and the connections are its parent's, which keeps its own end of them."""
        self._has_ended = True
        self.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _greeted(daemon: Daemon) -> bool:
    daemon.greet()
    return True
