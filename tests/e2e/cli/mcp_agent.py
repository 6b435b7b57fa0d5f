"""An agent that speaks MCP over pipes to a real `commonplace mcp`, in any version of the protocol."""

from __future__ import annotations

import json
import subprocess
from types import TracebackType
from typing import Any

from e2e.cli.shell import PROGRAM, Shell

VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


class Agent:
    """A client over pipes. Each answer is read before the next request is sent."""

    def __init__(self, shell: Shell, *words: str, version: str = "2025-11-25", **environment: str) -> None:
        self._version, self._count = version, 0
        self.process = subprocess.Popen(
            [*PROGRAM, "mcp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=shell.folder, env={**shell.environment, **environment},
        )  # fmt: skip

    def __enter__(self) -> Agent:
        if self._version != "2026-07-28":
            hello = {
                "protocolVersion": self._version,
                "capabilities": {},
                "clientInfo": {"name": "e2e", "version": "1"},
            }
            assert self.ask("initialize", **hello)["result"]["protocolVersion"] == self._version
            self.tell("notifications/initialized")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, cause: BaseException | None, trace: TracebackType | None
    ) -> None:
        out, err = self.process.communicate(timeout=60)
        if kind is None:
            assert (self.process.returncode, out, err) == (0, b"", b"")

    def tell(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        if self._version == "2026-07-28":
            start = "io.modelcontextprotocol/"
            params["_meta"] = {f"{start}protocolVersion": self._version, f"{start}clientCapabilities": {}}
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        assert self.process.stdout
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert reply["id"] == self._count
        return reply

    def tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        result = self.ask("tools/call", name=name, arguments=arguments)["result"]
        assert not result["isError"], result
        found: dict[str, Any] = result["structuredContent"]
        return found

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
