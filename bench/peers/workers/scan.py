"""A floor: every vector as int8 in one file, all of them compared with the question, exactly. No words, no texts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from serve import Embedder, Found, Item, Peer, serve

WIDTH = 384
SCALE = 127.0
BLOCK = 1_000  # rows turned into float32 at a time: they stay in the processor's cache, and BLAS multiplies them


class Scan(Peer):
    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        self.ids_path, self.rows_path = folder / "ids.jsonl", folder / "rows.int8"
        self.ids: list[str] = []
        self.rows = np.zeros((0, WIDTH), np.int8)
        if self.rows_path.exists():
            self.ids = [json.loads(line) for line in self.ids_path.read_text().splitlines()]
            self.rows = np.fromfile(self.rows_path, np.int8).reshape(-1, WIDTH)

    def prepare(self, items: Sequence[Item]) -> tuple[list[str], np.ndarray]:
        return [id for id, _, _ in items], _codes([self.embedder.document(text) for _, text, _ in items])

    def add(self, prepared: tuple[list[str], np.ndarray]) -> None:
        ids, rows = prepared
        _append(self.rows_path, rows.tobytes())
        _append(self.ids_path, "".join(json.dumps(id) + "\n" for id in ids).encode())
        self.ids += ids
        self.rows = np.concatenate([self.rows, rows])

    def put(self, item: Item) -> None:
        self.add(self.prepare([item]))

    def search(self, text: str, k: int) -> Found:
        asked = np.array(self.embedder.query(text), np.float32) / SCALE
        blocks = [self.rows[at : at + BLOCK].astype(np.float32) @ asked for at in range(0, len(self.rows), BLOCK)]
        scores = np.concatenate(blocks)
        best = np.argpartition(-scores, min(k, len(scores) - 1))[:k]
        best = best[np.argsort(-scores[best], kind="stable")]
        return [(self.ids[place], float(scores[place])) for place in best]


def _codes(vectors: list[list[float]]) -> np.ndarray:
    return np.clip(np.rint(np.array(vectors, np.float32) * SCALE), -127, 127).astype(np.int8)


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


if __name__ == "__main__":
    serve(Scan)
