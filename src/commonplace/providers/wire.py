"""One POST of JSON in bounded time: to the address that was checked, without following anybody anywhere.

The request runs beside the caller, who leaves when the time is up. A socket's own time limit is not enough: it begins anew with
every byte, and the name's resolution has none at all.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import Thread
from typing import Any

import msgspec

from commonplace.errors import CommonplaceError, UnavailableError
from commonplace.providers.addresses import Target

_MOST_BYTES = 64 * 1024 * 1024  # a thousand vectors of four thousand numbers, as text
_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 8.0


class _AgainError(Exception):
    """It did not work this time; the server or the line may think better of it."""

    def __init__(self, why: str, after: float = 0.0) -> None:
        self.why, self.after = why, after


def post(target: Target, path: str, body: Mapping[str, Any], key: str, seconds: float) -> bytes:
    """What the server answers to this body, in at most so many seconds in all; an answer of 429 or 5xx is asked for again."""
    until = time.monotonic() + seconds
    raw, pause = msgspec.json.encode(body), _FIRST_PAUSE_SECONDS
    while True:
        try:
            return _Request(target, path, raw, key, until).answer()
        except _AgainError as problem:
            wait = max(pause, problem.after)
            if time.monotonic() + wait >= until:
                raise failed(target, problem.why) from None
        time.sleep(wait)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)


def failed(target: Target, why: str, code: str | None = None) -> UnavailableError:
    """What went wrong, without the request, the answer and the key: any of them may hold what nobody should read."""
    asker = target.asker
    return UnavailableError(f"{target.shown} gave no {asker.wants}: {why}", code=code or asker.name, hint=asker.hint)


class _Request:
    """One attempt. Its thread may outlive it, and then ends by itself, because its connection is closed."""

    def __init__(self, target: Target, path: str, body: bytes, key: str, until: float) -> None:
        self._target, self._path, self._body, self._key, self._until = target, path, body, key, until
        self._connection: HTTPConnection | None = None
        self._came: bytes | Exception = _AgainError("it took too long")

    def answer(self) -> bytes:
        thread = Thread(target=self._run, name="commonplace-request", daemon=True)
        thread.start()
        thread.join(max(0.0, self._until - time.monotonic()))
        came = self._came
        if thread.is_alive():
            self._close()
        if isinstance(came, Exception):
            raise came
        return came

    def _run(self) -> None:
        try:
            self._came = self._talk()
        except (CommonplaceError, _AgainError) as problem:
            self._came = problem
        except (OSError, HTTPException, ValueError) as problem:
            # Only the sort of the error: its words may quote what was sent.
            self._came = _AgainError(_sort(problem))
        finally:
            self._close()

    def _talk(self) -> bytes:
        self._connection = connection = HTTPConnection(self._target.host, self._target.port)
        connection.sock = self._connect()
        if self._target.secure:
            import ssl

            connection.default_port = 443
            connection.sock = ssl.create_default_context().wrap_socket(
                connection.sock, server_hostname=self._target.host
            )
        connection.request("POST", self._target.path + self._path, self._body, self._headers())
        with connection.getresponse() as response:
            return _read(response, self._target)

    def _connect(self) -> socket.socket:
        """The first address that answers: a name often has two, and a local server listens at one of them."""
        refused: OSError = TimeoutError()
        for address in self._target.resolve():
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                return socket.create_connection((address, self._target.port), timeout=left)
            except OSError as problem:
                refused = problem
        raise refused

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers

    def _close(self) -> None:
        """Shut the socket too: closing alone does not wake a thread that waits for it."""
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)
        if connection is not None:
            connection.close()


def _read(response: HTTPResponse, target: Target) -> bytes:
    if response.status == 429 or response.status >= 500:
        raise _AgainError(f"it answers {response.status}", _retry_after(response))
    if 300 <= response.status < 400:
        raise failed(target, f"it answers {response.status} and wants us to go elsewhere, which is refused")
    if response.status != 200:
        # What it was sent is at fault, not the server: others may pass where this one does not.
        code = "refused" if response.status in (400, 413, 422) else None
        raise failed(target, f"it answers {response.status}", code)
    raw = response.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise failed(target, "its answer is far too long")
    return raw


def _retry_after(response: HTTPResponse) -> float:
    said = response.headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdigit() else 0.0


def _sort(problem: Exception) -> str:
    if isinstance(problem, ConnectionRefusedError):
        return "nobody listens there"
    if isinstance(problem, TimeoutError):
        return "it took too long"
    return f"the connection failed ({type(problem).__name__})"
