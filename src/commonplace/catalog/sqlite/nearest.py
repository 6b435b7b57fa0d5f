"""Which memories mean nearly this? The cosine of the best passage, over those that the filter lets through."""

from __future__ import annotations

from typing import Any

import apsw
import numpy as np

from commonplace.catalog.sqlite import listing, vectors
from commonplace.model.filter import Filter
from commonplace.seam.terms import Hit


def search(db: apsw.Connection, name: str, vector: vectors.Floats, where: Filter, limit: int) -> list[Hit]:
    """The best `limit`, best first; ties by id."""
    model = vectors.model_of(db, name)
    if model is None or limit < 1:
        return []
    question = vectors.asked(model, vector)
    condition, values = listing.filter_sql(where)
    rows: list[Any] = db.execute(
        "SELECT memories.id, n, vectors FROM memory_vectors CROSS JOIN memories USING (n)"
        f" WHERE model = ? AND memory_vectors.fingerprint = substr(memories.fingerprint, -{vectors.STAMP}) AND {condition}",
        (model.number, *values),
    ).fetchall()
    if not rows:
        return []
    scores, passages = vectors.cosines([row[2] for row in rows], question)
    order = np.argsort(-scores, kind="stable")[: limit * 2]
    hits = [Hit(rows[i][0], rows[i][1], float(scores[i]), int(passages[i])) for i in order]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]
