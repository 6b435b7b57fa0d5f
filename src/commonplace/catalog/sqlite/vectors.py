"""Vectors: kept beside the memory they were made of, one row for all passages of a memory.

A vector is stored as one signed byte for each dimension and one number, the scale, that makes it a unit vector again. The
row says which words it was made of (the end of their fingerprint): once a memory has other words, its old vectors no longer
count (A45, A77). Vectors hold no truth; they can be dropped at any time and made anew by their model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import apsw
import msgspec
import numpy as np

from commonplace.catalog.sqlite.at_hand import STAMP
from commonplace.catalog.sqlite.comparing import Probe, dots, probe
from commonplace.errors import InvalidError, NotSearchedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.floating[Any]]
    Ints = NDArray[np.int64]

# How many bits of a key are the memory's number.
ROOM = 40
_CHECKSUM = 4
# What the checksum of anything followed by its own checksum always is.
_INTACT = 0x2144DF1C


Row = tuple[int, str, bytes]
"""A memory's number, the stamp of the words its vectors were made of, and its vectors with their checksum."""


class Model(NamedTuple):
    """One embedding model as this book knows it."""

    number: int
    dimensions: int
    upto: int
    vectors: int
    state: int
    centre: bytes | None


def model_of(db: apsw.Connection, name: str) -> Model | None:
    row = db.execute(
        "SELECT model, dimensions, upto, vectors, state, centre FROM vector_models WHERE name = ?", (name,)
    ).fetchone()
    return Model(*row) if row else None


def key_of(model: int, n: int) -> int:
    """The key of a memory's row: one number, because that is the cheapest to look up."""
    return (model << ROOM) + n


def of(db: apsw.Connection, model: int, numbers: Sequence[int]) -> list[Row]:
    """Of those memories that have vectors."""
    rows: list[Any] = db.execute(
        "SELECT j.value, v.fingerprint, CAST(v.vectors AS BLOB) FROM json_each(?) AS j"
        " CROSS JOIN memory_vectors AS v ON v.key = ? + j.value",
        (msgspec.json.encode(numbers).decode(), key_of(model, 0)),
    ).fetchall()
    return rows


def all_of(db: apsw.Connection, model: int) -> Iterator[Row]:
    """Of every memory that has vectors, in order."""
    first = key_of(model, 0)
    return db.execute(
        "SELECT key - ?1, fingerprint, CAST(vectors AS BLOB) FROM memory_vectors WHERE key > ?1 AND key < ?2",
        (first, key_of(model + 1, 0)),
    )


def in_groups(
    db: apsw.Connection, model: int, dimensions: int, size: int
) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """Numbers and vectors of every passage that can be read, at least `size` at a time until the last."""
    numbers: list[int] = []
    group: list[Floats] = []
    for row in all_of(db, model):
        if is_whole(row[2], dimensions):
            group.append(unpack(row[2], dimensions))
            numbers += [row[0]] * len(group[-1])
            if len(numbers) >= size:
                yield np.array(numbers), np.concatenate(group)
                numbers, group = [], []
    if numbers:
        yield np.array(numbers), np.concatenate(group)


def unpack(blob: bytes, dimensions: int) -> Floats:
    """The passages as they can be had back: unit vectors, each number to one part in a hundred."""
    rows = np.frombuffer(blob[:-_CHECKSUM], dtype=layout(dimensions))
    back: Floats = rows["codes"].astype(np.float32) * rows["scale"][:, None]
    return back


def is_whole(blob: object, dimensions: int) -> bool:
    """Is this what was written?"""
    if type(blob) is not bytes or len(blob) <= _CHECKSUM or (len(blob) - _CHECKSUM) % (dimensions + 4):
        return False
    return crc32(blob) == _INTACT


def passages_in(blob: bytes, dimensions: int) -> int:
    return len(blob) // layout(dimensions).itemsize


