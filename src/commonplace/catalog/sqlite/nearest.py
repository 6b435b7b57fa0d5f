"""Which memories mean nearly this? The cosine of the best passage, over those that the filter lets through.

Few vectors, or a narrow filter: each is compared as it is. Many: codes propose, the real vectors decide, and the filter is
checked from the best downwards; if it leaves too few, more are proposed, until there are enough or all were looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import TYPE_CHECKING

import apsw
import numpy as np

from commonplace.catalog.sqlite import at_hand, held, narrow, proposing, vectors
from commonplace.catalog.sqlite.at_hand import ID, STAMPED, STATUS, AtHand
from commonplace.model.filter import Filter
from commonplace.seam.terms import Hit, made

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.comparing import Probe
    from commonplace.catalog.sqlite.narrow import Named
    from commonplace.catalog.sqlite.vectors import Floats, Model

# How many are proposed (docs/adr/0013): so many for each that is asked for, and at least. The fewer dimensions, the less a
# code tells: this, by their number, is added. And a quarter of the root of how many vectors there are.
_PROPOSED = 2
_AT_LEAST = 160
_BY_DIMENSIONS = 16_384
Scored = list[tuple[float, int, int, str]]
"""Cosine, number, passage and the words it was made of; best first."""


def search(
    db: apsw.Connection, hand: AtHand, model: Model | None, vector: Floats, where: Filter, limit: int
) -> list[Hit]:
    """The best `limit`, best first; ties by id."""
    if model is None or limit < 1:
        return []
    question, those = vectors.asked(model, vector), narrow.named(db, hand, where)
    few = None if those is None else those.few
    whole = held.whole(db, model, question, is_narrow=few is not None)
    if whole is not None:
        return _among_all(db, hand, whole, question, where, limit, those)
    if few is not None:
        return _checked(db, hand, _compared(vectors.of(db, model.number, few), question), where, limit)
    if model.centre is None:
        return _checked(db, hand, _compared([*vectors.all_of(db, model.number)], question), where, limit)
    return _proposed(db, hand, model, question, where, limit, those)


def _among_all(
    db: apsw.Connection,
    hand: AtHand,
    whole: held.Whole,
    question: Probe,
    where: Filter,
    limit: int,
    those: Named | None,
) -> list[Hit]:
    """All vectors are at hand: take the best, and more if the filter leaves too few."""
    may, count = narrow.possible(hand, where, those, whole.numbers), limit + 20
    left = None if may is None else may.nonzero()[0]
    everybody = len(whole) if left is None else len(left)
    while True:
        top, cosines = whole.nearest(question, count, left)
        hits = _checked(db, hand, whole.scored(top, cosines), where, limit)
        if count >= everybody or (len(hits) == limit and hits[-1].score > float(cosines[-1])):
            return hits
        count = narrow.enlarged(count, len(hits), limit)


def _proposed(
    db: apsw.Connection, hand: AtHand, model: Model, question: Probe, where: Filter, limit: int, those: Named | None
) -> list[Hit]:
    """Codes propose; what they propose is compared as it is."""
    centre = np.frombuffer(model.centre or b"", dtype=np.float32)
    least = _AT_LEAST + _BY_DIMENSIONS // model.dimensions
    first = asked = max(_PROPOSED * limit, least) + isqrt(model.vectors) // 4
    several = max(model.vectors // (hand.last or model.vectors), 1)
    while True:
        stored = held.blocks(db, model, question)
        proposed, everything = proposing.best(stored, question.unit, centre, asked, those, several)
        numbers = proposed.tolist()
        if asked > first:  # the filter lets few through: check before comparing
            numbers = narrow.passing_again(db, hand, where, numbers)
        hits = _checked(db, hand, _compared(vectors.of(db, model.number, numbers), question), where, limit)
        if len(hits) >= limit or everything:
            return hits
        if asked > first and those is None:  # twice in vain: from here on it is better to know who passes
            those = narrow.everybody(db, hand, where)
        asked *= 8


def _compared(rows: Sequence[vectors.Row], question: Probe) -> Scored:
    """A row that is damaged cannot be compared, and is left out; `doctor` names it."""
    whole = [row for row in rows if vectors.is_whole(row[2], len(question.unit))]
    if not whole:
        return []
    passages = vectors.side_by_side([row[2] for row in whole], len(question.unit))
    cosines = passages.cosines(question)
    best = passages.best(cosines)
    scores, which = best.tolist(), passages.which(cosines, best)
    order = np.argsort(-best, kind="stable").tolist()
    return [(scores[i], whole[i][0], which[i], whole[i][1]) for i in order]


def _checked(db: apsw.Connection, hand: AtHand, scored: Scored, where: Filter, limit: int) -> list[Hit]:
    """Those that the filter lets through and that still have the words their vectors were made of."""
    found: list[Hit] = []
    start, step = 0, limit
    while start < len(scored):
        some = scored[start : start + step]
        lines, statuses = narrow.lines_of(db, hand, where, [row[1] for row in some])
        found += [
            made(Hit, (line[ID], n, score, passage))
            for (score, n, passage, stamp), line in zip(some, lines, strict=True)
            if line is not None and line[STATUS] in statuses and line[STAMPED] == stamp
        ]
        start += step
        if len(found) >= limit and start < len(scored) and scored[start][0] < found[limit - 1].score:
            break  # nobody behind can still tie with the last place
        step = 500
    return at_hand.in_order(found)[:limit]
