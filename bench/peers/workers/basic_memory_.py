"""basic-memory over MCP: `write_note` and `search_notes`, words only. Many at once are Markdown files, then `reindex --search`.

Its semantic search fetches a model from a model hub and takes no vectors from outside, so it is switched off here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mcp_stdio import Server
from serve import Embedder, Found, Item, Peer, serve


class BasicMemory(Peer):
    searches_words = True
    batch = 1_000

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        self.env = {
            "HOME": str(folder),
            "BASIC_MEMORY_HOME": str(folder / "notes"),
            "BASIC_MEMORY_CONFIG_DIR": str(folder / "config"),
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        }
        self.program = str(Path(os.environ["PEER_HOME"]) / "bin" / "basic-memory")
        self.server = Server([self.program, "mcp"], self.env, folder)
        self.children = (self.server.process.pid,)

    def add(self, prepared: Sequence[Item]) -> None:
        shelf = self.folder / "notes" / "bench"
        shelf.mkdir(parents=True, exist_ok=True)
        for id, text, _ in prepared:
            (shelf / f"{id}.md").write_text(f"---\ntitle: {id}\ntype: note\n---\n\n{text}\n", encoding="utf-8")
        asked = [self.program, "reindex", "--search"]
        subprocess.run(asked, env=os.environ | self.env, stdout=subprocess.DEVNULL, check=True)

    def put(self, item: Item) -> None:
        id, text, _ = item
        self.server.call("write_note", title=id, content=text, directory="bench")

    def search(self, text: str, k: int) -> Found:
        answer = self.server.call("search_notes", query=text, page_size=k, output_format="json")
        found = answer.get("structuredContent") or {}
        found = found.get("result", found)
        return [(each["title"], each.get("score") or 0.0) for each in found.get("results", ())]

    search_words = search

    def close(self) -> None:
        self.server.close()


if __name__ == "__main__":
    serve(BasicMemory)
