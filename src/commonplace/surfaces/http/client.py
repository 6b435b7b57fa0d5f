"""Speaking to the daemon, from a process that lives briefly: over its Unix socket, else over loopback. No dependency.

`running()` costs one look at a file when there is no daemon. What comes back is what the library would have said: the answer as
bytes of JSON, or the error of the family that was told.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
from typing import Any
from urllib.parse import urlencode

from commonplace import errors
from commonplace.errors import CommonplaceError, UnavailableError

_KINDS: dict[str, type[CommonplaceError]] = {
    error.kind: error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, CommonplaceError)
}


class NotThereError(Exception):
    """No daemon answers: whoever asked goes on without one. Nothing was done."""


class Daemon:
    """A running daemon as a client sees it. One connection, kept open."""

    def __init__(self, state: dict[str, Any], timeout: float = 60.0) -> None:
        self.books: dict[str, str] = state["books"]
        self.pid, self.url = int(state["pid"]), str(state["url"])
        self._socket, self._token = str(state["socket"]), os.environ.get("COMMONPLACE_TOKEN") or str(state["token"])
        self._timeout = timeout
        self._connection: http.client.HTTPConnection | None = None

    def serves(self, url: str) -> str | None:
        """The name under which the book at this URL is served."""
        return next((name for name, known in self.books.items() if known == url), None)

    def ask(
        self, operation: str, fields: dict[str, Any], *, book: str = "default", actor: str | None = None, **query: str
    ) -> bytes:
        """The answer as JSON. Raises the error that was told; `NotThereError` if there was nobody to ask."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        if actor is not None:
            headers["Commonplace-Actor"] = actor
        path = f"/v1/{operation}?{urlencode({'book': book, **query})}"
        status, said = self._exchange(path, json.dumps(fields).encode(), headers)
        if status != 200:
            raise _error(status, said)
        return said

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = _connected(self._socket, self._timeout)
        try:
            self._connection.request("POST", path, body, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as cause:
            self.close()
            # It was asked: whether it was done is not known, so it is not asked again elsewhere.
            raise UnavailableError(
                "the daemon went away while it was asked", hint="Look whether it was done, then ask again."
            ) from cause


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _connected(path: str, timeout: float) -> http.client.HTTPConnection:
    connection = _UnixConnection(path, timeout)
    try:
        connection.connect()
    except OSError:
        raise NotThereError from None
    return connection


def running(timeout: float = 60.0) -> Daemon | None:
    """The daemon that runs now; None if there is none. The file may be of one that was killed: then asking it says so."""
    from commonplace.surfaces.http.places import state_path

    try:
        with open(state_path(), "rb") as file:
            state = json.loads(file.read())
        return Daemon(state, timeout)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _error(status: int, said: bytes) -> CommonplaceError:
    """The error of the family that the daemon told, as if it had been raised here."""
    try:
        told = json.loads(said)
        cls = _KINDS.get(told["kind"], UnavailableError)
        error = cls(told["detail"], hint=told.get("hint"), where=told.get("where"), code=told.get("code"))
        error.retryable = bool(told["retryable"])
    except (ValueError, KeyError, TypeError):
        return UnavailableError(f"the daemon answered {status}")
    return error
