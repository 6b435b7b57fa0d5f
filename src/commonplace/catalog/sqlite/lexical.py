"""Which memories hold these words, and how well? bm25 over title, summary, content and extra words.

In a book of up to `SMALL` memories, and behind a narrow filter, every memory that holds a word is scored. In a larger one
the rare words choose: they are taken, the rarest first, until they stand for as many memories as may be looked at. Those
are scored with all the words; memories that hold only the common rest are left out. docs/adr/0014 tells what this changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from heapq import nlargest
from itertools import compress
from typing import TYPE_CHECKING, Any

import apsw

from commonplace.catalog.sqlite import addends, at_hand, bm25, chosen, fulltext, narrow
from commonplace.catalog.sqlite.at_hand import AtHand
from commonplace.model.filter import Filter
from commonplace.model.terms import is_unspaced
from commonplace.seam.terms import Hits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from commonplace.catalog.sqlite.narrow import Named

SMALL = 20_000
# If no more than so many hold any of the words, it is cheaper to score them all than to choose.
_PLAIN = 12_000
# How many the rare words may choose: this share of the book, but not fewer or more than that.
_SHARE, _FEWEST, _MOST = 40, 2_000, 8_000
# If more than so many tie for the last place, not all are looked at.
_TIES = 2_000
Scores = dict[int, float]
"""By number."""
Scored = tuple[list[float], list[int]]
"""Scores and whose they are, best first."""
Way = Callable[[int], Scored]
"""From how many are wanted to the best so many."""


def search(db: apsw.Connection, hand: AtHand, terms: Sequence[tuple[str, ...]], where: Filter, limit: int) -> Hits:
    """The best `limit`, best first; ties by id. The fresh ones too."""
    asked = list(dict.fromkeys(phrase for phrase in map(_phrase, terms) if phrase))
    if not asked or limit < 1:
        return Hits.none()
    return _best(db, hand, where, limit, _way(db, hand, asked, where, limit))


def _way(db: apsw.Connection, hand: AtHand, asked: list[str], where: Filter, limit: int) -> Way:
    """How the best are found: by what is remembered, by what the index says, or among those that the rare words choose."""
    upto, waiting = hand.upto, hand.is_waiting
    if waiting:
        fulltext.gather_fresh(db, upto)
    those = narrow.named(db, hand, where)
    few = those.few if those is not None else None
    counts = chosen.counted(db, hand, asked) if few is None and upto > SMALL else {}
    room = min(max(upto // _SHARE, _FEWEST), _MOST)
    if sum(counts.values()) > max(_PLAIN, 2 * room):
        scores = chosen.best(db, hand, counts, room, limit, those)
        if waiting:
            scores |= _fresh(db, asked, counts)
        return partial(_leading, scores)
    if waiting:
        return partial(_leading, _together(db, asked, few))
    # In a large book words that are known to be rare are remembered, and no others.
    known = addends.among(db, hand, asked, where, those) if upto <= SMALL or counts else None
    return partial(_plain, db, asked, those) if known is None else partial(_greatest, *known)


def _best(db: apsw.Connection, hand: AtHand, where: Filter, limit: int, way: Way) -> Hits:
    """As many as will do, in all likelihood; more, if the filter or a tie asks for more."""
    likely = 2 * limit + 20
    while True:
        scores, numbers = way(likely)
        hits = _checked(db, hand, scores, numbers, where, limit)
        if len(scores) < likely or (len(hits) == limit and scores[-1] < hits.scores[-1]):
            return hits
        likely = narrow.enlarged(likely, len(hits), limit)


def _greatest(scores: NDArray[np.float64], numbers: NDArray[np.int64], most: int) -> Scored:
    """Of these the best `most`."""
    from commonplace.catalog.sqlite import held

    top = held.best(scores, most)
    return scores[top].tolist(), numbers[top].tolist()


def _leading(scores: Scores, most: int) -> Scored:
    """Of these the best `most`, and all that tie with the last of them."""
    if len(scores) > most:
        least = nlargest(most, scores.values())[-1]
        scores = {n: score for n, score in scores.items() if score >= least}
    return _columns(sorted(zip(scores.values(), scores, strict=True), reverse=True))


def _columns(rows: list[tuple[float, int]]) -> Scored:
    return [score for score, _ in rows], [n for _, n in rows]


def _phrase(term: tuple[str, ...]) -> str:
    """A term in FTS5's language. Quoted, so nothing in it is syntax; without a letter or digit it is nothing."""
    text = " ".join(term).encode("utf-8", "replace").decode().replace("\0", " ").replace('"', " ")
    if not any(letter.isalnum() for letter in text):
        return ""
    return f'"{text}" *' if is_unspaced(text) else f'"{text}"'


