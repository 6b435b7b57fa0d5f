"""What each word adds to whose score, remembered: the next question that asks for the word need not ask the index.

FTS5 scores a memory by adding up, word by word in the order asked, what each says of it. What one word says does not depend on
the others. So the index is asked for one word at a time, with its own `bm25()`, and the sums are the same to the last digit. Who
asks one question only gains nothing from it: all words together are cheaper than one by one.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from commonplace.catalog.sqlite import fulltext, narrow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from commonplace.catalog.sqlite.at_hand import AtHand
    from commonplace.catalog.sqlite.narrow import Named
    from commonplace.model.filter import Filter

# So many bytes are kept for all words together, and of so many words, because one that nobody holds takes room too; then the
# oldest make room. What is longer is no word, and not remembered.
_MOST, _WORDS = 8_000_000, 4_096
_LONGEST = 256
# If the book is so many times longer than its holders are many, it is not gone through for them.
_SPARSE = 32
# To tell equal sums apart takes a moment, which is worth it if they are not few.
_FEW = 512
_SQL = f"SELECT rowid, -bm25(memories_fts, {fulltext.SQL_WEIGHTS}) FROM memories_fts WHERE memories_fts MATCH ?"


class Addends(NamedTuple):
    """Of one word: the memories that hold it, by number, and what it adds to each."""

    numbers: NDArray[np.int32]
    sums: NDArray[np.float64]
    which: NDArray[np.unsignedinteger[Any]] | None = None
    """Which of the sums is whose. A common word adds the same to many: whoever holds it as often in as long a text."""

    @property
    def adds(self) -> NDArray[np.float64]:
        return self.sums if self.which is None else self.sums.take(self.which)

    @property
    def size(self) -> int:
        return self.numbers.nbytes + self.sums.nbytes + (0 if self.which is None else self.which.nbytes)


def among(
    db: apsw.Connection, hand: AtHand, asked: list[str], where: Filter, those: Named | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Scores of everyone who holds one of the words and is not known to fail the filter, and their numbers, in order; None if
    it is better to ask the index for all words at once."""
    if "numpy" not in sys.modules or not _is_worth_it(hand, asked):
        return None
    holding, scores = _summed(db, hand, asked)
    may = narrow.possible(hand, where, those, holding)
    return (scores, holding) if may is None else (scores[may], holding[may])


def sums(db: apsw.Connection, hand: AtHand, asked: list[str]) -> dict[int, float] | None:
    """The score of everyone who holds one of a few rare words, by number, in order; None if it is better to ask the index."""
    if "numpy" not in sys.modules or not _is_worth_it(hand, asked):
        return None
    holding, scores = _summed(db, hand, asked)
    return dict(zip(holding.tolist(), scores.tolist(), strict=True))


def _summed(db: apsw.Connection, hand: AtHand, asked: list[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Who holds one of the words, in order, and the sum of what they add: in a row as long as the book, or, if that is much
    longer than they are many, by themselves."""
    import numpy as np

    several = [hand.addends.get(word) or _read(db, hand, word) for word in asked]
    if hand.upto < _SPARSE * sum(len(each.numbers) for each in several):
        scores = np.zeros(hand.upto + 1)
        for each in several:
            scores[each.numbers] += each.adds
        holding = (scores > 0).nonzero()[0]
        return holding, scores[holding]
    holding, which = np.unique(np.concatenate([each.numbers for each in several]), return_inverse=True)
    scores = np.bincount(which, np.concatenate([each.adds for each in several])).astype(np.float64, copy=False)
    return holding, scores


def _is_worth_it(hand: AtHand, asked: list[str]) -> bool:
    """Was anything else asked before? Whoever asks twice asks more, and about the same things: half of a question's words were
    in an earlier one. The same once more is one search, for what is near and for what is not."""
    if hand.first_asked is None:
        hand.first_asked = asked
    return hand.first_asked != asked or bool(hand.addends)


def _read(db: apsw.Connection, hand: AtHand, word: str) -> Addends:
    import numpy as np

    rows: list[Any] = db.execute(_SQL, (word,)).fetchall()
    numbers, adds = zip(*rows, strict=True) if rows else ((), ())
    made = Addends(np.array(numbers, dtype=np.int32), np.array(adds, dtype=np.float64))
    if len(rows) > _FEW:
        sums, which = np.unique(made.sums, return_inverse=True)
        made = Addends(made.numbers, sums, which.astype(np.min_scalar_type(len(sums))))
    if len(word) <= _LONGEST and made.size <= _MOST:
        _keep(hand, word, made)
    return made


def _keep(hand: AtHand, word: str, made: Addends) -> None:
    hand.addends[word] = made
    hand.kept += made.size
    while (hand.kept > _MOST or len(hand.addends) > _WORDS) and len(hand.addends) > 1:
        hand.kept -= hand.addends.pop(next(iter(hand.addends))).size
