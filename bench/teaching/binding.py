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
    judges = "even" in learnt
    if judges:
        pages["classifier.bias"] = _row(numbers.row("classifier.bias"), learnt["even"], share)
    for part, name in _matrices(judges=judges).items():
        if not learnt[f"{name}.right"].any():
            continue  # a layer that stayed as it is
        pages |= _thin(numbers.stored[part], learnt[f"{name}.left"] * share, learnt[f"{name}.right"])
        pages[f"{numbers.prefix}{part}.bias"] = _row(numbers.row(f"{part}.bias"), learnt[f"{name}.bias"], share)
    for part, name in _norms().items():
        for each in ("weight", "bias"):
            pages[f"{numbers.prefix}{part}.{each}"] = _row(
                numbers.row(f"{part}.{each}"), learnt[f"{name}.{each}"], share
            )
    np.savez_compressed(lesson, **pages)


def unbind(model: Path, lesson: Path) -> dict[str, torch.Tensor]:
    """What was learnt, as `bind` was handed it, if it kept all of it: another course can begin with that."""
    numbers = Numbers(model)
    with np.load(lesson, allow_pickle=False) as held:
        pages = {name: held[name] for name in held.files}
    matrices = _matrices(judges="classifier.bias" in pages)
    rows = {f"{part}.bias": f"{name}.bias" for part, name in matrices.items()}
    rows |= {f"{part}.{each}": f"{name}.{each}" for part, name in _norms().items() for each in ("weight", "bias")}
    known = {f"{numbers.prefix}{part}": name for part, name in rows.items()} | {"classifier.bias": "even"}
    learnt = {name: torch.tensor(pages[page]) for page, name in known.items() if page in pages}
    for part, name in matrices.items():
        stored = numbers.stored[part]
        if f"{stored}.left" in pages:  # else a layer that stayed as it is
            step = float(np.sqrt(pages[f"{stored}.step"] / GAIN))
            for side in ("left", "right"):
                learnt[f"{name}.{side}"] = torch.tensor(pages[f"{stored}.{side}"] * step, dtype=torch.float32)
    return learnt


def _matrices(*, judges: bool) -> dict[str, str]:
    """The matrices by their names in the model's file and in ours."""
    parts = {
        f"encoder.layer.{n}.{part}": f"layers.{n}.{part.replace('.', '_')}" for n in range(DEPTH) for part in MATRICES
    }
    return parts | ({"pooler.dense": "pool"} if judges else {})


def _norms() -> dict[str, str]:
    norms = {"embeddings.LayerNorm": "norm"}
    for n in range(DEPTH):
        norms |= {f"encoder.layer.{n}.attention.output.LayerNorm": f"layers.{n}.first"}
        norms |= {f"encoder.layer.{n}.output.LayerNorm": f"layers.{n}.second"}
    return norms


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
