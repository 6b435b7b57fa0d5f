"""Codes: two bits for each dimension, so that every vector can be looked at without reading every vector.

A vector is taken around the centre of the model's vectors, which brings out what is its own. Each dimension becomes one of
four levels: far below, below, above, far above. A code and one factor give an estimate of the cosine; the best of the
estimates are then compared as they really are (`nearest.py`). Nothing here decides an answer: a code that is missing,
outdated or damaged can only fail to propose a memory.

A block holds up to `FULL` codes: the two planes of bits, word by word, so that one instruction meets the same word of many
codes; then their memories' numbers and their factors. The question becomes three planes, and the sum over all dimensions
becomes a count of common bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

# As many as a processor's cache holds at once, with what is computed of them.
FULL = 1_024
# Below so many vectors each is looked at as it is; from there on there is a centre that means something.
ENOUGH = 1_024
# So many blocks are sifted together.
_AT_ONCE = 16
# Where "above" becomes "far above", in standard deviations: what loses least of a bell curve in four levels.
_FAR = 0.98
# The same for a question in eight levels, which are three planes of bits.
_STEP = 0.6
_PLANES = np.array([1, 2, -4], dtype=np.float32)
_LEVELS = np.array([2, 1], dtype=np.float32)
_NUMBER, _FACTOR, _WORD = np.dtype("<i8"), np.dtype("<f4"), np.dtype("<u8")


class Block(NamedTuple):
    """Codes of many vectors: whose they are, their factors, and bits as planes x words x vectors."""

    numbers: Ints
    factors: Floats
    bits: Words

    def to_bytes(self) -> bytes:
        return self.bits.tobytes() + self.numbers.tobytes() + self.factors.tobytes()


def encode(numbers: Ints, vectors: Floats, centre: Floats) -> Block:
    own = vectors - centre
    above = own > 0
    far = np.abs(own) > _FAR * np.sqrt((own * own).mean(axis=1, keepdims=True))
    low = above == far
    levels = 2.0 * above + low - 1.5
    factors = (own * own).sum(axis=1) / np.maximum((own * levels).sum(axis=1), 1e-9)
    return Block(numbers.astype(_NUMBER), factors.astype(_FACTOR), np.stack([_words(above), _words(low)]))


def decode(raw: bytes, dimensions: int) -> Block | None:
    """A block as it was stored; None if that is no block."""
    words = _words_for(dimensions)
    each = 12 + 16 * words
    count, rest = divmod(len(raw), each)
    if rest or not count:
        return None
    at = 16 * words * count
    return Block(
        np.frombuffer(raw, _NUMBER, count, at),
        np.frombuffer(raw, _FACTOR, count, at + 8 * count),
        np.frombuffer(raw, _WORD, 2 * words * count).reshape(2, words, count),
    )


def join(one: Block, other: Block) -> Block:
    return Block(
        np.concatenate((one.numbers, other.numbers)),
        np.concatenate((one.factors, other.factors)),
        np.concatenate((one.bits, other.bits), axis=2),
    )


def part(block: Block, which: slice | NDArray[np.bool_]) -> Block:
    return Block(block.numbers[which], block.factors[which], block.bits[:, :, which])


class Question:
    """A vector to compare codes with."""

    def __init__(self, vector: Floats) -> None:
        step = max(_STEP * float(vector.std()), 1e-12)
        parts = np.clip(np.rint(vector / step), -4, 3).astype(np.int64)
        planes = np.stack([_words(((parts >> i) & 1).astype(bool)[None, :])[:, 0] for i in range(3)])
        self._planes = planes[:, None, :, None]
        self._weights = np.repeat(np.outer(_PLANES, _LEVELS).reshape(-1), planes.shape[1]) * np.float32(step)
        self._middle = np.float32(1.5 * step * parts.sum())

    def estimates(self, block: Block) -> Floats:
        """Of the cosine, without what all have in common."""
        common = np.bitwise_count(block.bits & self._planes).reshape(len(self._weights), -1)
        summed: Floats = (self._weights @ common.astype(np.float32) - self._middle) * block.factors
        return summed


def add(db: apsw.Connection, model: int, dimensions: int, new: Block) -> None:
    """Append to the last block while it has room, then begin new ones."""
    row = db.execute(
        "SELECT block, CAST(codes AS BLOB) FROM vector_codes WHERE model = ? ORDER BY block DESC LIMIT 1", (model,)
    ).fetchone()
    last = decode(row[1], dimensions) if row else None
    if row and last is not None and len(last.numbers) < FULL:
        new = join(last, new)
        db.execute("DELETE FROM vector_codes WHERE block = ?", (row[0],))
    for start in range(0, len(new.numbers), FULL):
        raw = part(new, slice(start, start + FULL)).to_bytes()
        db.execute("INSERT INTO vector_codes (model, codes, checksum) VALUES (?, ?, ?)", (model, raw, crc32(raw)))


def blocks(db: apsw.Connection, model: int, dimensions: int, after: int = 0) -> Iterator[tuple[int, Block]]:
    """All that can be read, with their numbers, one at a time: a book's codes need not fit into memory."""
    rows = db.execute(
        "SELECT block, CAST(codes AS BLOB) FROM vector_codes WHERE model = ? AND block > ? ORDER BY block",
        (model, after),
    )
    for number, raw in rows:
        block = decode(raw, dimensions)
        if block is not None:
            yield number, block


