"""mem0: `Memory.add(infer=False)` and `Memory.search`, local Qdrant (its default store), no LLM, telemetry off.

Its batch is `vector_store.insert`, one layer below: `Memory.add` has no batch, and takes as long for many as for each.
Without the extras that need a model hub (spaCy, fastembed) its keyword stream is off, as it says itself.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from serve import Embedder, Found, Item, Peer, serve

SCOPE = {"user_id": "bench"}


class Mem0(Peer):
    batch = 500

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "home"), "OPENAI_API_KEY": "none"}
        from mem0 import Memory

        store = {"path": str(folder / "qdrant"), "embedding_model_dims": 384, "on_disk": True}
        self.memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self.memory.embedding_model = _known(embedder)

    def prepare(self, items: Sequence[Item]) -> dict[str, list[Any]]:
        return {
            "vectors": [self.embedder.document(text) for _, text, _ in items],
            "payloads": [
                {**SCOPE, "data": text, "hash": "", "text_lemmatized": text, "name": id} for id, text, _ in items
            ],
            "ids": [str(uuid.uuid4()) for _ in items],
        }

    def add(self, prepared: dict[str, list[Any]]) -> None:
        self.memory.vector_store.insert(**prepared)

    def put(self, item: Item) -> None:
        id, text, _ = item
        self.memory.add(text, infer=False, metadata={"name": id}, **SCOPE)

    def search(self, text: str, k: int) -> Found:
        found = self.memory.search(text, top_k=k, filters=dict(SCOPE))["results"]
        return [(each["metadata"]["name"], each["score"]) for each in found]

    def close(self) -> None:
        self.memory.vector_store.client.close()


def _known(embedder: Embedder) -> Any:
    from mem0.embeddings.base import EmbeddingBase

    class Known(EmbeddingBase):
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return embedder.query(text) if memory_action == "search" else embedder.document(text)

    return Known()


if __name__ == "__main__":
    serve(Mem0)
