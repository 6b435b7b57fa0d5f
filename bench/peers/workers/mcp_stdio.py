"""The few lines of MCP that are needed to call a server's tools over its stdin and stdout."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Server:
    """An MCP server as a child process."""

    def __init__(self, command: Sequence[str], env: dict[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | env, cwd=cwd, text=True
        )
        self.asked = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self._ask("initialize", about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if answer.get("isError"):
            raise RuntimeError(f"{tool}: {answer['content'][0]['text'][:300]}")
        return answer

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        self._send({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        assert self.process.stdout
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
        raise RuntimeError(f"{method}: the server ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
