"""How well a ranking answers: hit, recall, all, nDCG and MRR per question; means with bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

DEPTHS = (1, 5, 10, 20)
SHOWN = ("hit@1", "hit@5", "hit@10", "rec@5", "rec@10", "rec@20", "all@5", "all@10", "ndcg@10", "mrr")


def score(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Every metric of one question with an answer."""
    found = [each in gold for each in ranked]
    scored: dict[str, float] = {}
    for depth in DEPTHS:
        held = sum(found[:depth])
        scored |= {
            f"hit@{depth}": float(held > 0),
            f"rec@{depth}": held / len(gold),
            f"all@{depth}": float(held == len(gold)),
        }
    return scored | {"ndcg@10": _ndcg(found[:10], len(gold)), "mrr": _first(found)}


def _ndcg(found: list[bool], wanted: int) -> float:
    gained = sum(1 / math.log2(place + 2) for place, hit in enumerate(found) if hit)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(10, wanted)))


def _first(found: list[bool]) -> float:
    return next((1 / (place + 1) for place, hit in enumerate(found) if hit), 0.0)


def newer_first(ranked: Sequence[str], older: Collection[str], newer: Collection[str]) -> float | None:
    """1.0 when the best newer statement stands above the best outdated one; None when neither was found."""
    places = {each: place for place, each in enumerate(ranked)}
    new = min((places[each] for each in newer if each in places), default=math.inf)
    old = min((places[each] for each in older if each in places), default=math.inf)
    return None if new == old else float(new < old)


def both_sides(ranked: Sequence[str], sides: Sequence[Collection[str]], depth: int = 10) -> float:
    top = set(ranked[:depth])
    return float(all(top & set(side) for side in sides))


def auroc(present: Sequence[float], absent: Sequence[float]) -> float:
    """The chance that a question with an answer is given more confidence than one without; ties count half."""
    if not len(present) or not len(absent):
        return math.nan
    a, b = np.asarray(present, float)[:, None], np.asarray(absent, float)[None, :]
    return float((a > b).mean() + (a == b).mean() / 2)


def interval(values: Sequence[float], *, draws: int = 1000, seed: int = 7) -> tuple[float, float, float]:
    """Mean and 95 % bootstrap interval over questions."""
    held = np.asarray(values, float)
    picks = np.random.default_rng(seed).integers(0, len(held), (draws, len(held)))
    low, high = np.percentile(held[picks].mean(axis=1), (2.5, 97.5))
    return float(held.mean()), float(low), float(high)


def difference(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """Mean paired difference with its interval: two systems are compared on the same questions, never by two means."""
    return interval(np.asarray(ours, float) - np.asarray(theirs, float))
