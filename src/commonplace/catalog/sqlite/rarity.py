"""How many memories hold a word? Counted up to a point: a word that so many hold is common, whatever the true number."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

_COUNTED = 2_000


def held_by(db: apsw.Connection, words: Sequence[str]) -> tuple[dict[str, float], int]:
    """About how many hold each word, and how many memories there are."""
    total = int(db.execute("SELECT coalesce(max(n), 0) FROM memories").get)
    return {word: float(_count(db, word)) for word in words if any(letter.isalnum() for letter in word)}, total


def _count(db: apsw.Connection, word: str) -> int:
    asked = '"' + word.replace('"', " ").replace("\0", " ") + '"'
    return int(
        db.execute(
            "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)", (asked, _COUNTED)
        ).get
    )
