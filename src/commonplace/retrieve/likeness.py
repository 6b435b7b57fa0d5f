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
    """`alike(one, other)`: the cosine of their best passages; None if nothing is known of one of them."""

    def __init__(self, view: View, model: str | None, contenders: Sequence[Contender]) -> None:
        self._view, self._model = view, model
        self._best = {one.place: one.passage for one in contenders if one.place}
        self._vectors: dict[int, Vector] | None = None

    def __call__(self, one: Contender, other: Contender) -> float | None:
        vectors = self._read()
        if one.place not in vectors or other.place not in vectors:
            return None
        return float(vectors[one.place] @ vectors[other.place])

    def _read(self) -> dict[int, Vector]:
        if self._vectors is None:
            try:
                held = self._view.vectors_of(self._model, [*self._best]) if self._model else {}
                self._vectors = {at: rows[min(self._best[at], len(rows) - 1)] for at, rows in held.items()}
            except CommonplaceError:
                self._vectors = {}
        return self._vectors
