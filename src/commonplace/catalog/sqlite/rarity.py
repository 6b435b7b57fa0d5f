"""How many memories hold a word? Counted up to a point: a word that so many hold is common, whatever the true number."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from commonplace.catalog.sqlite import bm25, fulltext
from commonplace.catalog.sqlite.at_hand import AtHand

_COUNTED = 2_000
_REMEMBERED = 4_096
# What is longer is no word, and not remembered.
_LONGEST = 256


def held_by(db: apsw.Connection, hand: AtHand, words: Sequence[str]) -> tuple[dict[str, float], int]:
    """About how many hold each word, and how many memories there are."""
    known = hand.holding
    if len(known) > _REMEMBERED:
        known.clear()
    if hand.is_waiting:
        fulltext.gather_fresh(db, hand.upto)
    asked = [word for word in words if any(letter.isalnum() for letter in word)]
    found = {word: known[word] if word in known else float(_count(db, hand, word)) for word in asked}
    known.update({word: count for word, count in found.items() if len(word) <= _LONGEST})
    if hand.texts is None:
        hand.texts = bm25.sizes(db)[0] + (bm25.fresh_sizes(db)[0] if hand.is_waiting else 0)
    return found, hand.texts


def _count(db: apsw.Connection, hand: AtHand, word: str) -> int:
    """It makes no difference where a memory waits."""
    asked = '"' + word.replace('"', " ").replace("\0", " ") + '"'
    holders = hand.addends.get(asked)
    known = len(holders.numbers) if holders is not None else _count_in(db, "memories_fts", asked)
    return min(known + (_count_in(db, "fresh_fts", asked) if hand.is_waiting else 0), _COUNTED)


def _count_in(db: apsw.Connection, index: str, asked: str) -> int:
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH ? LIMIT ?)"
    return int(db.execute(sql, (asked, _COUNTED)).get)