def is_sound(db: apsw.Connection, model: int, dimensions: int, expected: Iterable[int]) -> bool:
    """Is every block as it was written, and does every one of these memories have a code?"""
    known: list[Ints] = []
    for raw, checksum in db.execute("SELECT CAST(codes AS BLOB), checksum FROM vector_codes WHERE model = ?", (model,)):
        block = decode(raw, dimensions) if crc32(raw) == checksum else None
        if block is None:
            return False
        known.append(block.numbers.copy())
    return bool(np.isin(np.fromiter(expected, dtype=np.int64), np.concatenate(known) if known else []).all())


def best(stored: Iterable[Block], vector: Floats, count: int) -> Ints:
    """The numbers of the `count` memories with the best estimates, best first; each once."""
    question, found = Question(vector), _Best(count)
    blocks = iter(stored)
    while some := [*islice(blocks, _AT_ONCE)]:
        found.add(np.concatenate([*map(question.estimates, some)]), np.concatenate([block.numbers for block in some]))
    return found.numbers()


class _Best:
    """The best so far, and the floor below which nothing is worth looking at."""

    def __init__(self, count: int) -> None:
        # Twice as many as are asked for: several passages of one memory count once.
        self._count, self._room, self.floor = count, 2 * count, -np.inf
        self._scores, self._numbers = [np.empty(0, dtype=np.float32)], [np.empty(0, dtype=np.int64)]
        self._many = 0

    def add(self, scores: Floats, numbers: Ints) -> None:
        good = np.flatnonzero(scores > self.floor)
        if len(good):
            self._scores.append(scores[good])
            self._numbers.append(numbers[good])
            self._many += len(good)
        if self._many > 4 * self._room:
            self._shorten()

    def _shorten(self) -> None:
        scores, numbers = np.concatenate(self._scores), np.concatenate(self._numbers)
        top = np.argpartition(-scores, self._room)[: self._room]
        self._scores, self._numbers, self._many = [scores[top]], [numbers[top]], self._room
        self.floor = float(self._scores[0].min())

    def numbers(self) -> Ints:
        scores, numbers = np.concatenate(self._scores), np.concatenate(self._numbers)
        ordered = numbers[np.lexsort((numbers, -scores))]
        _, first = np.unique(ordered, return_index=True)
        once: Ints = ordered[np.sort(first)][: self._count]
        return once


def forget(db: apsw.Connection, model: int, dimensions: int, n: int) -> None:
    """Destroy the codes of memory `n`. Looks through all of them: purging is rare, and rewrites the file anyway."""
    for (number,) in db.execute("SELECT block FROM vector_codes WHERE model = ?", (model,)).fetchall():
        raw: Any = db.execute("SELECT CAST(codes AS BLOB) FROM vector_codes WHERE block = ?", (number,)).get
        block = decode(raw, dimensions)
        if block is None or (block.numbers == n).any():
            left = part(block, block.numbers != n) if block is not None else None
            if left is not None and len(left.numbers):
                stored = left.to_bytes()
                db.execute(
                    "UPDATE vector_codes SET codes = ?, checksum = ? WHERE block = ?", (stored, crc32(stored), number)
                )
            else:
                db.execute("DELETE FROM vector_codes WHERE block = ?", (number,))


def _words(bits: NDArray[np.bool_]) -> Words:
    """Rows of bits as words x rows."""
    room = _words_for(bits.shape[1]) * 8
    packed = np.zeros((len(bits), room), dtype=np.uint8)
    filled = np.packbits(bits, axis=1, bitorder="little")
    packed[:, : filled.shape[1]] = filled
    return np.ascontiguousarray(packed.view(_WORD).T)


def _words_for(dimensions: int) -> int:
    return -(-dimensions // 64)