def _plain(db: apsw.Connection, asked: list[str], those: Named | None, most: int) -> Scored:
    """The best as FTS5 scores them; if some are named, among those alone."""
    many = those is not None and those.few is None
    among, values = fulltext.among(those.few if those is not None else None)
    rows: list[Any] = db.execute(
        f"SELECT -bm25(memories_fts, {fulltext.SQL_WEIGHTS}) AS score, rowid FROM memories_fts"
        f" WHERE memories_fts MATCH ?{among} ORDER BY score DESC LIMIT ?",
        (" OR ".join(asked), *values, -1 if many else most),
    ).fetchall()
    if many and those is not None:
        rows = [*compress(rows, those.told([n for _, n in rows]))][:most]
    return _columns(rows)


def _together(db: apsw.Connection, asked: list[str], few: list[int] | None) -> Scores:
    """Those inside the index and the fresh ones, scored by what both hold: it makes no difference where a memory waits."""
    statistics = _both(db, asked, [_held(db, "memories_fts", phrase) for phrase in asked])
    return _given(db, "memories_fts", asked, few, statistics) | _given(db, "fresh_fts", asked, few, statistics)


def _fresh(db: apsw.Connection, asked: list[str], counts: dict[str, float]) -> Scores:
    statistics = _both(db, asked, [counts[phrase] for phrase in asked])
    return _given(db, "fresh_fts", asked, None, statistics)


def _both(db: apsw.Connection, asked: list[str], holding: list[float]) -> bm25.Statistics:
    (texts, words), (fresh_texts, fresh_words) = bm25.sizes(db), bm25.fresh_sizes(db)
    counts = tuple(held + _held(db, "fresh_fts", phrase) for held, phrase in zip(holding, asked, strict=True))
    return bm25.Statistics(texts + fresh_texts, words + fresh_words, counts)


def _held(db: apsw.Connection, index: str, phrase: str) -> float:
    return float(db.execute(f"SELECT count(*) FROM {index} WHERE {index} MATCH ?", (phrase,)).get)


def _given(
    db: apsw.Connection, index: str, asked: list[str], few: list[int] | None, statistics: bm25.Statistics
) -> Scores:
    among, values = fulltext.among(few)
    rows: Any = db.execute(
        f"SELECT rowid, {bm25.call(db, index)} FROM {index} WHERE {index} MATCH ?{among}",
        (statistics.parameters(), " OR ".join(asked), *values),
    )
    return dict(rows)


def _checked(
    db: apsw.Connection, hand: AtHand, scores: list[float], numbers: list[int], where: Filter, limit: int
) -> Hits:
    """The best that the filter lets through, looking no further than is needed."""
    found: list[int] = []
    theirs: list[float] = []
    start, step, last = 0, limit, len(scores)
    while start < last:
        these = slice(start, min(start + step, last))
        passed = narrow.told(db, hand, where, numbers[these])
        found += compress(numbers[these], passed)
        theirs += compress(scores[these], passed)
        start, step = start + step, 500
        if len(found) >= limit and last == len(scores):
            last = _past_ties(scores, theirs[limit - 1], start)
    return at_hand.hits_of(db, hand, found, theirs, limit)


def _past_ties(scores: list[float], score: float, start: int) -> int:
    """Where those end that still tie with the last place; of very many the first, which are the same each time."""
    most = min(start + _TIES, len(scores))
    while start < most and scores[start] >= score:
        start += 1
    return start
