"""Codes: two bits for each dimension, so that every vector can be looked at without reading every vector.

Vectors of one model have much in common: they all lie around one centre. What a vector has of the direction of the centre is
kept as a number; what is left is its own, and each dimension of that becomes one of four levels: far below, below, above,
far above. A code, that number and one factor give an estimate of the cosine (`proposing.py`); the best of the estimates are
then compared as they really are (`nearest.py`). Nothing here decides an answer: a code that is missing, outdated or damaged
can only fail to propose a memory.

A block holds up to `FULL` codes: the two planes of bits, word by word, so that one instruction meets the same word of many
codes; then their memories' numbers, their factors, and what they have of the centre's direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import apsw
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Words = NDArray[np.uint64]

# As many as a processor's cache holds at once, with what is computed of them. Rows of up to 4,096 numpy goes through at half
# the speed.
FULL = 5_120
# Below so many vectors each is looked at as it is; from there on there is a centre that means something.
ENOUGH = 1_024
# Where "above" becomes "far above", in standard deviations: what loses least of a bell curve in four levels.
_FAR = 0.98
_NUMBER, _FACTOR, _WORD = np.dtype("<i8"), np.dtype("<f4"), np.dtype("<u8")


class Block(NamedTuple):
    """Codes of many vectors: whose they are, factors, their parts along the centre, and bits as planes x words x vectors."""

    numbers: Ints
    factors: Floats
    along: Floats
    bits: Words

    def to_bytes(self) -> bytes:
        return b"".join(part.tobytes() for part in (self.bits, self.numbers, self.factors, self.along))


def direction(centre: Floats) -> Floats:
    return centre / max(float(np.linalg.norm(centre)), 1e-12)


def encode(numbers: Ints, vectors: Floats, centre: Floats) -> Block:
    own = vectors - centre
    along = own @ direction(centre)
    own -= along[:, None] * direction(centre)
    above = own > 0
    far = np.abs(own) > _FAR * np.sqrt((own * own).mean(axis=1, keepdims=True))
    low = above == far
    levels = 2.0 * above + low - 1.5
    factors = (own * own).sum(axis=1) / np.maximum((own * levels).sum(axis=1), 1e-9)
    bits = np.stack([words_of(above), words_of(low)])
    return Block(numbers.astype(_NUMBER), factors.astype(_FACTOR), along.astype(_FACTOR), bits)


def decode(raw: bytes, dimensions: int) -> Block | None:
    """A block as it was stored; None if that is no block."""
    words = -(-dimensions // 64)
    count, rest = divmod(len(raw), 16 + 16 * words)
    if rest or not count:
        return None
    at = 16 * words * count
    return Block(
        np.frombuffer(raw, _NUMBER, count, at),
        np.frombuffer(raw, _FACTOR, count, at + 8 * count),
        np.frombuffer(raw, _FACTOR, count, at + 12 * count),
        np.frombuffer(raw, _WORD, 2 * words * count).reshape(2, words, count),
    )


def join(blocks: Sequence[Block]) -> Block:
    return Block._make(np.concatenate(each, axis=-1) for each in zip(*blocks, strict=True))


def part(block: Block, which: slice | NDArray[np.bool_]) -> Block:
    return Block._make(each[..., which] for each in block)


def some(block: Block, which: Ints) -> Block:
    return Block(
        block.numbers.take(which), block.factors.take(which), block.along.take(which), block.bits.take(which, axis=2)
    )


def add(db: apsw.Connection, model: int, dimensions: int, new: Block) -> None:
    """Append to the last block while it has room, then begin new ones."""
    row = db.execute(
        "SELECT block, CAST(codes AS BLOB) FROM vector_codes WHERE model = ? ORDER BY block DESC LIMIT 1", (model,)
    ).fetchone()
    last = decode(row[1], dimensions) if row else None
    if row and last is not None and len(last.numbers) < FULL:
        new = join((last, new))
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


def words_of(bits: NDArray[np.bool_]) -> Words:
    """Rows of bits as words x rows."""
    packed = np.zeros((len(bits), -(-bits.shape[1] // 64) * 8), dtype=np.uint8)
    filled = np.packbits(bits, axis=1, bitorder="little")
    packed[:, : filled.shape[1]] = filled
    return np.ascontiguousarray(packed.view(_WORD).T)
