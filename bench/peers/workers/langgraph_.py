"""langgraph's SQLite store with a vector index: `SqliteStore.put`, `batch`, `search`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore
from serve import Embedder, Found, Item, Peer, serve

PLACE = ("bench",)


class Known(Embeddings):
    def __init__(self, embedder: Embedder) -> None:
        self.embedder, self.asking = embedder, False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        # A search embeds its question as a document, too; it is handed the question's vector, as every other peer is.
        made = self.embedder.query if self.asking else self.embedder.document
        return [made(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embedder.query(text)


class Langgraph(Peer):
    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        # `fields` is the documented name, `text_fields` the one that is read: without it whole values are embedded.
        self.known = Known(embedder)
        index: Any = {"dims": 384, "embed": self.known, "fields": ["text"], "text_fields": ["text"]}
        self.held = SqliteStore.from_conn_string(str(folder / "store.sqlite"), index=index)
        self.store = self.held.__enter__()
        self.store.setup()

    def prepare(self, items: Sequence[Item]) -> list[PutOp]:
        return [PutOp(PLACE, id, {"text": text}) for id, text, _ in items]

    def add(self, prepared: list[PutOp]) -> None:
        self.store.batch(prepared)

    def put(self, item: Item) -> None:
        id, text, _ = item
        self.store.put(PLACE, id, {"text": text})

    def search(self, text: str, k: int) -> Found:
        self.known.asking = True
        found = self.store.search(PLACE, query=text, limit=k)
        self.known.asking = False
        return [(each.key, each.score) for each in found]

    def close(self) -> None:
        self.held.__exit__(None, None, None)


if __name__ == "__main__":
    serve(Langgraph)
