"""Tables from answers: per set and category, each mean with its 95 % interval, and the numbers that compare systems."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from bench.quality.metrics import auroc, difference, interval
from bench.quality.runner import Answer

COLUMNS = ("hit@1", "hit@5", "hit@10", "rec@5", "rec@10", "all@5", "all@10", "ndcg@10", "mrr")
WIDE = ("ALL", "pointwise 7")
"""Groups of several categories: what has an answer is told from what has none in each of them."""


def table(title: str, answers: Sequence[Answer], groups: dict[str, Callable[[Answer], bool]]) -> Iterator[str]:
    systems = list(dict.fromkeys(answer.system for answer in answers))
    yield f"**{title}**\n"
    yield f"| system | category | n | {' | '.join(COLUMNS)} | ms p50 |"
    yield "|" + "---|" * (len(COLUMNS) + 4)
    for group, belongs in groups.items():
        for system in systems:
            held = [each for each in answers if each.system == system and each.answerable and belongs(each)]
            if held:
                yield _row(system, group, held)
    yield ""
    yield from _single_numbers(systems, answers, groups)


def _row(system: str, group: str, held: list[Answer]) -> str:
    cells = [_cell([answer.metrics[column] for answer in held]) for column in COLUMNS]
    cost = 1000 * statistics.median(answer.seconds for answer in held)
    return f"| {system} | {group} | {len(held)} | {' | '.join(cells)} | {cost:.1f} |"


def _cell(values: list[float]) -> str:
    mean, low, high = interval(values)
    return f"{100 * mean:.1f} ±{50 * (high - low):.1f}"


def _single_numbers(
    systems: list[str], answers: Sequence[Answer], groups: dict[str, Callable[[Answer], bool]]
) -> Iterator[str]:
    for system in systems:
        held = [answer for answer in answers if answer.system == system]
        for name in ("newer first", "both sides@10"):
            values = [answer.metrics[name] for answer in held if name in answer.metrics]
            if values:
                yield f"{system}: {name} {_cell(values)} (n = {len(values)})"
        absent = [answer.confidence for answer in held if not answer.answerable]
        for group in WIDE if absent else ():
            belongs = groups.get(group, lambda _: False)
            present = [answer.confidence for answer in held if answer.answerable and belongs(answer)]
            if present:
                said = f"AUROC {auroc(present, absent):.3f} ({len(present)} / {len(absent)})"
                yield f"{system}: {group} told from 'not in memory', {said}"


def regret(fused: Sequence[Answer], channels: Sequence[Sequence[Answer]], metric: str = "rec@10") -> str:
    """The best single channel minus the fusion, paired on the same questions; at or below nought nothing was lost."""
    values = [[answer.metrics[metric] for answer in held if answer.answerable] for held in (fused, *channels)]
    best = max(values[1:], key=statistics.fmean)
    mean, low, high = difference(best, values[0])
    return f"fusion regret, {metric}: {100 * mean:.1f} points ({100 * low:.1f} to {100 * high:.1f})"
