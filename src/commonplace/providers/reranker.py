"""A cross-encoder on this machine: it reads a question and a passage together, which is dearer and better than two vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.providers.onnx import OnnxModel

if TYPE_CHECKING:
    from commonplace.providers.weights import Weights

# What is behind the first paragraph rarely changes the order, and the price grows with every piece.
MAX_TOKENS = 256


class CrossEncoder:
    """`seam.embedder.Reranker` over one of the known models."""

    def __init__(self, weights: Weights, threads: int | None = None, max_tokens: int = MAX_TOKENS) -> None:
        self._onnx = OnnxModel(weights, threads)
        self._max_tokens = min(max_tokens, weights.max_tokens)

    def __repr__(self) -> str:
        return f"<reranker {self.model}>"

    @property
    def model(self) -> str:
        return self._onnx.weights.mark

    @property
    def least(self) -> float:
        return self._onnx.weights.least

    @property
    def knows_absence(self) -> bool:
        return self._onnx.weights.knows_absence

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        if not passages:
            return []
        tokenizer, _ = self._onnx.load()
        pairs = [tokenizer.pair(query, passage, self._max_tokens) for passage in passages]
        return [float(answer[0, 0]) for answer in self._onnx.run_all(pairs)]
