"""Words in a large book: the rare ones choose, all of them score.

To score every memory that holds a common word costs more the larger the book is, and common words say little. So the
candidates are those that hold one of the rarest words, and those that hold two of the next ones together. What only common
words speak for is left out. The work is bounded: by `room`, whatever the words and whatever the book.

If it is known who passes the filter, only those are candidates, and there is room for words that are less rare in the book: of
those that hold them, only some are scored.
"""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING, Any

import apsw

from commonplace.catalog.sqlite import addends, bm25, fulltext
from commonplace.catalog.sqlite.at_hand import AtHand

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.narrow import Named

# A word that so many hold is counted no further but estimated from how far apart they lie.
_COUNTED = 150
# And so many phrases are remembered with their counts; what is longer is no word.
_REMEMBERED, _LONGEST = 4_096, 256
# So many of the words that are not rare are asked for in pairs, and this share of the room is for each.
_PAIRED = 2
_SHARE = 8
# Whom the guess leaves this far behind the last place is not looked at.
_CLOSE = 0.95
# A word that says less than this share of what the rarest says does not decide who is looked at.
_TELLING = 0.2
# If it is known who passes, so many times as many may hold the rare words.
_WIDER = 4
# And so many times as many are asked whether they pass, before they are scored: to know that they hold a word is cheap.
_ASKED = 4
# So many more than are asked for are scored exactly.
_MORE = 50
Scores = dict[int, float]
"""By number."""


def counted(db: apsw.Connection, hand: AtHand, asked: list[str]) -> dict[str, float]:
    """How many memories hold each phrase, about."""
    known = hand.estimates
    if len(known) > _REMEMBERED:
        known.clear()
    found = {phrase: known[phrase] if phrase in known else _estimate(db, phrase, hand.upto) for phrase in asked}
    known.update({phrase: count for phrase, count in found.items() if len(phrase) <= _LONGEST})
    return found


def _estimate(db: apsw.Connection, phrase: str, upto: int) -> float:
    """Counted up to a point; beyond, from how many of the newest memories it takes to find so many."""
    count, oldest = db.execute(
        "SELECT count(*), min(rowid) FROM"
        " (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?)",
        (phrase, _COUNTED),
    ).fetchone() or (0, 0)
    return float(count) if count < _COUNTED else max(count * upto / (upto - oldest + 1), count)


def best(
    db: apsw.Connection, hand: AtHand, counts: dict[str, float], room: int, limit: int, those: Named | None
) -> Scores:
    """The scores of the candidates; if some are named, of those alone."""
    if those is not None:
        room = min(_WIDER * room, room * hand.upto // max(those.count, 1))
    ordered = sorted((phrase for phrase in counts if counts[phrase]), key=lambda phrase: (counts[phrase], phrase))
    rare = _rarest(ordered, counts, room)
    common = ordered[len(rare) :]
    statistics = bm25.Statistics(*bm25.sizes(db), tuple(counts[phrase] for phrase in ordered))
    too_many = sum(counts[phrase] for phrase in rare) > 2 * room
    known = addends.sums(db, hand, rare) if rare and not too_many and those is None else None
    scores = _holding(db, rare, room if too_many else -1, those) if known is None else known
    if scores and common:
        weights = statistics.weights()
        telling = [phrase for phrase, weight in zip(ordered, weights, strict=True) if weight >= _TELLING * weights[0]]
        guessed = _guessed(db, rare, dict(zip(telling, weights, strict=False)), scores)
        likely = nlargest(limit + _MORE, guessed, key=guessed.__getitem__)
        least = _CLOSE * guessed[likely[limit - 1]] if len(likely) >= limit else 0.0
        pairs = _in_pairs(db, telling, len(rare), least, statistics, room // _SHARE, those)
        scores = {
            **pairs,
            **guessed,
            **{n: scores[n] for n in likely},
            **_exactly(db, rare, common, likely, statistics),
        }
    return scores


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


def _holding(db: apsw.Connection, rare: list[str], most: int, those: Named | None) -> Scores:
    """Scores of those that hold a rare word; of the newest, if they are too many."""
    score = f"-bm25(memories_fts, {fulltext.SQL_WEIGHTS})"
    return _scores(db, score, (), " OR ".join(rare), most, those) if rare else {}


def _scores(
    db: apsw.Connection, score: str, given: tuple[Any, ...], match: str, most: int, those: Named | None
) -> Scores:
    """Of those that hold these words, as SQL scores them; of the newest, if `most` says so."""
    among, values = fulltext.among(None if those is None else _holders(db, match, most, those))
    order = "" if most < 0 or those is not None else f" ORDER BY rowid DESC LIMIT {most}"
    rows: list[Any] = db.execute(
        f"SELECT rowid, {score} FROM memories_fts WHERE memories_fts MATCH ?{among}{order}", (*given, match, *values)
    ).fetchall()
    return dict(rows)


def _holders(db: apsw.Connection, match: str, most: int, those: Named) -> list[int]:
    """Who of those that hold these words is named."""
    order = "" if most < 0 else f" ORDER BY rowid DESC LIMIT {_ASKED * most}"
    asked = f"SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?{order}"
    rows: list[Any] = db.execute(asked, (match,)).fetchall()
    numbers = [n for (n,) in rows]
    return [n for n, is_among in zip(numbers, those.told(numbers), strict=True) if is_among]


def _guessed(db: apsw.Connection, rare: list[str], weights: dict[str, float], scores: Scores) -> Scores:
    """What the other words add to those that hold a rare one, by whether they are there."""
    chosen, oldest = " OR ".join(rare), min(scores)
    guessed = dict(scores)
    for phrase, weight in [*weights.items()][len(rare) :]:
        there: list[Any] = db.execute(
            "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? AND rowid >= ?",
            (f"({chosen}) AND {phrase}", oldest),
        ).fetchall()
        for (n,) in there:
            if n in guessed:
                guessed[n] += weight
    return guessed


def _in_pairs(
    db: apsw.Connection,
    telling: list[str],
    start: int,
    least: float,
    statistics: bm25.Statistics,
    most: int,
    those: Named | None,
) -> Scores:
    """Scores of those that hold enough of the words behind the rare ones to come up to `least`; the newest, if many."""
    found: Scores = {}
    for i in range(start, min(start + _PAIRED, len(telling) - 1)):
        given = statistics.of(i, len(telling))
        together = _together(telling[i:], given.weights(), least)
        if together:
            score = bm25.call(db, "memories_fts")
            found = {**_scores(db, score, (given.parameters(),), together, most, those), **found}
    return found


def _together(words: list[str], weights: list[float], least: float) -> str | None:
    """What to ask for: the first word and another, or if no two can say enough, the first two and a third.

    All the words are in it, in their order, because the statistics are told apart by their places.
    """
    first, second, *others = words
    if weights[0] + weights[1] >= least:
        return f"{first} AND ({' OR '.join(words[1:])})"
    if others and sum(weights) >= least:
        return f"{first} AND {second} AND ({' OR '.join(others)})"
    return None


def _exactly(
    db: apsw.Connection, rare: list[str], common: list[str], likely: list[int], statistics: bm25.Statistics
) -> Scores:
    """The scores of the likely ones that hold a common word too."""
    among, values = fulltext.among(likely)
    rows: list[Any] = db.execute(
        f"SELECT rowid, {bm25.call(db, 'memories_fts')} FROM memories_fts WHERE memories_fts MATCH ?{among}",
        (statistics.parameters(), f"({' OR '.join(rare)}) AND ({' OR '.join(common)})", *values),
    ).fetchall()
    return dict(rows)
