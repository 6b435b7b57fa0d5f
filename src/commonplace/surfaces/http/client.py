"""Speaking to the daemon over its Unix socket, also from a process that lives briefly.

So it loads next to nothing: no HTTP library, which would cost more than most answers. What comes back is what the book itself
would have said: the answer as bytes of JSON, or the error of the family that was told. What the wire alone makes impossible is
no such error: then nothing was done, and the book itself can be asked.
"""

from __future__ import annotations

import os
from _socket import AF_UNIX, MSG_PEEK, SOCK_STREAM, socket
from time import monotonic

from commonplace.places import data_folder
from commonplace.surfaces import small_json

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than most answers
if TYPE_CHECKING:
    from typing import Any

    from commonplace.errors import CommonplaceError

STATE = "daemon.json"
"""Says who runs now; in the user's data folder."""
LOCK = "daemon.lock"
"""Held by the one that runs, from its first moment to its last."""
_PIECE = 1 << 18
_GREETING_SECONDS = 0.2
# The daemon hangs up on a connection that was silent for thirty seconds. Not to be asked in that very moment:
_MOST_SILENT_SECONDS = 20.0
# More than this it does not take; material may be larger, which one who opens the book reads as well.
_MOST_BYTES = 4 * 1024 * 1024
# Too busy, too slow, not to be said in JSON: told before anything was done.
_TURNED_AWAY = (400, 408, 429, 431)


_MODELS = ("COMMONPLACE_EMBEDDER", "COMMONPLACE_RERANKER", "COMMONPLACE_EXTRACTOR", "COMMONPLACE_MODELS")


class NotThereError(Exception):
    """No daemon answers: whoever asked goes on without one. Nothing was done."""


class Daemon:
    """A running daemon as a client sees it. One connection, kept open; not for several threads at once.

    If it was killed, that is seen when it is asked; with `revives` it is started anew then.
    """

    _socket: socket | None = None

    def __init__(
        self, state: dict[str, Any], timeout: float = 60.0, *, owner: int | None = None, revives: bool = False
    ) -> None:
        self.books: dict[str, str] = dict(state["books"])
        self.pid, self.url, self.version = int(state["pid"]), str(state["url"]), str(state["version"])
        self.owner = os.geteuid() if owner is None else owner
        """The user whose daemon it is: its state file is theirs."""
        self.config = str(state.get("config") or "")
        """The config file that it read."""
        self._settings: dict[str, str] = dict(state.get("settings") or {})
        self._path, self._token = str(state["socket"]), str(state["token"])
        self._timeout, self._revives = timeout, revives
        self.was_killed = False
        self.is_another = False
        """It did not know the token that its state file told: by now another daemon listens."""
        self._last_heard = 0.0

    def __del__(self) -> None:
        self.close()

    @property
    def is_connected(self) -> bool:
        return self._socket is not None

    def thinks_alike(self) -> bool:
        """Does it answer by the models that this process would take? What one's own environment says counts for oneself."""
        return all(os.environ.get(name, "") == self._settings.get(name, "") for name in _MODELS)

    def serves(self, url: str) -> str | None:
        """The name under which the book at this URL is served."""
        try:
            wanted = in_full(url)
        except ValueError:  # no path at all: whoever opens it says so
            return None
        return next((name for name, known in self.books.items() if known == wanted), None)

    def ask(
        self,
        operation: str,
        fields: dict[str, Any],
        *,
        book: str = "default",
        actor: str | None = None,
        surface: str | None = None,
    ) -> bytes:
        """The answer as JSON. Raises the error that was told; `NotThereError` if there was nobody to ask.

        `actor` is for whom this is asked, and `surface` by which way they came. A token of this process's own says that itself.
        """
        token = os.environ.get("COMMONPLACE_TOKEN")
        named = "" if token or actor is None else f"Commonplace-Actor: {actor}\r\n"
        named += "" if token or surface is None else f"Commonplace-Surface: {surface}\r\n"
        body = small_json.write(_with_budget(fields) if operation == "context" else fields).encode()
        if len(body) > _MOST_BYTES:
            raise NotThereError
        head = (
            f"POST /v1/{operation}?book={book} HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token or self._token}\r\n"
            f"{named}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        status, said = self._exchange(head.encode() + body)
        if status == 200:
            return said
        if status in _TURNED_AWAY:
            raise NotThereError
        self.is_another = status == 401 and not token
        raise _error(status, said)

    def greet(self) -> None:
        """`NotThereError` if nobody listens."""
        self._connected()

    def sibling(self) -> Daemon:
        """Another connection to the same one."""
        made = Daemon.__new__(Daemon)
        made.__dict__.update(self.__dict__, _socket=None)
        return made

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, asked: bytes) -> tuple[int, bytes]:
        connected = self._connected()
        try:
            connected.sendall(asked)
            answer = self._read(connected)
        except (OSError, ValueError, IndexError) as cause:
            self.close()
            from commonplace.errors import UnavailableError

            # It was asked: whether it was done is not known, so it is not asked again elsewhere.
            raise UnavailableError(
                "the daemon went away while it was asked", hint="Look whether it was done, then ask again."
            ) from cause
        self._last_heard = monotonic()
        return answer

    def _connected(self) -> socket:
        if self._socket is not None and self._has_ended(self._socket):
            self.close()
        if self._socket is None:
            made = socket(AF_UNIX, SOCK_STREAM)
            made.settimeout(self._timeout)
            try:
                _refuse_anothers(self._path, self.owner)
                made.connect(self._path)
            except OSError as cause:
                made.close()
                # A busy one lets wait; only where nobody listens, and nobody is about to end or to begin, there is none.
                self.was_killed = isinstance(cause, (ConnectionRefusedError, FileNotFoundError)) and not _one_lives()
                self._revive_if_killed()
                raise NotThereError from None
            self._socket, self._last_heard = made, monotonic()
        return self._socket

    def _has_ended(self, kept: socket) -> bool:
        """Nothing comes unasked but the end. Seen now it is no loss; after a question nobody would know what was done."""
        if monotonic() - self._last_heard > _MOST_SILENT_SECONDS:
            return True
        kept.settimeout(0)
        try:
            kept.recv(1, MSG_PEEK)
        except BlockingIOError:
            kept.settimeout(self._timeout)
            return False
        except OSError:
            return True
        return True

    def _revive_if_killed(self) -> None:
        if self.was_killed and self._revives:
            from commonplace.surfaces.http.reviving import revive

            revive(self)

    def _read(self, connected: socket) -> tuple[int, bytes]:
        """Status and body. Our daemon says the length of all that this client asks for."""
        came = b""
        while b"\r\n\r\n" not in came:
            came += _some(connected)
        head, _, body = came.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = int(next((line[15:] for line in lines if line.startswith(b"content-length:")), b"not said"))
        pieces, have = [body], len(body)
        while have < length:
            pieces.append(_some(connected))
            have += len(pieces[-1])
        if b"connection: close" in lines:
            self.close()
        return int(lines[0].split(b" ")[1]), b"".join(pieces)


