"""How near are two contenders to each other in meaning? Their vectors are read only when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.retrieve.contender import Contender

if TYPE_CHECKING:
    from commonplace.seam.catalog import View
    from commonplace.seam.embedder import Vector


class Likeness:
    """`alike(one, other)`: by how many spreads their best passages are nearer to each other than anything is to the question, for
    what is near differs from model to model; None if nothing is known of one of them."""

    def __init__(
        self, view: View, model: str | None, contenders: Sequence[Contender], background: tuple[float, float]
    ) -> None:
        self._view, self._model, self._background = view, model, background
        self._best = {one.place: one.passage for one in contenders if one.place}
        self._vectors: dict[int, Vector] | None = None

    def __call__(self, one: Contender, other: Contender) -> float | None:
        vectors = self._read()
        if one.place not in vectors or other.place not in vectors:
            return None
        mean, spread = self._background
        return (float(vectors[one.place] @ vectors[other.place]) - mean) / spread

    def _read(self) -> dict[int, Vector]:
        if self._vectors is None:
            try:
                held = self._view.vectors_of(self._model, [*self._best]) if self._model else {}
                self._vectors = {at: rows[min(self._best[at], len(rows) - 1)] for at, rows in held.items()}
            except CommonplaceError:
                self._vectors = {}
        return self._vectors
