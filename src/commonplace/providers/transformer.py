"""An embedder that is a transformer on this machine: e5 by default, bge by choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.providers.local import LocalEmbedder
from commonplace.providers.onnx import OnnxModel, Pieces

if TYPE_CHECKING:
    from commonplace.providers.onnx import Numbers
    from commonplace.providers.weights import Weights
    from commonplace.seam.embedder import Vector, Vectors


class TransformerEmbedder(LocalEmbedder):
    """`seam.embedder.Embedder` over one of the known models."""

    def __init__(self, weights: Weights, threads: int | None = None) -> None:
        super().__init__(weights)
        self._onnx = OnnxModel(weights, threads)

    def documents(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        pieces = [self._pieces(self._weights.document_prefix + text) for text in texts]
        rows = [self._vector(states) for states in self._onnx.run_all(pieces)]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)

    def query(self, text: str) -> Vector:
        return self._vector(self._asked(text))

    def _asked(self, text: str) -> Numbers:
        return self._onnx.run(self._pieces(self._weights.query_prefix + text))

    def query_by_words(self, text: str) -> tuple[Vector, list[str], Vectors]:
        import numpy as np

        tokenizer, _ = self._onnx.load()
        states, room = self._asked(text), self.max_tokens - 2
        before = len(tokenizer.pieces(self._weights.query_prefix, room))
        words = tokenizer.words(text, room - before)
        first = before + 1  # behind the mark of the beginning
        rows = [states[0, first + start : first + end].mean(axis=0) for _, start, end in words]
        found = np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)
        return (
            self._vector(states),
            [word for word, _, _ in words],
            found / np.linalg.norm(found, axis=1, keepdims=True),
        )

    def _pieces(self, text: str) -> Pieces:
        tokenizer, _ = self._onnx.load()
        ids = tokenizer.text(text, self.max_tokens)
        return ids, [0] * len(ids)

    def _vector(self, states: Numbers) -> Vector:
        """One vector of all the states: the first one's or the mean of all, as the model was trained; then of length one."""
        import numpy as np

        pooled = states[0, 0] if self._weights.pooling == "first" else states[0].mean(axis=0)
        unit: Vector = pooled / np.linalg.norm(pooled)
        return unit