def stamp_of(fingerprint: str) -> str:
    return fingerprint[-STAMP:]


def pack(vectors: Floats) -> bytes:
    """Passages x dimensions, each as its scale and its bytes; then the checksum of it all."""
    lengths = np.abs(vectors).max(axis=1, keepdims=True)
    codes = np.rint(vectors * (127 / np.maximum(lengths, 1e-12))).astype(np.int8)
    norms = np.linalg.norm(codes.astype(np.float32), axis=1)
    rows = np.empty(len(vectors), dtype=layout(vectors.shape[1]))
    rows["scale"] = 1 / np.maximum(norms, 1e-12)
    rows["codes"] = codes
    stored = rows.tobytes()
    return stored + crc32(stored).to_bytes(_CHECKSUM, "little")


class Passages(NamedTuple):
    """The passages of several memories, one after the other: their bytes and scales."""

    codes: NDArray[np.int8]
    scales: Floats
    starts: Ints | None = None
    """Where each memory's passages begin; None if each has one, which is the rule."""

    def cosines(self, asked: Probe) -> Floats:
        return dots(self.codes, asked) * self.scales

    def best(self, cosines: Floats) -> Floats:
        """Of each memory's passages."""
        return cosines if self.starts is None else np.maximum.reduceat(cosines, self.starts)

    def which(self, cosines: Floats, best: Floats) -> list[int]:
        """Which passage was the best of each memory; of equals the first."""
        if self.starts is None:
            return [0] * len(best)
        owner = np.repeat(np.arange(len(best)), np.diff(self.starts, append=len(cosines)))
        among = np.flatnonzero(cosines == best[owner])
        first = among[np.flatnonzero(np.diff(owner[among], prepend=-1))]
        found: list[int] = (first - self.starts).tolist()
        return found


class Near(NamedTuple):
    """What memories were compared, and how near each is by its best passage: column by column."""

    scores: list[float]
    numbers: list[int]
    passages: list[int] | None
    """None if each has but one."""

    def passages_of(self, which: Sequence[int]) -> list[int] | None:
        return None if self.passages is None else [self.passages[at] for at in which]


def starts_of(counts: Sequence[int]) -> Ints | None:
    """For `Passages`, from how many each memory has."""
    return None if max(counts, default=1) == 1 else np.cumsum([0, *counts[:-1]])


def side_by_side(blobs: Sequence[bytes], dimensions: int) -> Passages:
    """What lies in several rows, to be compared at once."""
    rows = np.frombuffer(b"".join([blob[:-_CHECKSUM] for blob in blobs]), dtype=layout(dimensions))
    starts = starts_of([passages_in(blob, dimensions) for blob in blobs])
    return Passages(np.ascontiguousarray(rows["codes"]), rows["scale"].copy(), starts)


@cache
def layout(dimensions: int) -> np.dtype[Any]:
    """A passage as it is stored."""
    return np.dtype([("scale", "<f4"), ("codes", "i1", (dimensions,))])


def asked(model: Model, vector: Floats) -> Probe:
    """The question, ready to be compared with this model's vectors. One search asks several times with the same."""
    known = _last.get("question")
    if known is not None and known[0] is vector and len(known[1].unit) == model.dimensions:
        return known[1]
    flat = np.asarray(vector, dtype=np.float32).reshape(-1)
    if len(flat) != model.dimensions:
        raise NotSearchedError(
            f"the question has {len(flat)} dimensions, the book's vectors have {model.dimensions}",
            hint="The model changed under its name: embed the book anew.",
            code="dimensions",
        )
    if not np.isfinite(flat).all():
        raise InvalidError("a vector must hold finite numbers")
    unit: Floats = flat / max(float(np.linalg.norm(flat)), 1e-12)
    unit.flags.writeable = False
    made = probe(unit)
    _last["question"] = (vector, made)
    return made


_last: dict[str, tuple[object, Probe]] = {}
