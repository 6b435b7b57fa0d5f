"""The JSON-RPC 2.0 envelope: bytes become calls, answers become bytes (row 101).

Strict and bounded. What is wrong is answered, and nothing that was sent is repeated in an answer but a well-formed id.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from commonplace.model import strict_json

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
UNEXPECTED = -32603
# Of the range that is left to a server: an error of our own family; `data` says which.
REFUSED = -32000

# The largest memory is half a megabyte; written with six characters for each byte it is three.
MOST_BYTES = 4 * 1024 * 1024
MOST_IN_BATCH = 100
_MOST_ID_CHARS = 256
_MOST_ID_NUMBER = 2**63

Reply = dict[str, Any]


class ProtocolError(Exception):
    """What is answered instead of a result."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Call(NamedTuple):
    """A request; or a notification, to which nothing is answered."""

    method: str
    params: dict[str, Any]
    id: str | int | None = None

    @property
    def is_notification(self) -> bool:
        return self.id is None


def parsed(raw: bytes) -> Any:
    """The JSON in these bytes, which means one thing only."""
    if len(raw) > MOST_BYTES:
        raise ProtocolError(INVALID_REQUEST, f"a message has at most {MOST_BYTES} bytes")
    try:
        return strict_json.parse(raw.decode())
    except ValueError as cause:  # also what is not UTF-8
        said = "not UTF-8" if isinstance(cause, UnicodeDecodeError) else str(cause)
        raise ProtocolError(PARSE_ERROR, f"the message cannot be read: {said}") from None


def call_of(message: Any) -> Call | None:
    """The call; None for an answer, which nobody here is waiting for."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, "a message is one JSON-RPC 2.0 object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str) or ("id" in message and not _is_id(message["id"])):
        raise ProtocolError(INVALID_REQUEST, "a request has a method and an id that is a short text or a whole number")
    if not isinstance(params, dict | None):
        raise ProtocolError(INVALID_PARAMS, "params: must be an object")
    return Call(method, params or {}, message.get("id"))


def id_in(message: Any) -> str | int | None:
    """The id that an answer can name, whatever else is wrong with the message."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def _is_id(given: Any) -> bool:
    if isinstance(given, str):
        return len(given) <= _MOST_ID_CHARS and not any("\ud800" <= char <= "\udfff" for char in given)
    return isinstance(given, int) and not isinstance(given, bool) and abs(given) < _MOST_ID_NUMBER


def answered(id: str | int | None, result: dict[str, Any]) -> Reply:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def failed(id: str | int | None, cause: ProtocolError) -> Reply:
    error: dict[str, Any] = {"code": cause.code, "message": cause.message}
    if cause.data is not None:
        error["data"] = cause.data
    return {"jsonrpc": "2.0", "id": id, "error": error}


def encoded(reply: Reply | list[Reply]) -> bytes:
    """One line: JSON writes a line break inside a text as two characters."""
    return msgspec.json.encode(reply)
