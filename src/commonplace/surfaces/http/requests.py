"""What is asked: a bounded body or a query becomes the request of an operation. What is not understood is refused, by name.

A field that the operation does not have is refused too: a misspelt filter that is passed over would find more than was asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from types import NoneType
from typing import Annotated, Any, get_args
from urllib.parse import parse_qsl

import msgspec

from commonplace.engine.scribe import Request, _lists_of, ask
from commonplace.errors import InvalidError
from commonplace.model import strict_json
from commonplace.model.base import taken_apart, understand
from commonplace.surfaces.http.answers import RefusedError
from commonplace.surfaces.http.checks import Head
from commonplace.surfaces.operations import Described

Receive = Callable[[], Awaitable[Mapping[str, Any]]]

# A body that has not come by then will not come: the largest is 32 MB from the same machine.
BODY_SECONDS = 30.0
_MOST_QUERY_BYTES = 64 * 1024
_MOST_QUERY_FIELDS = 200


async def pieces(receive: Receive, most: int, seconds: float = BODY_SECONDS) -> AsyncIterator[bytes]:
    """The body, piece by piece, as long as it is not too large and comes in time."""
    came, loop = 0, asyncio.get_running_loop()
    until = loop.time() + seconds
    while True:
        try:
            message = await asyncio.wait_for(receive(), max(until - loop.time(), 0.001))
        except TimeoutError:
            raise RefusedError(408, "the body did not come in time", kind="unavailable", closes=True) from None
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the body ended too early", closes=True)
        piece: bytes = message.get("body", b"")
        came += len(piece)
        if came > most:
            await _drain(receive, until)
            raise too_large(most)
        yield piece
        if not message.get("more_body"):
            return


async def body_of(receive: Receive, most: int) -> bytes:
    whole = bytearray()
    async for piece in pieces(receive, most):
        whole += piece
    return bytes(whole)


def check_length(head: Head, most: int) -> None:
    """Refused by what it says of itself, before a byte of it is read."""
    length = head.one(b"content-length")
    if length is not None and (not length.isdigit() or len(length) > 18 or int(length) > most):
        raise too_large(most)


def too_large(most: int) -> RefusedError:
    return RefusedError(413, f"the body is larger than {most} bytes", kind="too_large", hint="Send less.", closes=True)


async def _drain(receive: Receive, until: float) -> None:
    """Read on for a moment and throw it away: who is still sending would otherwise never read the answer."""
    loop = asyncio.get_running_loop()
    until = min(until, loop.time() + _DRAINED_SECONDS)
    while (left := until - loop.time()) > 0:
        try:
            message = await asyncio.wait_for(receive(), left)
        except TimeoutError:
            return
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return


_DRAINED_SECONDS = 1.0


def fields_in_body(body: bytes) -> dict[str, Any]:
    """One JSON object; an empty body is an empty one."""
    if not body.strip():
        return {}
    try:
        plain = strict_json.parse(body.decode())
    except ValueError as cause:  # also what is not UTF-8
        said = str(cause) if not isinstance(cause, UnicodeDecodeError) else "not UTF-8"
        raise RefusedError(400, f"the body cannot be read: {said}", hint="Send one JSON object.") from None
    if not isinstance(plain, dict):
        raise RefusedError(422, "the body must be one JSON object")
    return plain


def query_of(raw: bytes) -> dict[str, list[str]]:
    """What stands behind the question mark; each name with all its values."""
    if len(raw) > _MOST_QUERY_BYTES:
        raise RefusedError(414, "the query is too long", kind="too_large", closes=True)
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, strict_parsing=bool(raw), errors="strict",
            max_num_fields=_MOST_QUERY_FIELDS,
        )  # fmt: skip
    except ValueError:
        raise RefusedError(400, "the query cannot be read", hint="Write name=value&name=value in UTF-8.") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def one_of(query: dict[str, list[str]], name: str) -> str | None:
    """Take a value out of the query that may stand there once."""
    values = query.pop(name, None)
    if values is not None and len(values) > 1:
        raise RefusedError(422, f"{name} stands there twice")
    return values[0] if values else None


def fields_in_query(operation: Described, query: dict[str, list[str]]) -> dict[str, Any]:
    """A list may be repeated; what stands for one value may not."""
    lists = _lists_of(operation.request_class())
    for name, values in query.items():
        if name not in lists and len(values) > 1:
            raise InvalidError(f"{_shown(operation, name)}: stands there twice", where=_known(operation, name))
    plain = {name: tuple(values) if name in lists else values[0] for name, values in query.items()}
    _check_known(operation, plain)
    cls = operation.request_class()
    kept = {name: value for name, value in plain.items() if name in _not_text(cls)}
    read = understand(lambda: msgspec.convert(kept, taken_apart(_relaxed(cls)), strict=False), cls) if kept else None
    return plain | {name: getattr(read, name) for name in kept}


def request_of(operation: Described, plain: dict[str, Any]) -> Request:
    """The checked request, as every surface fills it in."""
    _check_known(operation, plain)
    return ask(operation.request_class(), **plain)


def _check_known(operation: Described, plain: Mapping[str, Any]) -> None:
    known = field_names(operation)
    for name in plain:
        if name not in known:
            hint = f"It takes: {', '.join(known)}." if known else "It takes nothing."
            raise InvalidError(f"{operation.name} has no field of this name", hint=hint, where=_known(operation, name))


@cache
def field_names(operation: Described) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(operation.request_class()))


def _known(operation: Described, name: str) -> str | None:
    return name if name in field_names(operation) or (len(name) <= 24 and name.isidentifier()) else None


def _shown(operation: Described, name: str) -> str:
    return _known(operation, name) or "a field"


@cache
def _relaxed(cls: type[Request]) -> type[msgspec.Struct]:
    """The fields that are not text, each optional: a query has only text, read by `strict=False`, and no null."""
    fields = [field for field in msgspec.structs.fields(cls) if field.name in _not_text(cls)]
    wanted = [(field.name, _sort_of(field.type), None) for field in fields]
    return msgspec.defstruct("Query", wanted, kw_only=True)


def _sort_of(described: Any) -> Any:
    """The type with its bounds, and without None."""
    plain, *bounds = get_args(described)
    sorts = [sort for sort in get_args(plain) or (plain,) if sort is not NoneType]
    return Annotated[(sorts[0], *bounds)]


@cache
def _not_text(cls: type[Request]) -> frozenset[str]:
    """Numbers, and yes or no."""
    found = set()
    for field in msgspec.structs.fields(cls):
        plain = get_args(field.type)[0]  # without its description
        if {int, float, bool} & {plain, *get_args(plain)}:
            found.add(field.name)
    return frozenset(found)
