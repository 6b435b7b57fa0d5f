"""What was learnt becomes a lesson: the small file that `commonplace.providers.lesson` puts into a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from bench.teaching.encoder import DEPTH, GAIN, MATRICES, Numbers

FINEST = 2047
"""Whole numbers up to this: their products are exact, and what is lost is far below what rounding the matrices loses."""


def bind(model: Path, learnt: dict[str, torch.Tensor], lesson: Path, share: float) -> None:
    """`share`: how much of what was learnt is kept."""
    numbers, pages = Numbers(model), {}
    parts = {
        f"encoder.layer.{n}.{part}": f"layers.{n}.{part.replace('.', '_')}" for n in range(DEPTH) for part in MATRICES
    }
    if "even" in learnt:
        parts["pooler.dense"] = "pool"
        pages["classifier.bias"] = _row(numbers.row("classifier.bias"), learnt["even"], share)
    for part, name in parts.items():
        if not learnt[f"{name}.right"].any():
            continue  # a layer that stayed as it is
        pages |= _thin(numbers.stored[part], learnt[f"{name}.left"] * share, learnt[f"{name}.right"])
        pages[f"{numbers.prefix}{part}.bias"] = _row(numbers.row(f"{part}.bias"), learnt[f"{name}.bias"], share)
    norms = {"embeddings.LayerNorm": "norm"}
    for n in range(DEPTH):
        norms |= {f"encoder.layer.{n}.attention.output.LayerNorm": f"layers.{n}.first"}
        norms |= {f"encoder.layer.{n}.output.LayerNorm": f"layers.{n}.second"}
    for part, name in norms.items():
        for each in ("weight", "bias"):
            pages[f"{numbers.prefix}{part}.{each}"] = _row(
                numbers.row(f"{part}.{each}"), learnt[f"{name}.{each}"], share
            )
    np.savez_compressed(lesson, **pages)


def _thin(stored: str, left: torch.Tensor, right: torch.Tensor) -> dict[str, np.ndarray]:
    """Two thin matrices in whole numbers, turned so that both use their range alike."""
    basis, rest = np.linalg.qr(left.double().numpy() * GAIN)
    turned, sizes, across = np.linalg.svd(rest @ right.double().numpy(), full_matrices=False)
    one, other = (basis @ turned) * np.sqrt(sizes), np.sqrt(sizes)[:, None] * across
    steps = np.abs(one).max() / FINEST, np.abs(other).max() / FINEST
    return {
        f"{stored}.left": np.rint(one / steps[0]).astype("<i2"),
        f"{stored}.right": np.rint(other / steps[1]).astype("<i2"),
        f"{stored}.step": np.float64(steps[0] * steps[1]),
    }


def _row(before: np.ndarray, learnt: torch.Tensor, share: float) -> np.ndarray:
    return (before + np.float32(share) * (learnt.numpy() - before)).astype("<f4")
