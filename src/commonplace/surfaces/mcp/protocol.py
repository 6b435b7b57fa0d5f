"""What is answered to each method of MCP. One function from message to answer, without a state of its own: what was agreed in a
handshake is all that a conversation has to remember, and the newest version does without even that."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
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
Speak = Callable[[Any, Desk, str], Reply | list[Reply] | None]


class Protocol:
    """MCP around what a server offers: its own answers to the methods about tools, resources and prompts."""

    def __init__(self, offered: Mapping[str, Method]) -> None:
        self._with_handshake: Mapping[str, Method] = {"initialize": _initialize, "ping": _ping, **offered}
        self._stateless: Mapping[str, Method] = {"server/discover": _discover, **offered}

    def answer(self, message: Any, desk: Desk, agreed: str) -> Reply | list[Reply] | None:
        """The answer to what was sent, by the version that was agreed. None when there is nothing to answer. Never raises."""
        if isinstance(message, list):
            return self._answer_all(message, desk, agreed)
        try:
            call = call_of(message)
            if call is None:
                return None
            version = version_of(call, agreed)
            if call.is_notification:  # nothing here waits to be told of anything
                return None
            return answered(call.id, self._result(call, desk, version))
        except ProtocolError as cause:
            return failed(id_in(message), cause) if _wants_answer(message) else None

    def _answer_all(self, batch: list[Any], desk: Desk, agreed: str) -> Reply | list[Reply] | None:
        if agreed != WITH_BATCHES:
            return failed(None, ProtocolError(INVALID_REQUEST, "this version of the protocol has no batches"))
        if not batch or len(batch) > MOST_IN_BATCH:
            return failed(None, ProtocolError(INVALID_REQUEST, f"a batch has one to {MOST_IN_BATCH} messages"))
        replies = [self._within(message, desk, agreed) for message in batch]
        return [reply for reply in replies if reply is not None] or None

    def _within(self, message: Any, desk: Desk, agreed: str) -> Reply | None:
        """One message of a batch: neither another batch nor a handshake may stand in one."""
        if isinstance(message, dict) and message.get("method") == "initialize":
            return failed(id_in(message), ProtocolError(INVALID_REQUEST, "a handshake comes alone"))
        reply = self.answer(message if not isinstance(message, list) else None, desk, agreed)
        assert not isinstance(reply, list)
        return reply

    def _result(self, call: Call, desk: Desk, version: str) -> dict[str, Any]:
        method = (self._stateless if version == STATELESS else self._with_handshake).get(call.method)
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


def _wants_answer(message: Any) -> bool:
    """A well-formed notification is never answered, not even to say that it was wrong."""
    return not (isinstance(message, dict) and isinstance(message.get("method"), str) and "id" not in message)


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


def _ping(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:  # noqa: ARG001
    return {}


def _discover(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:  # noqa: ARG001
    return {"supportedVersions": [*VERSIONS], "capabilities": _CAPABILITIES, "instructions": INSTRUCTIONS}


def _whole(list_all: Callable[[Desk], dict[str, Any]]) -> Method:
    """A list that is one page: there is no cursor that could lead anywhere."""

    def method(params: dict[str, Any], desk: Desk, version: str) -> dict[str, Any]:  # noqa: ARG001
        if params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "cursor: there is only one page")
        return list_all(desk)

    return method


OFFERED: dict[str, Method] = {
    "tools/list": _whole(lambda desk: {"tools": described()}),  # noqa: ARG005
    "tools/call": lambda params, desk, version: tools.call(params, desk),  # noqa: ARG005
    "resources/list": _whole(resources.listed),
    "resources/templates/list": _whole(lambda desk: resources.templates()),  # noqa: ARG005
    "resources/read": resources.read,
    "prompts/list": _whole(lambda desk: prompts.listed()),  # noqa: ARG005
    "prompts/get": lambda params, desk, version: prompts.get(params, desk),  # noqa: ARG005
}
answer = Protocol(OFFERED).answer
