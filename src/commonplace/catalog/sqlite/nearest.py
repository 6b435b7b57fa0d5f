"""Which memories mean nearly this? The cosine of the best passage, over those that the filter lets through.

Few vectors, or a narrow filter: each is compared as it is. Many: codes propose, the real vectors decide, and the filter is
checked from the best downwards; if it leaves too few, more are proposed, until there are enough or all were looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from math import isqrt
from typing import TYPE_CHECKING

import apsw
import numpy as np

from commonplace.catalog.sqlite import at_hand, held, narrow, proposing, similarity, vectors
from commonplace.catalog.sqlite.at_hand import AtHand
from commonplace.catalog.sqlite.vectors import Near
from commonplace.model.filter import Filter
from commonplace.seam.terms import Hits

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.comparing import Probe
    from commonplace.catalog.sqlite.narrow import Named
    from commonplace.catalog.sqlite.vectors import Floats, Model

# How many are proposed (docs/adr/0013): so many for each that is asked for, and at least. The fewer dimensions, the less a
# code tells: this, by their number, is added. And a quarter of the root of how many vectors there are.
_PROPOSED = 2
_AT_LEAST = 160
_BY_DIMENSIONS = 16_384


def search(db: apsw.Connection, hand: AtHand, model: Model | None, vector: Floats, where: Filter, limit: int) -> Hits:
    """The best `limit`, best first; ties by id."""
    if model is None or limit < 1:
        return Hits.none()
    question, those = vectors.asked(model, vector), narrow.named(db, hand, where)
    few = None if those is None else those.few
    whole = held.whole(db, model, question, is_narrow=few is not None)
    if whole is not None:
        return _among_all(db, hand, model, whole, question, where, limit, those)
    if few is not None:
        return _checked(db, hand, model, _compared(vectors.of(db, model.number, few), question), where, limit)
    if model.centre is None:
        return _checked(db, hand, model, _compared([*vectors.all_of(db, model.number)], question), where, limit)
    return _proposed(db, hand, model, question, where, limit, those)


def _among_all(
    db: apsw.Connection,
    hand: AtHand,
    model: Model,
    whole: held.Whole,
    question: Probe,
    where: Filter,
    limit: int,
    those: Named | None,
) -> Hits:
    """All vectors are at hand: take the best, and more if the filter leaves too few."""
    may, count = narrow.possible(hand, where, those, whole.numbers), limit + 20
    left = None if may is None else may.nonzero()[0]
    everybody = len(whole) if left is None else len(left)
    while True:
        top, cosines = whole.nearest(question, count, left)
        hits = _checked(db, hand, model, whole.compared(top, cosines), where, limit)
        if count >= everybody or (len(hits) == limit and hits.scores[-1] > float(cosines[-1])):
            return hits
        count = narrow.enlarged(count, len(hits), limit)


def _proposed(
    db: apsw.Connection, hand: AtHand, model: Model, question: Probe, where: Filter, limit: int, those: Named | None
) -> Hits:
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
            numbers = [*compress(numbers, narrow.told(db, hand, where, numbers))]
        hits = _checked(db, hand, model, _compared(vectors.of(db, model.number, numbers), question), where, limit)
        if len(hits) >= limit or everything:
            return hits
        if asked > first and those is None:  # twice in vain: from here on it is better to know who passes
            those = narrow.everybody(db, hand, where)
        asked *= 8


def _compared(rows: Sequence[vectors.Row], question: Probe) -> Near:
    """Nearest first."""
    near = similarity.compared(rows, question)
    order: list[int] = np.argsort(np.negative(near.scores), kind="stable").tolist()
    return Near([near.scores[at] for at in order], [near.numbers[at] for at in order], near.passages_of(order))


def _checked(db: apsw.Connection, hand: AtHand, model: Model, near: Near, where: Filter, limit: int) -> Hits:
    """Those that the filter lets through and that still have the words their vectors were made of."""
    scores, numbers = near.scores, near.numbers
    found: list[int] = []
    start, step = 0, limit
    while start < len(scores):
        stop = min(start + step, len(scores))
        passed = [*compress(range(start, stop), narrow.told(db, hand, where, numbers[start:stop]))]
        found += compress(passed, similarity.current(db, hand, model, [numbers[at] for at in passed]))
        start += step
        if len(found) >= limit and start < len(scores) and scores[start] < scores[found[limit - 1]]:
            break  # nobody behind can still tie with the last place
        step = 500
    passages = near.passages_of(found)
    return at_hand.hits_of(db, hand, [numbers[at] for at in found], [scores[at] for at in found], limit, passages)
