"""bm25, as FTS5 computes it, but with statistics that we give it.

FTS5's own `bm25()` counts every memory that holds a word, each time the word is asked for, and knows only its own table. Here
the counts are given: those of the index and of the fresh memories together, or an estimate for words that are everywhere.
With the same counts both give the same score to the last digit.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple
from weakref import WeakSet

import apsw
import msgspec

from commonplace.catalog.sqlite.fulltext import WEIGHTS
from commonplace.errors import NotSearchedError

_K1, _B = 1.2, 0.75
_TITLE, _SUMMARY, _CONTENT, _TERMS = WEIGHTS
_NAME = "given_bm25"
_known: WeakSet[apsw.Connection] = WeakSet()


class Statistics(NamedTuple):
    """What bm25 needs to know: how many texts there are, how long they are together, and how many hold each phrase."""

    texts: int
    words: int
    holding: tuple[float, ...]

    def of(self, start: int, end: int) -> Statistics:
        """The same for some of the phrases alone."""
        return self._replace(holding=self.holding[start:end])

    def weights(self) -> list[float]:
        """How much each phrase tells: much if few texts hold it, and never nothing."""
        return [self._idf(count) for count in self.holding]

    def _idf(self, count: float) -> float:
        told = log(max(self.texts - count + 0.5, 0.5) / (count + 0.5))
        return told if told > 0 else 1e-6

    def parameters(self) -> str:
        """As the function takes them."""
        return msgspec.json.encode([max(self.words, 1) / max(self.texts, 1), *self.weights()]).decode()


def sizes(db: apsw.Connection) -> tuple[int, int]:
    """How many texts the index has, and how many words in all: FTS5 keeps both in its first record."""
    raw: Any = db.execute("SELECT block FROM main.memories_fts_data WHERE id = 1").get
    if not isinstance(raw, bytes):
        raise NotSearchedError("the full text index is damaged", hint="Run `commonplace doctor --repair`.")
    texts, *words = _numbers(raw) or [0]
    return texts, sum(words)


def fresh_sizes(db: apsw.Connection) -> tuple[int, int]:
    """The same of the fresh ones, whose record is only written at the end of a transaction: text by text."""
    rows: list[Any] = db.execute("SELECT sz FROM temp.fresh_fts_docsize").fetchall()
    return len(rows), sum(sum(_numbers(raw)) for (raw,) in rows)


def _numbers(raw: bytes) -> list[int]:
    """SQLite's varints: seven bits a byte, the highest bit says that more follow; a ninth byte counts whole."""
    found, value, length = [], 0, 0
    for byte in raw:
        length += 1
        value = (value << 8) | byte if length == 9 else (value << 7) | (byte & 0x7F)
        if byte < 0x80 or length == 9:
            found.append(value)
            value = length = 0
    return found


def call(db: apsw.Connection, index: str) -> str:
    """The SQL that scores a row of an index; it binds one value, `Statistics.parameters()`."""
    if db not in _known:  # SQLite would keep every registration
        db.register_fts5_function(_NAME, _score)
        _known.add(db)
    return f"{_NAME}({index}, ?)"


def _score(row: apsw.FTS5ExtensionApi, *parameters: Any) -> float:
    """Higher is better. It is called for every row, so it is written for speed."""
    given = row.aux_data
    if given is None:
        average, *weights = msgspec.json.decode(parameters[0])
        given = row.aux_data = (average, [*enumerate(weights)])
    average, weighted = given
    norm = _K1 * (1 - _B + _B * row.column_size() / average)
    score = 0.0
    for phrase, weight in weighted:
        if row.phrase_columns(phrase):
            title, summary, content, terms = row.phrase_locations(phrase)
            often = _TITLE * len(title) + _SUMMARY * len(summary) + _CONTENT * len(content) + _TERMS * len(terms)
            score += weight * ((often * (_K1 + 1.0)) / (often + norm))
    return score
