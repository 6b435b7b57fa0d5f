"""Which memories hold these words, and how well? bm25 over title, summary, content and extra words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from commonplace.catalog.sqlite import fresh, fulltext, listing
from commonplace.model.filter import Filter
from commonplace.model.terms import is_unspaced
from commonplace.seam.terms import Hit

_WEIGHTS = ", ".join(str(weight) for weight in fulltext.WEIGHTS)


def search(db: apsw.Connection, terms: Sequence[tuple[str, ...]], where: Filter, limit: int) -> list[Hit]:
    """The best `limit`, best first; ties by id. The fresh ones too."""
    asked = [phrase for phrase in map(_phrase, terms) if phrase]
    if not asked or limit < 1:
        return []
    condition, values = listing.filter_sql(where)
    upto = fresh.upto(db)
    found = _match(db, "memories_fts", " OR ".join(asked), condition, values, limit)
    if db.execute("SELECT EXISTS (SELECT 1 FROM memories WHERE n > ?)", (upto,)).get:
        fulltext.gather_fresh(db, upto)
        found += _match(db, "fresh_fts", " OR ".join(asked), condition, values, limit)
        found.sort(key=lambda hit: (-hit.score, hit.id))
    return found[:limit]


def _phrase(term: tuple[str, ...]) -> str:
    """A term in FTS5's language. Quoted, so nothing in it is syntax; without a letter or digit it is nothing."""
    text = " ".join(term).encode("utf-8", "replace").decode().replace("\0", " ").replace('"', " ")
    if not any(letter.isalnum() for letter in text):
        return ""
    return f'"{text}" *' if is_unspaced(text) else f'"{text}"'


def _match(db: apsw.Connection, index: str, asked: str, condition: str, values: list[Any], limit: int) -> list[Hit]:
    rows = db.execute(
        f"SELECT memories.id, memories.n, bm25({index}, {_WEIGHTS}) AS cost"
        f" FROM {index} CROSS JOIN memories ON memories.n = {index}.rowid"
        f" WHERE {index} MATCH ? AND {condition} ORDER BY cost, memories.id LIMIT ?",
        (asked, *values, limit),
    )
    return [Hit(id, n, -cost, 0) for id, n, cost in rows]
