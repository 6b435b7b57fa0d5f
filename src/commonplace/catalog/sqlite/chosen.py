"""Words in a large book: the rare ones choose, all of them score.

To score every memory that holds a common word costs more the larger the book is, and common words say little. So the
candidates are those that hold one of the rarest words, and those that hold two of the next ones together. What only common
words speak for is left out. The work is bounded: by `room`, whatever the words and whatever the book.
"""

from __future__ import annotations

from heapq import nlargest
from typing import Any

import apsw
import msgspec

from commonplace.catalog.sqlite import bm25, fulltext

# A word that so many hold is counted no further but estimated from how far apart they lie.
_COUNTED = 250
# So many of the words that are not rare are asked for in pairs, and this share of the room is for each.
_PAIRED = 2
_SHARE = 5
Scores = dict[int, float]
"""By number."""


def counted(db: apsw.Connection, asked: list[str], upto: int) -> dict[str, float]:
    """How many memories hold each phrase, about."""
    return {phrase: _estimate(db, phrase, upto) for phrase in asked}


def _estimate(db: apsw.Connection, phrase: str, upto: int) -> float:
    """Counted up to a point; beyond, from how many of the newest memories it takes to find so many."""
    count, oldest = db.execute(
        "SELECT count(*), min(rowid) FROM"
        " (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?)",
        (phrase, _COUNTED),
    ).fetchone() or (0, 0)
    return float(count) if count < _COUNTED else max(count * upto / (upto - oldest + 1), count)


def best(db: apsw.Connection, counts: dict[str, float], room: int, limit: int) -> list[tuple[float, int]]:
    """Score and number, best first."""
    ordered = sorted((phrase for phrase in counts if counts[phrase]), key=lambda phrase: (counts[phrase], phrase))
    rare = _rarest(ordered, counts, room)
    common = ordered[len(rare) :]
    statistics = bm25.Statistics(*bm25.sizes(db), tuple(counts[phrase] for phrase in ordered))
    scores = _holding(db, rare, room if sum(counts[phrase] for phrase in rare) > 2 * room else -1) if rare else {}
    if scores and common:
        pairs = _in_pairs(db, common, statistics.of_last(len(common)), room // _SHARE)
        scores = {**pairs, **_with(db, rare, common, scores, statistics, limit)}
    return [(scores[n], n) for n in sorted(scores, key=scores.__getitem__, reverse=True)]


def _rarest(ordered: list[str], counts: dict[str, float], room: int) -> list[str]:
    """The rarest words, as long as they stand for no more than `room` memories; at least one."""
    taken: list[str] = []
    total = 0.0
    for phrase in ordered:
        total += counts[phrase]
        if taken and total > room:
            break
        taken.append(phrase)
    return taken


def _holding(db: apsw.Connection, rare: list[str], most: int) -> Scores:
    """Scores of those that hold a rare word; of the newest, if they are too many."""
    order = "" if most < 0 else f" ORDER BY rowid DESC LIMIT {most}"
    rows: list[Any] = db.execute(
        f"SELECT rowid, -bm25(memories_fts, {fulltext.SQL_WEIGHTS}) FROM memories_fts WHERE memories_fts MATCH ?{order}",
        (" OR ".join(rare),),
    ).fetchall()
    return dict(rows)


def _in_pairs(db: apsw.Connection, common: list[str], statistics: bm25.Statistics, most: int) -> Scores:
    """Scores of those that hold two of the common words, one of them among the rarer; the newest, if they are many."""
    found: Scores = {}
    for i in range(min(_PAIRED, len(common) - 1)):
        rows: list[Any] = db.execute(
            f"SELECT rowid, {bm25.call(db, 'memories_fts')} FROM memories_fts WHERE memories_fts MATCH ?"
            f" ORDER BY rowid DESC LIMIT {most}",
            (statistics.of_last(len(common) - i).parameters(), f"{common[i]} AND ({' OR '.join(common[i + 1 :])})"),
        ).fetchall()
        found = {**dict(rows), **found}
    return found


def _with(
    db: apsw.Connection, rare: list[str], common: list[str], scores: Scores, statistics: bm25.Statistics, limit: int
) -> Scores:
    """What the common words add to those that hold a rare one: first whether they are there; for the best, exactly."""
    chosen, oldest = " OR ".join(rare), min(scores)
    guessed = dict(scores)
    for phrase, weight in zip(common, statistics.of_last(len(common)).weights(), strict=True):
        there: list[Any] = db.execute(
            "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? AND rowid >= ?",
            (f"({chosen}) AND {phrase}", oldest),
        ).fetchall()
        for (n,) in there:
            if n in guessed:
                guessed[n] += weight
    likely = nlargest(limit + 50, guessed, key=guessed.__getitem__)
    rows: list[Any] = db.execute(
        f"SELECT rowid, {bm25.call(db, 'memories_fts')} FROM memories_fts WHERE memories_fts MATCH ? AND rowid >= ?"
        " AND +rowid IN (SELECT value FROM json_each(?))",
        (
            statistics.parameters(),
            f"({chosen}) AND ({' OR '.join(common)})",
            oldest,
            msgspec.json.encode(likely).decode(),
        ),
    ).fetchall()
    return {**guessed, **{n: scores[n] for n in likely}, **dict(rows)}
