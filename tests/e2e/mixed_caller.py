"""One of many processes that call the daemon by REST and by MCP in turn, on one connection; says what was kept and failed."""

from __future__ import annotations

import http.client
import json
import sys
import time
from typing import Any


class Caller:
    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.kept: list[str] = []
        self.errors: list[Any] = []
        self.waits: list[float] = []

    def _post(self, path: str, body: Any) -> Any:
        began = time.monotonic()
        self._connection.request("POST", path, json.dumps(body), self._headers)
        answer = self._connection.getresponse()
        said = json.loads(answer.read())
        self.waits.append(time.monotonic() - began)
        if answer.status != 200:
            self.errors.append((path, answer.status, said))
        return said

    def rest(self, operation: str, **fields: Any) -> Any:
        return self._post(f"/v1/{operation}", fields)

    def mcp(self, method: str, **params: Any) -> Any:
        said = self._post("/mcp", {"jsonrpc": "2.0", "id": len(self.waits), "method": method, "params": params})
        if "result" not in said or said["result"].get("isError"):
            self.errors.append((method, params, said))
        return said.get("result", {})

    def tool(self, name: str, /, **arguments: Any) -> Any:
        return self.mcp("tools/call", name=name, arguments=arguments).get("structuredContent", {})

    def one_of(self, number: int, n: int) -> None:
        """The n-th call: writes, and reads of what this very process wrote before."""
        word, last = f"w{number}x{n}", self.kept[-1] if self.kept else ""
        which = n % 8
        if which in (0, 4) or not self.kept:
            self.kept.append(self.rest("save", content=f"Caller {number} says {word}.", type="episode")["id"])
        elif which in (1, 5):
            kept = self.tool("memory_append", content=f"Caller {number} appends {word}.", kind="workflow")
            self.kept.append(kept["id"])
        elif which == 2:
            found = self.rest("search", query=f"w{number}x{n - 1}", profile="words", limit=5)
            self._check(last, [one["record"]["id"] for one in found["results"]])
        elif which == 3:
            found = self.tool("memory_search", query=f"w{number}x{n - 2}", limit=5)
            self._check(last, [one["id"] for one in found["results"]])
        elif which == 6:
            self._check(last, [self.rest("get", id=last)["id"]])
        else:
            self._check(f"w{number}x{n - 2}", self.mcp("resources/read", uri=f"memory://{last}")["contents"][0]["text"])

    def _check(self, wanted: str, found: Any) -> None:
        if wanted not in found:
            self.errors.append(("not found", wanted))


def main() -> None:
    port, calls, number = (int(word) for word in sys.argv[1:])
    caller = Caller(port, sys.stdin.read().strip())
    for n in range(calls):
        caller.one_of(number, n)
    print(json.dumps({"kept": caller.kept, "errors": caller.errors, "waits": caller.waits}))


main()
