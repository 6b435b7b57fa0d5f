"""Whatever can remember items and find them again: one small promise that baselines, Commonplace and peers all keep.

A system is opened fresh for each store, given the items in their order once, and then only asked. `SYSTEMS` names them;
a peer joins the same tables by adding one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.quality.cases import Item


@dataclass(frozen=True)
class Ranking:
    """Item ids, best first, each with its score; and how sure the system is that the answer is among them."""

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    confidence: float

    @classmethod
    def of(cls, found: Sequence[tuple[str, float]], confidence: float | None = None) -> Ranking:
        ids, scores = tuple(id for id, _ in found), tuple(score for _, score in found)
        return cls(ids, scores, confidence if confidence is not None else max(scores, default=0.0))


class System(Protocol):
    """Holds one store. Items arrive in the order they were said; a search may come only after them."""

    def add(self, items: Sequence[Item]) -> None: ...

    def search(self, query: str, k: int) -> Ranking: ...

    def close(self) -> None: ...


def _words(folder: Path) -> System:
    from bench.quality.baselines import Words

    return Words(folder)


def _vectors(folder: Path) -> System:
    from bench.quality.baselines import Vectors

    return Vectors(folder)


def _rrf(folder: Path) -> System:
    from bench.quality.baselines import ReciprocalRanks

    return ReciprocalRanks(folder)


def _commonplace(**options: Any) -> Callable[[Path], System]:
    def opened(folder: Path) -> System:
        from bench.quality.product import Commonplace

        return Commonplace(folder, **options)

    return opened


SYSTEMS: dict[str, Callable[[Path], System]] = {
    "bm25": _words,
    "e5": _vectors,
    "rrf": _rrf,
    "commonplace": _commonplace(),
    "commonplace-quick": _commonplace(rerank=False),
    "commonplace-words": _commonplace(profile="words"),
}
