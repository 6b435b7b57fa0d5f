"""What all embedders on this machine have in common: they are what their weights are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.providers.weights import Weights


class LocalEmbedder:
    """The part of `seam.embedder.Embedder` that the weights answer."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def __repr__(self) -> str:
        return f"<embedder {self.model}>"

    @property
    def model(self) -> str:
        return self._weights.mark

    @property
    def dimensions(self) -> int:
        return self._weights.dimensions

    @property
    def ordinary(self) -> tuple[float, float]:
        return self._weights.ordinary

    @property
    def max_tokens(self) -> int:
        return self._weights.max_tokens
