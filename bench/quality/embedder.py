"""The embedder the baselines use: the product's own, so that only the searching differs. Vectors are kept between runs.

COMMONPLACE_BENCH_CACHE names a folder for them; without it they are computed again in each run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from commonplace.seam.embedder import Embedder

_kept: dict[bytes, np.ndarray] = {}


def documents(texts: Sequence[str]) -> np.ndarray:
    return _remembered("passage", texts, model().documents)


def queries(texts: Sequence[str]) -> np.ndarray:
    return _remembered("query", texts, lambda asked: np.stack([model().query(text) for text in asked]))


@cache
def model() -> Embedder:
    from commonplace.providers.choice import choose

    found = choose({})
    if found is None:
        raise SystemExit("There is no model here: `pip install 'commonplace[local]'`, then `commonplace setup`.")
    return found


def _remembered(kind: str, texts: Sequence[str], embed: Callable[[list[str]], np.ndarray]) -> np.ndarray:
    if not texts:
        return np.zeros((0, model().dimensions), np.float32)
    keys = [hashlib.sha1(f"{kind}\0{text}".encode()).digest() for text in texts]
    _recall()
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in _kept}
    if missing:
        vectors = np.asarray(embed(list(missing.values())), np.float32)
        _kept.update(zip(missing, vectors, strict=True))
        _keep(list(missing), vectors)
    return np.stack([_kept[key] for key in keys])


def _shelf() -> Path | None:
    named = os.environ.get("COMMONPLACE_BENCH_CACHE")
    return Path(named) / "vectors" if named else None


@cache
def _recall() -> None:
    shelf = _shelf()
    for path in sorted(shelf.glob("*.npz")) if shelf else ():
        with np.load(path) as held:
            _kept.update((key.tobytes(), vector) for key, vector in zip(held["keys"], held["vectors"], strict=True))


def _keep(keys: list[bytes], vectors: np.ndarray) -> None:
    shelf = _shelf()
    if shelf and len(keys) > 1:  # single queries are cheap; files for each of them are not
        shelf.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha1(b"".join(keys)).hexdigest()
        np.savez(shelf / f"{name}.npz", keys=np.stack([np.frombuffer(key, np.uint8) for key in keys]), vectors=vectors)
