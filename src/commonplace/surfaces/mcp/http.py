"""MCP over streamable HTTP as one pure function: a request's method, headers and body become status, headers and body.

Every POST is answered whole, as JSON; there is no stream to open, so GET is refused, as all versions allow. A handshake is
answered with a session's id because the older versions have one, but nothing is kept under it: there is nothing to leak, to fill
up, to end by DELETE, or to lose when the daemon starts again. Host, Origin and tokens are for whoever mounts this, before that.
"""

from __future__ import annotations

import re
import secrets
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from commonplace.surfaces.mcp import protocol
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ProtocolError,
    Reply,
    encoded,
    failed,
    id_in,
    parsed,
)
from commonplace.surfaces.mcp.versions import HANDSHAKES, STATELESS, UNSUPPORTED_VERSION, VERSION_KEY, unsupported

Response = tuple[int, dict[str, str], bytes]

HEADER_MISMATCH = -32020
_SESSION = re.compile(r"[!-~]{1,128}", re.ASCII)
# The newest version tells a wrong request by its status too; the older ones only if it was no request at all.
_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_VERSION: 400, HEADER_MISMATCH: 400}
_STATUS_STATELESS = {**_STATUS, INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404}
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_JSON = {"content-type": "application/json"}


def answer(
    method: str, headers: Mapping[str, str], body: bytes, desk: Desk, speak: protocol.Speak = protocol.answer
) -> Response:
    """The response. Names of headers are in small letters. Never raises."""
    if method != "POST":
        return 405, {"allow": "POST"}, b""
    if (refused := _refused(headers)) is not None:
        return refused, {}, b""
    message, version = None, STATELESS
    try:
        message = parsed(body)
        version = _version(headers, message)
        reply = speak(message, desk, version)
    except ProtocolError as cause:
        reply = failed(id_in(message), cause)
    if reply is None:
        return 202, {}, b""
    return _status(reply, version), {**_JSON, **_session(message, reply)}, encoded(reply)


def _refused(headers: Mapping[str, str]) -> int | None:
    """What this cannot read or the other side would not take: by the status alone."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return 415
    accepted = headers.get("accept", "*/*").lower()
    if not any(sort in accepted for sort in ("application/json", "application/*", "*/*")):
        return 406
    return None if _SESSION.fullmatch(headers.get("mcp-session-id", "-")) else 400


def _version(headers: Mapping[str, str], message: Any) -> str:
    """By the header; without one it is the oldest. What the message says of itself must not differ."""
    named = headers.get("mcp-protocol-version", HANDSHAKES[0]).strip(" \t")
    if named not in (*HANDSHAKES, STATELESS):
        raise unsupported(named)
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    own = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if own is not None and own != named:
        raise ProtocolError(HEADER_MISMATCH, "MCP-Protocol-Version: the message says another version")
    if named == STATELESS and isinstance(message, dict) and "id" in message:
        _check_routing(headers, message)
    return named


def _check_routing(headers: Mapping[str, str], message: dict[str, Any]) -> None:
    """The newest version repeats in headers what is called, for whoever stands between; they must say the same."""
    method, params = message.get("method"), message.get("params")
    if headers.get("mcp-method", "").strip(" \t") != method:
        raise ProtocolError(HEADER_MISMATCH, "Mcp-Method: must be the method of the message")
    field = _NAMED_BY.get(str(method))
    name = params.get(field) if field and isinstance(params, dict) else None
    if isinstance(name, str) and _plain(headers.get("mcp-name", "").strip(" \t")) != name:
        raise ProtocolError(HEADER_MISMATCH, f"Mcp-Name: must be the {field} of the message")


def _plain(value: str) -> str | None:
    """A header as it was meant: what does not fit into one comes as base64 in a frame."""
    framed = re.fullmatch(r"=\?base64\?(.*)\?=", value)
    if framed is None:
        return value
    try:
        return b64decode(framed[1], validate=True).decode()
    except ValueError:
        return None


def _status(reply: Reply | list[Reply], version: str) -> int:
    code: int = reply.get("error", {}).get("code", 0) if isinstance(reply, dict) else 0
    return (_STATUS_STATELESS if version == STATELESS else _STATUS).get(code, 200)


def _session(message: Any, reply: Reply | list[Reply]) -> dict[str, str]:
    shakes = isinstance(message, dict) and message.get("method") == "initialize"
    return {"mcp-session-id": secrets.token_hex(16)} if shakes and isinstance(reply, dict) and "result" in reply else {}
