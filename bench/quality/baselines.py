"""The floors every table stands on: SQLite's own full text, exact vector search, and their plain reciprocal-rank fusion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np

from bench.quality.cases import Item
from bench.quality.embedder import documents, queries
from bench.quality.passages import passages
from bench.quality.systems import Ranking

_WORD = re.compile(r"\w+")
_COMMON = """a about all am an and any are as at be been being but by can could did do does doing for from had has have
    having he her him his how i if in into is it its me might more most my no not of on or our out over she should so some
    such than that the their them then there these they this those to too up us was we were what when where which while
    who whom whose why will with would you your"""
_STOP = frozenset(_COMMON.split())


class Words:
    """FTS5 with Porter stems; the question's words, without a stop list of about eighty, joined by OR; `bm25()`."""

    def __init__(self, folder: Path) -> None:  # noqa: ARG002  (a floor needs no files)
        self.held = apsw.Connection(":memory:")
        self.held.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')")
        self.ids: list[str] = []

    def add(self, items: Sequence[Item]) -> None:
        rows = [(len(self.ids) + place, item.text) for place, item in enumerate(items)]
        with self.held:
            self.held.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", rows)
        self.ids += [item.id for item in items]

    def search(self, query: str, k: int) -> Ranking:
        words = _WORD.findall(query.lower())
        kept = [word for word in words if word not in _STOP] or words
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(kept))
        sql = "SELECT rowid, -bm25(t) FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT ?"
        return Ranking.of([(self.ids[row], score) for row, score in self.held.execute(sql, (asked, k))])

    def close(self) -> None:
        self.held.close()


class Vectors:
    """Exact cosine over passages of the embedder; an item counts by its best passage."""

    def __init__(self, folder: Path) -> None:  # noqa: ARG002
        self.ids: list[str] = []
        self.starts: np.ndarray = np.zeros(0, int)
        self.held: np.ndarray = np.zeros((0, 0), np.float32)

    def add(self, items: Sequence[Item]) -> None:
        cut = [passages(item.text) for item in items]
        self.ids = [item.id for item in items]
        self.starts = np.cumsum([0] + [len(each) for each in cut])[:-1]
        self.held = documents([text for each in cut for text in each])

    def search(self, query: str, k: int) -> Ranking:
        best = np.maximum.reduceat(self.held @ queries([query])[0], self.starts)
        order = np.lexsort((np.arange(len(best)), -best))[:k]
        return Ranking.of([(self.ids[place], float(best[place])) for place in order])

    def close(self) -> None:
        pass


class ReciprocalRanks:
    """1 / (60 + rank) summed over the first hundred of both floors."""

    def __init__(self, folder: Path) -> None:
        self.parts = (Words(folder), Vectors(folder))

    def add(self, items: Sequence[Item]) -> None:
        for part in self.parts:
            part.add(items)

    def search(self, query: str, k: int) -> Ranking:
        summed: dict[str, float] = {}
        for part in self.parts:
            for rank, id in enumerate(part.search(query, 100).ids, 1):
                summed[id] = summed.get(id, 0.0) + 1 / (60 + rank)
        return Ranking.of(sorted(summed.items(), key=lambda pair: (-pair[1], pair[0]))[:k])

    def close(self) -> None:
        for part in self.parts:
            part.close()
