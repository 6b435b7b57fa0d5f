"""Which memories hold these words, and how well? bm25 over title, summary, content and extra words.

In a book of up to `SMALL` memories, and behind a narrow filter, every memory that holds a word is scored. In a larger one
the rare words choose: they are taken, the rarest first, until they stand for as many memories as may be looked at. Those
are scored with all the words; memories that hold only the common rest are left out. docs/adr/0014 tells what this changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import apsw

from commonplace.catalog.sqlite import addends, at_hand, bm25, chosen, fulltext, narrow
from commonplace.catalog.sqlite.at_hand import ID, STATUS, AtHand
from commonplace.model.filter import Filter
from commonplace.model.terms import is_unspaced
from commonplace.seam.terms import Hit, made

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.narrow import Named

SMALL = 20_000
# If no more than so many hold any of the words, it is cheaper to score them all than to choose.
_PLAIN = 12_000
# How many the rare words may choose: this share of the book, but not fewer or more than that.
_SHARE, _FEWEST, _MOST = 40, 2_000, 8_000
# If more than so many tie for the last place, not all are looked at.
_TIES = 2_000
Scored = list[tuple[float, int]]
"""Score and number, best first."""


def search(db: apsw.Connection, hand: AtHand, terms: Sequence[tuple[str, ...]], where: Filter, limit: int) -> list[Hit]:
    """The best `limit`, best first; ties by id. The fresh ones too."""
    asked = list(dict.fromkeys(phrase for phrase in map(_phrase, terms) if phrase))
    if not asked or limit < 1:
        return []
    upto, waiting = hand.upto, hand.is_waiting
    if waiting:
        fulltext.gather_fresh(db, upto)
    those = narrow.named(db, hand, where)
    few = those.few if those is not None else None
    counts = chosen.counted(db, hand, asked) if few is None and upto > SMALL else {}
    room = min(max(upto // _SHARE, _FEWEST), _MOST)
    if sum(counts.values()) > max(_PLAIN, 2 * room):
        scored = chosen.best(db, hand, counts, room, limit, those)
        together = sorted(scored + _fresh(db, asked, counts), reverse=True) if waiting else scored
        return _checked(db, hand, together, where, limit)
    if waiting:
        return _checked(db, hand, _together(db, asked, few), where, limit)
    # In a large book words that are known to be rare are remembered, and no others.
    return _best(db, hand, asked, those, where, limit, by_word=upto <= SMALL or bool(counts))


def _best(
    db: apsw.Connection,
    hand: AtHand,
    asked: list[str],
    those: Named | None,
    where: Filter,
    limit: int,
    *,
    by_word: bool,
) -> list[Hit]:
    """As many as will do, in all likelihood; more, if the filter or a tie asks for more."""
    likely = 2 * limit + 20
    while True:
        known = addends.best(db, hand, asked, likely, where, those) if by_word else None
        scored = _plain(db, asked, those, likely) if known is None else known
        hits = _checked(db, hand, scored, where, limit)
        if len(scored) < likely or (len(hits) == limit and scored[-1][0] < hits[-1].score):
            return hits
        likely = narrow.enlarged(likely, len(hits), limit)


def _phrase(term: tuple[str, ...]) -> str:
    """A term in FTS5's language. Quoted, so nothing in it is syntax; without a letter or digit it is nothing."""
    text = " ".join(term).encode("utf-8", "replace").decode().replace("\0", " ").replace('"', " ")
    if not any(letter.isalnum() for letter in text):
        return ""
    return f'"{text}" *' if is_unspaced(text) else f'"{text}"'


def _plain(db: apsw.Connection, asked: list[str], those: Named | None, limit: int) -> Scored:
    """The best as FTS5 scores them; if some are named, among those alone."""
    many = those is not None and those.few is None
    among, values = fulltext.among(those.few if those is not None else None)
    rows: list[Any] = db.execute(
        f"SELECT -bm25(memories_fts, {fulltext.SQL_WEIGHTS}) AS score, rowid FROM memories_fts"
        f" WHERE memories_fts MATCH ?{among} ORDER BY score DESC LIMIT ?",
        (" OR ".join(asked), *values, -1 if many else limit),
    ).fetchall()
    if not many or those is None:
        return rows
    return [row for row, is_among in zip(rows, those.told([n for _, n in rows]), strict=True) if is_among][:limit]


def _together(db: apsw.Connection, asked: list[str], few: list[int] | None) -> Scored:
    """Those inside the index and the fresh ones, scored by what both hold: it makes no difference where a memory waits."""
    statistics = _both(db, asked, [_held(db, "memories_fts", phrase) for phrase in asked])
    found = [row for index in ("memories_fts", "fresh_fts") for row in _given(db, index, asked, few, statistics)]
    return sorted(found, reverse=True)


def _fresh(db: apsw.Connection, asked: list[str], counts: dict[str, float]) -> Scored:
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
) -> Scored:
    among, values = fulltext.among(few)
    return db.execute(  # type: ignore[return-value]
        f"SELECT {bm25.call(db, index)}, rowid FROM {index} WHERE {index} MATCH ?{among}",
        (statistics.parameters(), " OR ".join(asked), *values),
    ).fetchall()


def _checked(db: apsw.Connection, hand: AtHand, scored: Scored, where: Filter, limit: int) -> list[Hit]:
    """The best that the filter lets through, looking no further than is needed."""
    found: list[Hit] = []
    start, step, last = 0, limit, len(scored)
    while start < last:
        some = scored[start : min(start + step, last)]
        lines, statuses = narrow.lines_of(db, hand, where, [n for _, n in some])
        found += [
            made(Hit, (line[ID], n, score, 0))
            for (score, n), line in zip(some, lines, strict=True)
            if line is not None and line[STATUS] in statuses
        ]
        start, step = start + step, 500
        if len(found) >= limit and last == len(scored):
            last = _past_ties(scored, found[limit - 1].score, start)
    return at_hand.in_order(found)[:limit]


def _past_ties(scored: Scored, score: float, start: int) -> int:
    """Where those end that still tie with the last place; of very many the first, which are the same each time."""
    most = min(start + _TIES, len(scored))
    while start < most and scored[start][0] >= score:
        start += 1
    return start
