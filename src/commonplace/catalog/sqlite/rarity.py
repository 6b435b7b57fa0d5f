"""How many memories hold a word? Counted up to a point: a word that so many hold is common, whatever the true number."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

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
    asked = [word for word in words if any(letter.isalnum() for letter in word)]
    found = {word: known[word] if word in known else float(_count(db, hand, word)) for word in asked}
    known.update({word: count for word, count in found.items() if len(word) <= _LONGEST})
    return found, hand.last


def _count(db: apsw.Connection, hand: AtHand, word: str) -> int:
    asked = '"' + word.replace('"', " ").replace("\0", " ") + '"'
    holders = hand.addends.get(asked)
    if holders is not None:  # the words were looked for just now
        return min(len(holders.numbers), _COUNTED)
    return int(
        db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)", (asked, _COUNTED)
        ).get
    )
