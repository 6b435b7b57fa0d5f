"""What is answered to each method of MCP. One function from bytes to bytes, without a state of its own: what was agreed in a
handshake is all that a conversation has to remember, and the newest version does without even that."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from commonplace.errors import CommonplaceError, InvalidError, NotFoundError
from commonplace.surfaces.mcp import prompts, resources, tools
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MOST_IN_BATCH,
    REFUSED,
    UNEXPECTED,
    Call,
    ProtocolError,
    Reply,
    answered,
    call_of,
    failed,
    id_in,
)
from commonplace.surfaces.mcp.schemas import described
from commonplace.surfaces.mcp.versions import STATELESS, VERSIONS, WITH_BATCHES, dressed, offered, version_of
from commonplace.surfaces.mcp.wording import INSTRUCTIONS

_CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}

Method = Callable[[dict[str, Any], Desk, str], dict[str, Any]]


def answer(message: Any, desk: Desk, agreed: str) -> Reply | list[Reply] | None:
    """The answer to what was sent, by the version that was agreed. None when there is nothing to answer. Never raises."""
    if isinstance(message, list):
        return _answer_all(message, desk, agreed)
    try:
        call = call_of(message)
        if call is None:
            return None
        version = version_of(call, agreed)
        if call.is_notification:  # nothing here waits to be told of anything
            return None
        return answered(call.id, _result(call, desk, version))
    except ProtocolError as cause:
        return failed(id_in(message), cause) if _wants_answer(message) else None


def _answer_all(batch: list[Any], desk: Desk, agreed: str) -> Reply | list[Reply] | None:
    if agreed != WITH_BATCHES:
        return failed(None, ProtocolError(INVALID_REQUEST, "this version of the protocol has no batches"))
    if not batch or len(batch) > MOST_IN_BATCH:
        return failed(None, ProtocolError(INVALID_REQUEST, f"a batch has one to {MOST_IN_BATCH} messages"))
    replies = [_within(message, desk, agreed) for message in batch]
    return [reply for reply in replies if reply is not None] or None


def _within(message: Any, desk: Desk, agreed: str) -> Reply | None:
    """One message of a batch: neither another batch nor a handshake may stand in one."""
    if isinstance(message, dict) and message.get("method") == "initialize":
        return failed(id_in(message), ProtocolError(INVALID_REQUEST, "a handshake comes alone"))
    reply = answer(message if not isinstance(message, list) else None, desk, agreed)
    assert not isinstance(reply, list)
    return reply


def _wants_answer(message: Any) -> bool:
    """A well-formed notification is never answered, not even to say that it was wrong."""
    return not (isinstance(message, dict) and isinstance(message.get("method"), str) and "id" not in message)


def _result(call: Call, desk: Desk, version: str) -> dict[str, Any]:
    method = (_STATELESS if version == STATELESS else _WITH_HANDSHAKE).get(call.method)
    if method is None:
        raise ProtocolError(METHOD_NOT_FOUND, "there is no such method")
    try:
        return dressed(call.method, method(call.params, desk, version), version, _server())
    except CommonplaceError as cause:
        code = INVALID_PARAMS if isinstance(cause, (InvalidError, NotFoundError)) else REFUSED
        told = tools.told_of(cause)
        raise ProtocolError(code, told["message"], told) from None
    except ProtocolError:
        raise
    except Exception as cause:  # noqa: BLE001 - a fault of ours: its name goes to the log, nothing of it to the other side
        sys.stderr.write(f"commonplace mcp: {type(cause).__name__} in {call.method}\n")
        raise ProtocolError(UNEXPECTED, "something unexpected happened") from None


def _server() -> dict[str, str]:
    from commonplace import __version__

    return {"name": "commonplace", "title": "Commonplace", "version": __version__}


def _initialize(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:  # noqa: ARG001
    if not isinstance(params.get("protocolVersion"), str):
        raise ProtocolError(INVALID_PARAMS, "protocolVersion: must be a text")
    return {
        "protocolVersion": offered(params["protocolVersion"]),
        "capabilities": _CAPABILITIES,
        "serverInfo": _server(),
        "instructions": INSTRUCTIONS,
    }


def _discover(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:  # noqa: ARG001
    return {"supportedVersions": [*VERSIONS], "capabilities": _CAPABILITIES, "instructions": INSTRUCTIONS}


def _whole(list_all: Callable[[Desk], dict[str, Any]]) -> Method:
    """A list that is one page: there is no cursor that could lead anywhere."""

    def method(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:  # noqa: ARG001
        if params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "cursor: there is only one page")
        return list_all(desk)

    return method


_COMMON: dict[str, Method] = {
    "tools/list": _whole(lambda desk: {"tools": described()}),  # noqa: ARG005
    "tools/call": lambda params, desk, version: tools.call(params, desk),  # noqa: ARG005
    "resources/list": _whole(resources.listed),
    "resources/templates/list": _whole(lambda desk: resources.templates()),  # noqa: ARG005
    "resources/read": resources.read,
    "prompts/list": _whole(lambda desk: prompts.listed()),  # noqa: ARG005
    "prompts/get": lambda params, desk, version: prompts.get(params, desk),  # noqa: ARG005
}
_WITH_HANDSHAKE: dict[str, Method] = {
    "initialize": _initialize,
    "ping": lambda params, desk, version: {},  # noqa: ARG005
    **_COMMON,
}
_STATELESS: dict[str, Method] = {"server/discover": _discover, **_COMMON}
