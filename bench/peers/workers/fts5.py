"""A floor: one FTS5 table in a file, WAL and synchronous FULL; the words of the question joined by OR,
without the commonest ones. No vectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import apsw
from serve import Embedder, Found, Item, Peer, serve

_WORD = re.compile(r"\w+")
_COMMON = (
    "a an and are at did do does for from had has have how in is it of on or the to was were what when where who why"
)
_STOP = frozenset(_COMMON.split())


class Fts5(Peer):
    searches_words = True

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        super().__init__(folder, embedder)
        self.db = apsw.Connection(str(folder / "words.sqlite"))
        self.db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL").fetchall()
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, id TEXT, content TEXT);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS f USING fts5 "
            "(content, content = 't', content_rowid = 'n', tokenize = 'porter unicode61 remove_diacritics 2');"
            "CREATE TRIGGER IF NOT EXISTS t_ai AFTER INSERT ON t BEGIN "
            "INSERT INTO f (rowid, content) VALUES (new.n, new.content); END"
        )

    def add(self, prepared: Sequence[Item]) -> None:
        with self.db:
            self.db.executemany("INSERT INTO t (id, content) VALUES (?, ?)", [(id, text) for id, text, _ in prepared])

    def put(self, item: Item) -> None:
        self.add([item])

    def search(self, text: str, k: int) -> Found:
        sql = "SELECT t.id, -bm25(f) FROM f JOIN t ON t.n = f.rowid WHERE f MATCH ? ORDER BY bm25(f), f.rowid LIMIT ?"
        words = _WORD.findall(text.lower())
        kept = [word for word in words if word not in _STOP] or words
        return self.db.execute(sql, (" OR ".join(f'"{word}"' for word in dict.fromkeys(kept)), k)).fetchall()

    search_words = search

    def close(self) -> None:
        self.db.close()


if __name__ == "__main__":
    serve(Fts5)
