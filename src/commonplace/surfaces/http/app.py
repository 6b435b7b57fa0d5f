"""One request, from the first byte to the last: may it come in, who is it, what may they, what do they ask, what is said.

A raw ASGI application: there is one sort of route, so a framework would cost more than it gives (docs/adr/0025). Nothing has an
effect before the token is known; every wrong token, and none, is answered with the same bytes on every path there is or is not.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from commonplace.errors import CommonplaceError, DeniedError, InvalidError, UnavailableError
from commonplace.surfaces.http import checks, mcp_door, requests, rights, streams
from commonplace.surfaces.http.answers import JSON, LINES, Answer, RefusedError, problem, said
from commonplace.surfaces.http.books import DEFAULT
from commonplace.surfaces.http.performing import performed
from commonplace.surfaces.http.routes import BY_PATH, OTHERS, Route
from commonplace.surfaces.http.tokens import Right, Token
from commonplace.surfaces.web.serve import page_at

if TYPE_CHECKING:
    from commonplace.engine.book import Book
    from commonplace.surfaces.http.books import Books, Threads
    from commonplace.surfaces.http.metrics import Metrics
    from commonplace.surfaces.http.tokens import Keyring

Scope = MutableMapping[str, Any]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Log = Callable[..., None]


class Asked:
    """What is known of a request so far: for the log, which learns nothing else."""

    def __init__(self) -> None:
        self.operation, self.client, self.book = "-", "-", "-"
        self.began = time.perf_counter()


class App:
    """Everything the daemon answers."""

    def __init__(self, keyring: Keyring, books: Books, threads: Threads, metrics: Metrics, log: Log) -> None:
        self._keyring, self._books, self._threads, self._metrics, self._log = keyring, books, threads, metrics, log
        self._meter = checks.Meter()

    async def __call__(self, scope: Scope, receive: requests.Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        asked = Asked()
        fault = ""
        try:
            answer = await self._answer(scope, receive, asked)
        except (CommonplaceError, RefusedError) as cause:
            answer = problem(cause)
        except Exception as cause:  # noqa: BLE001 - whatever it is, it is told without a word of what was inside
            answer, fault = problem(cause), type(cause).__name__
        await answer.send(send, bare=scope["method"] == "HEAD")
        self._note(asked, answer.status, fault)

    def _note(self, asked: Asked, status: int, fault: str) -> None:
        seconds = time.perf_counter() - asked.began
        self._metrics.count(asked.operation, status, seconds)
        more = {"fault": fault} if fault else {}
        self._log(
            "request", operation=asked.operation, status=status, ms=round(seconds * 1000, 2), client=asked.client,
            book=asked.book, **more,
        )  # fmt: skip

    async def _answer(self, scope: Scope, receive: requests.Receive, asked: Asked) -> Answer:
        head = checks.Head(scope["headers"])
        checks.check_head(scope, head)
        path, method = scope["path"], scope["method"]
        if path == "/health" and method in ("GET", "HEAD"):
            asked.operation = "health"
            return Answer(200, b'{"status":"ok"}')
        if (page := page_at(path, method)) is not None:  # files of ours, without a datum in them
            asked.operation = "web"
            unchanged = head.one(b"if-none-match") == page.etag
            return Answer(304 if unchanged else 200, b"" if unchanged else page.body, page.type, page.headers)
        token = self._holder(head)
        asked.client = token.name
        self._meter.count(token.name)
        if path == mcp_door.PATH:
            return await self._by_mcp(scope, head, receive, token, asked)
        if path in OTHERS:
            return self._other(path, method, token, asked)
        route = BY_PATH.get(path)
        if route is None:
            raise RefusedError(
                404, "there is no such path", kind="not_found", hint="See /v1/openapi.json.", closes=True
            )
        asked.operation = route.operation.name
        return await self._asked_for(route, scope, head, receive, token, asked)

    def _holder(self, head: checks.Head) -> Token:
        """Whoever presents a token that is known. Only in this header: a cookie or a query would be sent by a browser too."""
        sort, _, presented = (head.one(b"authorization") or b"").partition(b" ")
        token = self._keyring.holder(presented.strip() if sort.lower() == b"bearer" else b"")
        if token is None:
            raise RefusedError(
                401, "a valid token is needed", kind="denied", hint="Send Authorization: Bearer TOKEN.",
                headers=[(b"www-authenticate", b"Bearer")], closes=True,
            )  # fmt: skip
        return token

    def _other(self, path: str, method: str, token: Token, asked: Asked) -> Answer:
        asked.operation = path.rpartition("/")[2]
        check_method(method, ("GET", "HEAD"))
        rights.check_right(token, OTHERS[path] or Right.READ)
        if path == "/metrics":
            return Answer(200, self._metrics.text(self._threads.waiting), b"text/plain; version=0.0.4")
        from commonplace.surfaces.http.openapi import document

        return said(document())

    async def _asked_for(
        self, route: Route, scope: Scope, head: checks.Head, receive: requests.Receive, token: Token, asked: Asked
    ) -> Answer:
        method, operation = scope["method"], route.operation
        check_method(method, route.methods)
        rights.check_right(token, route.right)
        query, name = self._which_book(scope, token, asked)
        actor, surface = _speaker(token, head)
        rights.check_operation(token, operation)
        if route.is_download or route.is_upload:
            return await self._in_files(route, query, head, receive, asked.book, actor)
        confirmed = requests.one_of(query, "confirm") == "yes"
        key = _idempotency_key(route, head)
        body = await self._body(head, receive, route.most_bytes) if method == "POST" else None
        if body is not None and query:
            raise InvalidError("fields go into the body of a POST", where=next(iter(query)))

        def work() -> Answer:
            plain = requests.fields_in_query(operation, query) if body is None else requests.fields_in_body(body)
            with self._opened(name, actor, surface) as book:
                return said(performed(operation, token, book, plain | key, confirmed=confirmed, surface=surface))

        return await self._threads.run(work, is_long=route.is_long)

    def _which_book(self, scope: Scope, token: Token, asked: Asked) -> tuple[dict[str, list[str]], str]:
        """The query, and the book that it names."""
        query = requests.query_of(scope["query_string"])
        name = requests.one_of(query, "book") or DEFAULT
        rights.check_book(token, name, known=name in self._books.urls)
        asked.book = name  # only now: what is not a book's name could be anything, and the log is no place for that
        return query, name

    async def _body(self, head: checks.Head, receive: requests.Receive, most: int) -> bytes:
        checks.check_sort(head, (JSON,))
        requests.check_length(head, most)
        return await requests.body_of(receive, most)

    async def _by_mcp(
        self, scope: Scope, head: checks.Head, receive: requests.Receive, token: Token, asked: Asked
    ) -> Answer:
        asked.operation = "mcp"
        _, name = self._which_book(scope, token, asked)
        (actor, _), method = _speaker(token, head), scope["method"]
        body = await self._body(head, receive, mcp_door.MOST_BYTES) if method == "POST" else b""

        def work() -> Answer:
            with self._opened(name, actor, "mcp") as book:
                return mcp_door.answered(method, scope["headers"], body, token, book, actor)

        return await self._threads.run(work)

    @contextmanager
    def _opened(self, name: str, actor: str, surface: str) -> Iterator[Book]:
        """The book as this actor speaks to it. One whose file is gone is opened anew the next time."""
        try:
            yield self._books.spoken_to(name, actor, surface)
        except UnavailableError as cause:
            if cause.code == "missing":
                self._books.let_go(name)
            raise

    async def _in_files(
        self,
        route: Route,
        query: dict[str, list[str]],
        head: checks.Head,
        receive: requests.Receive,
        book: str,
        actor: str,
    ) -> Answer:
        trust = requests.one_of(query, "trust") if route.is_upload else None
        if query:
            raise InvalidError(f"{route.operation.name} takes nothing else in the query")
        spoken_to = await self._threads.run(lambda: self._books.spoken_to(book, actor))
        if route.is_download:
            return await streams.download(route.operation.name, spoken_to, self._threads)
        checks.check_sort(head, (LINES, b"application/jsonl"))
        requests.check_length(head, streams.MAX_IMPORT_BYTES)
        return await streams.upload(receive, spoken_to, trust, self._threads)


def check_method(method: str, allowed: tuple[str, ...]) -> None:
    if method not in allowed:
        raise RefusedError(
            405,
            f"this path takes {' or '.join(allowed)}",
            headers=[(b"allow", ", ".join(allowed).encode())],
            closes=True,
        )


def _speaker(token: Token, head: checks.Head) -> tuple[str, str]:
    """Who speaks, and by which way: the token says so. Only the user's own programs may say for whom they speak."""
    named = head.one(b"commonplace-actor"), head.one(b"commonplace-surface")
    if named == (None, None):
        return token.actor, "http"
    if not token.speaks_for_others:
        raise DeniedError("the actor comes from the token", hint="Leave Commonplace-Actor and Commonplace-Surface out.")
    try:
        actor, surface = ((value or b"").decode() for value in named)
    except UnicodeDecodeError:
        raise InvalidError("actor: must be UTF-8", where="actor") from None
    if surface not in _SURFACES:
        raise InvalidError(f"surface: must be one of: {', '.join(_SURFACES[1:])}", where="surface")
    return actor or token.actor, surface or "http"


_SURFACES = ("", "cli", "hooks", "mcp", "library", "http")


def _idempotency_key(route: Route, head: checks.Head) -> dict[str, str]:
    given = head.one(b"idempotency-key")
    if given is None:
        return {}
    if "idempotency_key" not in requests.field_names(route.operation):
        raise InvalidError(f"{route.operation.name} takes no idempotency key", hint="Leave Idempotency-Key out.")
    if not given or not given.isascii() or len(given) > 200:
        raise InvalidError("Idempotency-Key: up to 200 ASCII characters please")
    return {"idempotency_key": given.decode()}
