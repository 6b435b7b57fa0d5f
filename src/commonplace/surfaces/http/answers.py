"""Answers: one JSON form for what the engine says, and one place where the error family becomes HTTP (RFC 9457).

Every answer carries the same few headers: nothing is cached, nothing is guessed, nothing may be framed or run. There are no CORS
headers, ever: no page of another origin may read what is said here.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

import msgspec

from commonplace.errors import CommonplaceError

Headers = list[tuple[bytes, bytes]]

BY_KIND = {
    "locked": 423,
    "stale": 412,
    "not_found": 404,
    "invalid": 422,
    "secret": 422,
    "too_large": 413,
    "denied": 403,
    "conflict": 409,
    "corrupt": 500,
    "unavailable": 503,
    "not_searched": 503,
}
"""Each kind of error, and the status it is told with."""

JSON, PROBLEM, LINES = b"application/json", b"application/problem+json", b"application/x-ndjson"
_ALWAYS: Headers = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_encoder = msgspec.json.Encoder()


class Answer:
    """What goes back: whole, or piece by piece."""

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        sort: bytes = JSON,
        headers: Headers | None = None,
        pieces: AsyncIterator[bytes] | None = None,
    ) -> None:
        self.status, self.body, self.sort = status, body, sort
        self.headers, self.pieces = headers or [], pieces

    async def send(self, send: Any, *, bare: bool = False) -> None:
        """To whoever asked; `bare` is the answer to HEAD."""
        own = {name for name, _ in self.headers}
        headers = [(b"content-type", self.sort), *(pair for pair in _ALWAYS if pair[0] not in own), *self.headers]
        if self.pieces is None:
            headers.append((b"content-length", b"%d" % len(self.body)))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if self.pieces is not None and not bare:
            async for piece in self.pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"" if bare or self.pieces is not None else self.body})


def said(value: Any) -> Answer:
    """The answer of a verb, in the JSON form that the command line's `--json` has too."""
    return Answer(200, _encoder.encode(value))


class RefusedError(Exception):
    """This request goes no further. Raised before any verb is asked; says what is wrong, and nothing about what is inside."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid",
        hint: str = "",
        headers: Headers | None = None,
        retryable: bool = False,
        closes: bool = False,
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.kind, self.hint = status, message, kind, hint
        self.retryable = retryable
        self.headers = [*(headers or []), *([(b"connection", b"close")] if closes else [])]

    def answer(self) -> Answer:
        return _problem(self.status, self.kind, self.message, self.retryable, {"hint": self.hint}, self.headers)


def problem(cause: Exception) -> Answer:
    """An error as problem details. What is not of the family is a fault of ours, and nothing of it is told."""
    if isinstance(cause, RefusedError):
        return cause.answer()
    if not isinstance(cause, CommonplaceError):
        hint = "The daemon's log has its name; please report it."
        return _problem(500, "unexpected", "something unexpected happened", False, {"hint": hint}, [])
    more = {
        "code": cause.code if cause.code != cause.kind else "",
        "where": "" if os.path.isabs(cause.where or "") else cause.where or "",  # a path of this machine is not told
        "hint": cause.hint,
    }
    wait: Headers = [(b"retry-after", b"1")] if cause.retryable else []
    return _problem(BY_KIND.get(cause.kind, 500), cause.kind, cause.message, cause.retryable, more, wait)


def _problem(status: int, kind: str, message: str, retryable: bool, more: dict[str, str], headers: Headers) -> Answer:
    from commonplace.guard.secrets import redact

    plain: dict[str, object] = {
        "type": f"urn:commonplace:error:{kind}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": redact(message)[0],
        "kind": kind,
        "retryable": retryable,
    }
    plain |= {name: redact(text)[0] for name, text in more.items() if text}
    return Answer(status, _encoder.encode(plain), PROBLEM, headers)
