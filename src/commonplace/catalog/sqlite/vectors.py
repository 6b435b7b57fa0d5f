"""Vectors: kept beside the memory they were made of, one row for all passages of a memory.

A vector is stored as one signed byte for each dimension and one number, the scale, that makes it a unit vector again. The
row says which words it was made of (the end of their fingerprint): once a memory has other words, its old vectors no longer
count (A45, A77). Vectors hold no truth; they can be dropped at any time and made anew by their model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np

from commonplace.errors import InvalidError, NotSearchedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# How much of a fingerprint is kept: 64 bits tell one text from its successor.
STAMP = 16


class Model(NamedTuple):
    """One embedding model as this book knows it."""

    number: int
    dimensions: int
    upto: int
    vectors: int
    centre: bytes | None


def model_of(db: apsw.Connection, name: str) -> Model | None:
    row = db.execute(
        "SELECT model, dimensions, upto, vectors, centre FROM vector_models WHERE name = ?", (name,)
    ).fetchone()
    return Model(*row) if row else None


def stamp_of(fingerprint: str) -> str:
    return fingerprint[-STAMP:]


def pack(vectors: Floats) -> bytes:
    """Passages x dimensions, each as its scale and its bytes."""
    lengths = np.abs(vectors).max(axis=1, keepdims=True)
    codes = np.rint(vectors * (127 / np.maximum(lengths, 1e-12))).astype(np.int8)
    norms = np.linalg.norm(codes.astype(np.float32), axis=1)
    rows = np.empty(len(vectors), dtype=_layout(vectors.shape[1]))
    rows["scale"] = 1 / np.maximum(norms, 1e-12)
    rows["codes"] = codes
    return rows.tobytes()


def cosines(blobs: Sequence[bytes], vector: Floats) -> tuple[Floats, Floats]:
    """For each memory's passages: the best cosine, and which passage it was."""
    layout = _layout(len(vector))
    counts = np.array([len(blob) // layout.itemsize for blob in blobs])
    if any(len(blob) % layout.itemsize or not blob for blob in blobs):
        raise NotSearchedError("a vector is not what was written", hint=MEND, code="vectors_damaged")
    rows = np.frombuffer(b"".join(blobs), dtype=layout)
    scores = (rows["codes"].astype(np.float32) @ vector) * rows["scale"]
    if len(rows) == len(blobs):
        return scores, np.zeros(len(blobs), dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    best = np.maximum.reduceat(scores, starts)
    which = [int(scores[start : start + count].argmax()) for start, count in zip(starts, counts, strict=True)]
    return best, np.array(which)


def _layout(dimensions: int) -> np.dtype[Any]:
    return np.dtype([("scale", "<f4"), ("codes", "i1", (dimensions,))])


def asked(model: Model, vector: Floats) -> Floats:
    """The question as a unit vector that can be compared with this model's."""
    flat = np.asarray(vector, dtype=np.float32).reshape(-1)
    if len(flat) != model.dimensions:
        raise NotSearchedError(
            f"the question has {len(flat)} dimensions, the book's vectors have {model.dimensions}",
            hint="The model changed under its name: embed the book anew.",
            code="dimensions",
        )
    if not np.isfinite(flat).all():
        raise InvalidError("a vector must hold finite numbers")
    return flat / max(float(np.linalg.norm(flat)), 1e-12)


MEND = "Run `commonplace doctor --repair`; vectors are made anew from the memories."