def in_full(url: str) -> str:
    """A book's URL without links and abbreviations: two that are equal are one book."""
    scheme, _, path = url.partition(":")
    return f"{scheme}:{os.path.realpath(os.path.expanduser(path))}"


def _refuse_anothers(path: str, owner: int) -> None:
    """Where its name would be too long, the socket lies in a folder that everybody may make once the daemon's own is gone: then
    another user could listen there, hear what is asked, and answer. Only a folder's owner can put a socket into it."""
    if os.stat(os.path.dirname(path)).st_uid != owner:
        raise PermissionError


def _with_budget(fields: dict[str, Any]) -> dict[str, Any]:
    """What the environment says of budgets counts where it is asked, as if the book were opened there (A73)."""
    phase, moment = fields.get("phase"), fields.get("moment")
    of_a_phase = moment == "phase" or (moment is None and phase)
    variable = f"HARNESS_RECALL_BUDGET_{str(phase).upper()}" if of_a_phase else "RECALL_TOKEN_BUDGET"
    if fields.get("budget") is not None or not os.environ.get(variable, "").strip():
        return fields
    from commonplace.model.receipt import Moment
    from commonplace.retrieve.budgets import budget_for

    return {**fields, "budget": budget_for(Moment.PHASE if of_a_phase else Moment.TASK, phase=phase)}


def _some(connected: socket) -> bytes:
    piece = connected.recv(_PIECE)
    if not piece:
        raise OSError("the other side has gone")
    return piece


def running(path: str | None = None, timeout: float = 60.0, *, revives: bool = True) -> Daemon | None:
    """The daemon that runs now; None if there is none. The file may be of one that was killed: then asking it says so.

    Only the user's own is started anew: one that another state file tells of would not be the same here. Where nobody knows which
    folder is the user's, what lies in the one we happen to be in is not believed.
    """
    own = os.path.join(data_folder(), STATE)
    if not os.path.isabs(path or own):
        return None
    try:
        with open(path or own, "rb") as file:
            said, owner = file.read(), os.fstat(file.fileno()).st_uid
        return Daemon(small_json.read_object(said), timeout, owner=owner, revives=revives and path in (None, own))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def look_after(url: str) -> None:
    """For whoever opens the book themselves: the daemon that serves it is started anew if it was killed; nothing is asked."""
    daemon = running(timeout=_GREETING_SECONDS)
    if daemon is None or daemon.serves(url) is None:
        return
    try:
        daemon.greet()
    except NotThereError:
        return
    finally:
        daemon.close()


def _one_lives() -> bool:
    """Somebody holds the daemon's lock: it has stopped listening and is about to end, or begins just now."""
    try:
        from fcntl import LOCK_NB, LOCK_SH, flock

        held = os.open(os.path.join(data_folder(), LOCK), os.O_RDWR | os.O_CLOEXEC)
    except (ImportError, OSError):
        return False
    try:
        flock(held, LOCK_SH | LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(held)
    return False


def _error(status: int, said: bytes) -> CommonplaceError | NotThereError:
    """The error of the family that the daemon told, as if it had been raised here."""
    import json

    from commonplace import errors

    kinds = {one.kind: one for one in vars(errors).values() if isinstance(one, type) and hasattr(one, "kind")}
    try:
        told = json.loads(said)
        if status == 503 and told["kind"] == "unavailable" and told["retryable"]:
            return NotThereError()  # too many wait already
        error: CommonplaceError = kinds.get(told["kind"], errors.UnavailableError)(
            told["detail"], hint=told.get("hint"), where=told.get("where"), code=told.get("code")
        )
        error.retryable = bool(told["retryable"])
    except (ValueError, KeyError, TypeError):
        return NotThereError() if status == 503 else errors.UnavailableError(f"the daemon answered {status}")
    return error
