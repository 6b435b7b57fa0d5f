"""chromadb: a persistent client, one collection, cosine; `add` and `query` with the vectors handed over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
from serve import Embedder, Found, Item, Peer, serve


class Chroma(Peer):
    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        self.client = chromadb.PersistentClient(str(folder), settings=settings)
        self.held = self.client.get_or_create_collection("bench", metadata={"hnsw:space": "cosine"})

    def prepare(self, items: Sequence[Item]) -> dict[str, list[Any]]:
        return {
            "ids": [id for id, _, _ in items],
            "documents": [text for _, text, _ in items],
            "embeddings": [self.embedder.document(text) for _, text, _ in items],
        }

    def add(self, prepared: dict[str, list[Any]]) -> None:
        self.held.add(**prepared)

    def put(self, item: Item) -> None:
        self.add(self.prepare([item]))

    def search(self, text: str, k: int) -> Found:
        found = self.held.query(
            query_embeddings=[self.embedder.query(text)], n_results=k, include=["documents", "distances"]
        )
        return [(id, 1 - far) for id, far in zip(found["ids"][0], found["distances"][0], strict=True)]


if __name__ == "__main__":
    serve(Chroma)
