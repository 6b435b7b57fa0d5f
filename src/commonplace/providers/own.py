"""A model of the caller's own, held to its word: what it breaks costs its stream and never the search.

Whoever brings a model promises what `seam.embedder` says. It may raise, answer nothing, answer too few, or not in numbers all the
same; then it is as unavailable as a server that does. What is sound is passed on as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

from commonplace.errors import CommonplaceError, UnavailableError

if TYPE_CHECKING:
    from commonplace.seam.embedder import Embedder, Reranker, Vector, Vectors

_NEARLY = 1e-3
T = TypeVar("T")


class OwnEmbedder:
    """`seam.embedder.Embedder` over somebody else's."""

    def __init__(self, theirs: Embedder) -> None:
        self._theirs = theirs

    def __repr__(self) -> str:
        return f"<embedder {self.model}, brought by the caller>"

    @property
    def model(self) -> str:
        return self._theirs.model

    @property
    def dimensions(self) -> int:
        return self._theirs.dimensions

    @property
    def max_tokens(self) -> int:
        return self._theirs.max_tokens

    def documents(self, texts: Sequence[str]) -> Vectors:
        return self._sound(_asked(self.model, lambda: self._theirs.documents(texts)), len(texts))

    def query(self, text: str) -> Vector:
        vector: Vector = self._sound([_asked(self.model, lambda: self._theirs.query(text))], 1)[0]
        return vector

    def _sound(self, made: object, count: int) -> Vectors:
        """One row of numbers for each text, of length one."""
        import numpy as np

        rows: Vectors = _asked(self.model, lambda: np.asarray(made, dtype=np.float32))
        if rows.ndim != 2 or len(rows) != count or not rows.shape[1]:
            raise _broken(self.model, f"{count} vectors were wanted, and what came has the shape {rows.shape}")
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise _broken(self.model, "some of its vectors are nothing or no numbers")
        if (abs(lengths - 1) < _NEARLY).all():
            return rows
        unit: Vectors = (rows / lengths).astype(np.float32)
        return unit


class OwnReranker:
    """`seam.embedder.Reranker` over somebody else's."""

    def __init__(self, theirs: Reranker) -> None:
        self._theirs = theirs

    def __repr__(self) -> str:
        return f"<reranker {self.model}, brought by the caller>"

    @property
    def model(self) -> str:
        return self._theirs.model

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        said = _asked(self.model, lambda: [float(one) for one in self._theirs.scores(query, passages)])
        if len(said) != len(passages) or not all(map(isfinite, said)):
            raise _broken(self.model, f"{len(passages)} numbers were wanted, and not so many came, or not finite ones")
        return said


def _asked(model: str, ask: Callable[[], T]) -> T:
    try:
        return ask()
    except CommonplaceError:
        raise
    except Exception as cause:  # whatever somebody else's code may raise
        # Only the sort of the error: its words may quote what was sent, and receipts keep this.
        raise _broken(model, f"it raised {type(cause).__name__}") from cause


def _broken(model: str, why: str) -> UnavailableError:
    return UnavailableError(
        f"the model {model} failed: {why}", code="no_model", hint="It is the caller's own: see what it promised."
    )
