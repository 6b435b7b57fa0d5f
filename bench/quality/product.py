"""Commonplace through its public door: open, save, index what waits, search. Nothing here knows how it ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import commonplace
from bench.quality.cases import Item
from bench.quality.systems import Ranking


class Commonplace:
    def __init__(self, folder: Path, profile: str | None = None) -> None:
        self.book: Any = commonplace.open(f"sqlite:{folder / 'book.sqlite'}", actor="bench")
        self.options = {"profile": profile} if profile else {}
        self.items: dict[str, list[str]] = {}

    def add(self, items: Sequence[Item]) -> None:
        for item in items:
            when = {"observed_at": _moment(item.when)} if item.when else {}
            record = self.book.save(item.text, type="episode", **when)
            # Two items that say the same become one memory; finding it finds both.
            self.items.setdefault(record.id, []).append(item.id)
        if hasattr(self.book, "index_pending"):
            self.book.index_pending()

    def search(self, query: str, k: int) -> Ranking:
        found = self.book.search(query, limit=k, **self.options)
        ranked = [(id, result.score) for result in found for id in self.items.get(result.record.id, ())]
        return Ranking.of(ranked[:k], getattr(found, "confidence", None))

    def close(self) -> None:
        self.book.close()


def _moment(when: str) -> str:
    return f"{when}Z"
