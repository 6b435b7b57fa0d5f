"""The daemon's application without a socket: requests go in as ASGI messages, answers come out as bytes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.surfaces.http.app import App
from commonplace.surfaces.http.books import Books, Threads
from commonplace.surfaces.http.metrics import Metrics
from commonplace.surfaces.http.tokens import Keyring, Token, made

HOST = b"127.0.0.1:7821"


class Said:
    """One answer."""

    def __init__(self, status: int, headers: dict[bytes, bytes], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def kind(self) -> str:
        assert self.headers[b"content-type"] == b"application/problem+json", self.body
        return str(self.json["kind"])


class Http:
    """One application on one book, and a client for each token that is made."""

    def __init__(self, folder: Path, **books: str) -> None:
        self.log: list[dict[str, Any]] = []
        self.tokens: list[Token] = []
        self.books = Books(books or {"default": f"sqlite:{folder / 'book.sqlite'}"})
        self.threads = Threads()
        self._keyring = Keyring(str(folder / "tokens.json"))
        self.app = App(self._keyring, self.books, self.threads, Metrics(), self._note)
        self.secret = self.token("alice", "operator", actor="alice", books=("*",))

    def _note(self, event: str, **fields: Any) -> None:
        self.log.append({"event": event, **fields})

    def token(self, name: str, scope: str, **options: Any) -> str:
        token, secret = made(name, scope, **options)
        self.tokens.append(token)
        self._keyring._own = tuple(self.tokens)
        self._keyring._seen = None
        return secret

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "",
        query: str = "",
        sort: str | None = "application/json",
        headers: tuple[tuple[bytes, bytes], ...] = (),
        host: bytes | None = HOST,
        pieces: list[bytes] | None = None,
        server: tuple[str, int | None] = ("127.0.0.1", 7821),
    ) -> Said:
        sent = [*headers]
        if host is not None:
            sent.append((b"host", host))
        if token is not None:
            sent.append((b"authorization", b"Bearer " + (token or self.secret).encode()))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
        if (body is not None or pieces is not None) and sort is not None:
            sent.append((b"content-type", sort.encode()))
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": sent,
                 "server": server}  # fmt: skip
        return asyncio.run(self._exchange(scope, pieces if pieces is not None else [raw]))

    def post(self, operation: str, body: Any = None, **options: Any) -> Said:
        return self("POST", f"/v1/{operation}", {} if body is None else body, **options)

    def get(self, operation: str, query: str = "", **options: Any) -> Said:
        return self("GET", f"/v1/{operation}", query=query, **options)

    async def _exchange(self, scope: dict[str, Any], pieces: list[bytes]) -> Said:
        waiting = [*pieces]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not waiting:
                return {"type": "http.disconnect"}
            piece = waiting.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return Said(sent[0]["status"], dict(sent[0]["headers"]), body)

    def close(self) -> None:
        self.threads.close()
        self.books.close()


@pytest.fixture
def make_http(tmp_path: Path) -> Iterator[Callable[..., Http]]:
    opened: list[Http] = []

    def maker(**books: str) -> Http:
        opened.append(Http(tmp_path, **books))
        return opened[-1]

    yield maker
    for http in opened:
        http.close()


@pytest.fixture
def http(make_http: Callable[..., Http]) -> Http:
    return make_http()
