"""An MCP client without a wire: it says a method and gets the answer, in every version of the protocol."""

from __future__ import annotations

import json
from typing import Any

from commonplace.surfaces.mcp import protocol
from commonplace.surfaces.mcp.desk import Desk
from commonplace.surfaces.mcp.envelope import encoded, parsed
from commonplace.surfaces.mcp.versions import STATELESS

META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


class Client:
    """Speaks one version to a desk. What it sends and hears has been JSON bytes."""

    def __init__(self, desk: Desk, version: str) -> None:
        self.desk, self.version = desk, version

    def send(self, message: Any) -> Any:
        reply = protocol.answer(parsed(json.dumps(message).encode()), self.desk, self.version)
        return None if reply is None else json.loads(encoded(reply))

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        meta = {"_meta": META} if self.version == STATELESS else {}
        reply: dict[str, Any] = self.send({"jsonrpc": "2.0", "id": 7, "method": method, "params": {**params, **meta}})
        assert reply["jsonrpc"] == "2.0"
        assert reply["id"] == 7
        return reply

    def result(self, method: str, **params: Any) -> dict[str, Any]:
        reply = self.call(method, **params)
        assert "result" in reply, reply
        found: dict[str, Any] = reply["result"]
        return found

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """What a tool that went well answered, in its structured form."""
        result = self.result("tools/call", name=name, arguments=arguments)
        assert not result["isError"], result
        found: dict[str, Any] = result["structuredContent"]
        return found

    def refused(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The error that a tool answered."""
        result = self.result("tools/call", name=name, arguments=arguments)
        assert result["isError"] is True
        assert "structuredContent" not in result  # it would not fit the output schema
        found: dict[str, Any] = json.loads(result["content"][0]["text"])["error"]
        return found
