"""A question beside stored vectors: in whole numbers, so that a cosine is the same to the last digit in whatever company, and on
whatever processor.

A stored vector is bytes. The question becomes two rows of bytes: itself in coarse steps, and what those leave over in fine ones.
Bytes times bytes, added up, are whole numbers; nothing is rounded until the two sums are put together. simsimd adds up such bytes
five times as fast as numpy turns them into numbers first; where it is not installed, numpy gives the same sums (docs/adr/0034).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

try:
    from simsimd import cdist
except ImportError:  # no wheel for this processor: the same, only slower
    cdist = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Bytes = NDArray[np.int8]
    Sums = NDArray[np.float64]

_LARGEST = 127
# Sums of so many products of bytes are whole numbers that 32 bits of a float still hold exactly.
_EXACT = 1_024
# Rows become numbers in pieces that a processor's cache holds: four times as fast as all at once.
_PIECE = 512


class Probe(NamedTuple):
    """A question's unit vector, ready to be compared with stored ones."""

    unit: Floats
    parts: Bytes
    """Coarse and fine: two rows of bytes."""
    steps: tuple[float, float]
    """What one is worth in each of them."""


def probe(unit: Floats) -> Probe:
    exactly = unit.astype(np.float64)
    coarse = max(float(np.abs(exactly).max(initial=0.0)), 1e-12) / _LARGEST
    parts = np.empty((2, len(unit)), dtype=np.int8)
    parts[0] = np.rint(exactly / coarse)
    fine = coarse / (2 * _LARGEST)
    parts[1] = np.rint((exactly - parts[0] * coarse) / fine)
    return Probe(unit, parts, (coarse, fine))


def dots(codes: Bytes, asked: Probe) -> Floats:
    """Each row of bytes times the question."""
    sums = _sums(asked.parts, codes)
    found: Sums = sums[0] * asked.steps[0]
    found += sums[1] * asked.steps[1]
    return found.astype(np.float32)


def is_quick() -> bool:
    """Are bytes compared as bytes here?"""
    return cdist is not None


def rough_dots(codes: Bytes, asked: Probe) -> Floats:
    """The same by the coarse row alone, in half the time: enough to see who may be among the best."""
    found: Floats = (_sums(asked.parts[:1], codes)[0] * asked.steps[0]).astype(np.float32)
    return found


def doubt(asked: Probe) -> float:
    """So far a rough cosine is from the real one at most. What was rounded off is anything up to half a step in each dimension,
    which adds up to a bell curve around nought; this is its sixfold width."""
    return 6 * asked.steps[0] / sqrt(12)


def _sums(parts: Bytes, codes: Bytes) -> Sums:
    if not len(codes):
        return np.empty((len(parts), 0))
    return _by_numpy(parts, codes) if cdist is None else _by_simsimd(parts, codes)


def _by_simsimd(parts: Bytes, codes: Bytes) -> Sums:
    found: Any = cdist(parts, codes, "dot")
    return np.asarray(found, dtype=np.float64)


def _by_numpy(parts: Bytes, codes: Bytes) -> Sums:
    sums = np.zeros((len(parts), len(codes)))
    for at in range(0, codes.shape[1], _EXACT):
        question = parts[:, at : at + _EXACT].astype(np.float32).T
        for start in range(0, len(codes), _PIECE):
            piece = codes[start : start + _PIECE, at : at + _EXACT].astype(np.float32)
            sums[:, start : start + len(piece)] += (piece @ question).T
    return sums
