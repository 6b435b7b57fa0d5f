"""What does the daemon cost? CPU for each request, of the daemon and of the client, beside the same search in the library.

A real daemon in a process of its own, 3,000 memories, words only, one client on one kept connection. The yardsticks are taken in
the same run: a handler that does nothing under the same server (uvicorn, httptools, uvloop), and the daemon's own `/health`. All
take turns, five rounds; of each the median is shown, and the goal is asked of the median of the differences.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import commonplace
from bench.measure import median, verdict, vocabulary, write_records

MEMORIES, ASKED, ROUNDS = 3_000, 200, 5
SAME = {"search over HTTP": "search in the library", "search over MCP": "search as MCP asks it, in the library"}
"""The same question, by the wire and without. MCP says who asks, and looks at forty to tell how many there are."""

_NOTHING = """
import asyncio, sys, uvicorn
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"{}"})
config = uvicorn.Config(app, port=0, log_level="critical", lifespan="off", http="httptools", loop="uvloop")
server = uvicorn.Server(config)
async def main():
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving
import uvloop
uvloop.run(main())
"""


def run(folder: Path) -> Iterator[str]:
    url = f"sqlite:{folder / 'service.sqlite'}"
    write_records(folder / "records.jsonl", MEMORIES)
    with commonplace.open(url, actor="bench", embedder="none", reranker="none") as book:
        book.import_(str(folder / "records.jsonl"))
    with Served(folder, url) as served, Bare() as bare:
        spent = _measured(served, bare, url)
    for name, both in spent.items():
        yield f"  {name}: {median(ours for ours, _ in both):.2f} CPU-ms (the client {median(own for _, own in both):.2f})"
    more = {
        name: median(used - other for (used, _), (other, _) in zip(spent[name], spent[direct], strict=True))
        for name, direct in SAME.items()
    }
    yield verdict("CPU-ms that a search over HTTP costs more than in the library", more["search over HTTP"], 2)
    yield f"        over MCP, with everything made harmless for a model: {more['search over MCP']:.2f} more"


def _measured(served: Served, bare: Bare, url: str) -> dict[str, list[tuple[float, float]]]:
    words = vocabulary()
    queries = [" ".join(words[(7 * n + k * 13) % 400] for k in range(4)) for n in range(ASKED)]
    with commonplace.open(url, actor="bench", embedder="none", reranker="none") as book:
        ways: dict[str, tuple[int, Callable[[str], Any]]] = {
            "nothing, under the same server": (bare.process.pid, lambda query: bare.get("/")),  # noqa: ARG005
            "/health": (served.process.pid, lambda query: served.get("/health")),  # noqa: ARG005
            "search in the library": (os.getpid(), book.search),
            "search as MCP asks it, in the library": (os.getpid(), partial(book.search, agent="bench", limit=40)),
            "search over HTTP": (served.process.pid, served.search),
            "search over MCP": (served.process.pid, served.search_by_mcp),
        }
        spent: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for number in range(ROUNDS + 1):
            for name, (pid, way) in ways.items():
                found = _cpu(pid, way, queries)
                if number:  # the first round warms up
                    spent[name].append(found)
    return spent


def _cpu(pid: int, way: Callable[[str], Any], queries: list[str]) -> tuple[float, float]:
    """Milliseconds of CPU for each call: of that process, and of this one."""
    before, own = _used(pid), time.process_time()
    for query in queries:
        way(query)
    return (_used(pid) - before) * 1e3 / len(queries), (time.process_time() - own) * 1e3 / len(queries)


def _used(pid: int) -> float:
    """Seconds of CPU so far, of all its threads, in billionths where the system counts so."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            total += int(file.read().split()[0])
    return total / 1e9


class Asking:
    """A process that listens, and one kept connection to it."""

    process: subprocess.Popen[str]
    headers: dict[str, str] = {}

    def connect(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path: str) -> bytes:
        return self._asked("GET", path, None)

    def post(self, path: str, body: Any) -> bytes:
        return self._asked("POST", path, json.dumps(body))

    def _asked(self, method: str, path: str, body: str | None) -> bytes:
        try:
            self._connection.request(method, path, body, self.headers)
            answer = self._connection.getresponse()
        except http.client.RemoteDisconnected:  # it was idle for long while others had their turn
            self._connection.close()
            return self._asked(method, path, body)
        said = answer.read()
        assert answer.status == 200, said
        return said

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self.process.terminate()
        self.process.communicate(timeout=30)


class Bare(Asking):
    """The same server with a handler that does nothing."""

    def __enter__(self) -> Bare:
        self.process = subprocess.Popen([sys.executable, "-c", _NOTHING], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.connect(int(self.process.stdout.readline()))
        return self


class Served(Asking):
    """A daemon with a home of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder
        own = {name: str(folder / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        self._environment = {
            **os.environ, **own, "COMMONPLACE_BOOK": url, "COMMONPLACE_EMBEDDER": "none", "COMMONPLACE_RERANKER": "none",
        }  # fmt: skip

    def __enter__(self) -> Served:
        program = [sys.executable, "-m", "commonplace"]
        self.process = subprocess.Popen(
            [*program, "serve", "--json", "--port", "0", "--log", "troubles"], env=self._environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self.process.stdout
        self.connect(int(json.loads(self.process.stdout.readline())["url"].rpartition(":")[2]))
        adding = [*program, "token", "add", "bench", "--scope", "operator", "--json"]
        made = subprocess.run(adding, env=self._environment, capture_output=True, text=True, check=True)
        self.headers = {
            "Authorization": f"Bearer {json.loads(made.stdout)['token']}", "Content-Type": "application/json",
        }  # fmt: skip
        return self

    def search(self, query: str) -> bytes:
        return self.post("/v1/search", {"query": query})

    def search_by_mcp(self, query: str) -> bytes:
        call = {"name": "memory_search", "arguments": {"query": query, "limit": 10}}
        return self.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
