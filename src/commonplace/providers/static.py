"""An embedder that needs nothing but numpy: every word piece has its vector, and a text is the mean of its pieces.

Weaker than a transformer and a hundred times cheaper: the fallback where onnxruntime does not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from commonplace.providers.local import LocalEmbedder
from commonplace.providers.onnx import read_vocabulary

if TYPE_CHECKING:
    from commonplace.providers.weights import Weights
    from commonplace.providers.wordpiece import WordPiece
    from commonplace.seam.embedder import Vector, Vectors


class StaticEmbedder(LocalEmbedder):
    """`seam.embedder.Embedder` over a table of vectors."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._loading = Lock()
        self._loaded: tuple[WordPiece, Vectors] | None = None

    def documents(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        return np.array([self.query(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dimensions)

    def query(self, text: str) -> Vector:
        import numpy as np

        tokenizer, table = self._load()
        pieces = [piece for piece in tokenizer.pieces(text, self.max_tokens) if piece != tokenizer.unknown]
        # A text without a single known piece has no meaning here. It gets the vector of "unknown", near to nothing.
        mean = table[pieces or [tokenizer.unknown]].mean(axis=0)
        unit: Vector = mean / np.linalg.norm(mean)
        return unit

    def _load(self) -> tuple[WordPiece, Vectors]:
        with self._loading:
            if self._loaded is None:
                self._loaded = read_vocabulary(self._weights), self._table()
            return self._loaded

    def _table(self) -> Vectors:
        """The one tensor of the file: a header of its own length, then the numbers. Mapped, not read: a query needs few rows."""
        import numpy as np

        path = self._weights.path("model.safetensors")
        size = self._weights.dimensions * 4
        bytes_of_header = 8 + int.from_bytes(_head(path), "little")
        rows = (self._weights.files[0].size - bytes_of_header) // size
        shape = (rows, self._weights.dimensions)
        return np.asarray(np.memmap(path, dtype="<f4", mode="r", offset=bytes_of_header, shape=shape))


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(8)
