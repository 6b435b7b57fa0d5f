"""Commonplace through its public door: open, save, index what waits, search. Nothing here knows how it ranks.

Sets with a store for each question hold the same texts again and again. The models are therefore loaded once, and remember
what they have read; the answers are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import commonplace
from bench.quality import embedder
from bench.quality.cases import Item
from bench.quality.systems import Ranking
from commonplace.errors import SecretError, TooLargeError


class Commonplace:
    """`options` go to every search: `profile="words"`, `rerank=False`."""

    def __init__(self, folder: Path, **options: Any) -> None:
        _remember()
        self.book: Any = commonplace.open(f"sqlite:{folder / 'book.sqlite'}", actor="bench")
        self.options = options
        self.items: dict[str, list[str]] = {}
        self.refused = 0

    def add(self, items: Sequence[Item]) -> None:
        for item in items:
            self._save(item)
        if self.options.get("profile") != "words":
            self.book.index_pending()

    def _save(self, item: Item) -> None:
        when = {"observed_at": f"{item.when}Z"} if item.when else {}
        try:
            record = self.book.save(item.text, type="episode", **when)
        except (SecretError, TooLargeError):
            self.refused += 1  # what the guard keeps out cannot be found; that is counted against us
            return
        # Two items that say the same become one memory; finding it finds both.
        self.items.setdefault(record.id, []).append(item.id)

    def search(self, query: str, k: int) -> Ranking:
        found = self.book.search(query, limit=k, **self.options)
        ranked = [(id, result.score) for result in found for id in self.items.get(result.record.id, ())]
        return Ranking.of(ranked[:k], found.confidence)

    def close(self) -> None:
        self.book.close()


@cache
def _remember() -> None:
    from commonplace.providers import choice

    model, reread = embedder.model(), choice.choose_reranker({})
    choice.choose = lambda config, named=None: _Remembering(model)  # noqa: ARG005
    if reread is not None:
        choice.choose_reranker = lambda config, named=None: reread  # noqa: ARG005


class _Remembering:
    """The same embedder, which does not read a text twice."""

    def __init__(self, model: Any) -> None:
        self.model, self.dimensions, self.max_tokens = model.model, model.dimensions, model.max_tokens
        self.ordinary = model.ordinary

    def documents(self, texts: Sequence[str]) -> Any:
        return embedder.documents(texts)

    def query(self, text: str) -> Any:
        return embedder.queries([text])[0]

    def query_by_words(self, text: str) -> Any:
        return embedder.model().query_by_words(text)
