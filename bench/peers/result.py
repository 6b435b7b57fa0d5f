"""What was measured of one system, and how numbers are told."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.measure import median
from bench.peers.catalogue import Entry

MISSING = "–"


@dataclass
class Result:
    """One row of every table. What could not be measured stays empty, and `trouble` says why."""

    entry: Entry
    version: str = ""
    trouble: str = ""
    remarks: list[str] = field(default_factory=list)
    loaded: int = 0
    load_seconds: float = 0.0
    load_cpu: float = 0.0
    disk: float = math.nan
    known: list[float] = field(default_factory=list)
    known_cpu: list[float] = field(default_factory=list)
    typed: list[float] = field(default_factory=list)
    hits: list[bool] = field(default_factory=list)
    puts: list[float] = field(default_factory=list)
    flushes: float = math.nan
    searches: int = 0
    resident: list[int] = field(default_factory=list)
    """In bytes: opened and asked once; after the searches; with the model."""
    cold_words: float = math.nan
    cold_meaning: float = math.nan


def part(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies; nan if there are none."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else math.nan


def middle(values: Sequence[float]) -> float:
    return median(values) if values else math.nan


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def told(value: float, form: str = "{:.2f}") -> str:
    return MISSING if math.isnan(value) else form.format(value)


def ratio(theirs: float, ours: float) -> str:
    """How many times our cost: above one they are dearer."""
    return told(theirs / ours if ours else math.nan, "{:.3g} x")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
