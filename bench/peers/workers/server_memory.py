"""The MCP reference memory server (npm): each item an entity with one observation; `search_nodes` with the whole question.

It takes no vectors. What it finds comes back in the order of the file; there are no scores.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_stdio import Server
from serve import Embedder, Found, Item, Peer, serve


class ServerMemory(Peer):
    searches_words = True

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        program = Path(os.environ["PEER_HOME"]) / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
        env = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
        self.server = Server([shutil.which("node") or "node", str(program)], env, folder)
        self.children = (self.server.process.pid,)

    def prepare(self, items: Sequence[Item]) -> list[dict[str, Any]]:
        return [{"name": id, "entityType": "memory", "observations": [text]} for id, text, _ in items]

    def add(self, prepared: list[dict[str, Any]]) -> None:
        self.server.call("create_entities", entities=prepared)

    def put(self, item: Item) -> None:
        self.add(self.prepare([item]))

    def search(self, text: str, k: int) -> Found:
        found = self.server.call("search_nodes", query=text)["structuredContent"]["entities"]
        return [(each["name"], 0.0) for each in found[:k]]

    search_words = search

    def close(self) -> None:
        self.server.close()


if __name__ == "__main__":
    serve(ServerMemory)
