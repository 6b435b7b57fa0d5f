"""Does it find the right memory? LoCoMo, turn by turn, asked of every peer through the same promise as the quality bench."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.peers.catalogue import OURS, Entry
from bench.peers.environments import Home
from bench.peers.process import Worker, WorkerError
from bench.peers.result import Result, table
from bench.quality.cases import Item
from bench.quality.embedder import documents, queries
from bench.quality.metrics import difference, interval
from bench.quality.runner import Answer, ask
from bench.quality.systems import SYSTEMS, Ranking, System

# Of the half on which none of our weights was chosen: that is the first five.
CONVERSATIONS = slice(5, 7)
_METRICS = ("rec@10", "all@10")


class PeerSystem:
    """A peer as `bench.quality.systems.System`."""

    def __init__(self, entry: Entry, home: Home, folder: Path) -> None:
        self.worker = Worker(entry, home, folder / "peer")

    def add(self, items: Sequence[Item]) -> None:
        size = int(self.worker.about["batch"])
        for at in range(0, len(items), size):
            part = items[at : at + size]
            texts = [item.text for item in part]
            if self.worker.entry.takes_vectors:
                self.worker.learn(dict(zip(texts, documents(texts), strict=True)), {})
            self.worker.ask("add", items=[(item.id, item.text, item.when) for item in part])

    def search(self, query: str, k: int) -> Ranking:
        if self.worker.entry.takes_vectors:
            self.worker.learn({}, {query: queries([query])[0]})
        found = self.worker.ask("search", texts=[query], k=k)["found"][0]
        return Ranking.of([(id, score) for id, score in found])

    def close(self) -> None:
        with suppress(WorkerError):  # it was told already, by the question that failed
            self.worker.close()


def locomo(results: Sequence[Result], homes: dict[str, Home], questions: int | None = None) -> Iterator[str]:
    """The table, if COMMONPLACE_DATA names the folder of the public sets."""
    if "COMMONPLACE_DATA" not in os.environ:
        yield "Quality on LoCoMo: not run: COMMONPLACE_DATA is not set."
        return
    from bench.quality.locomo import turns

    cases = turns()
    cases = replace(cases, stores=cases.stores[CONVERSATIONS])
    queries([question.text for store in cases.stores for question in store.questions])
    answered: dict[str, list[Answer]] = {}
    troubles: dict[str, str] = {}
    for name, opened in _systems(results, homes).items():
        try:
            answered[name] = list(ask(cases, name, opened, questions))
        except WorkerError as cause:
            troubles[name] = str(cause)
    yield "LoCoMo, turn view, its sixth and seventh conversation, in points with 95 % half-widths:\n"
    yield from table(
        ("system", "n", "recall@10", "all@10", "recall@10 behind ours"),
        [_row(name, held, answered["commonplace"]) for name, held in answered.items()],
    )
    for name, why in troubles.items():
        yield f"  {name}: not run: {why}"


def _systems(results: Sequence[Result], homes: dict[str, Home]) -> dict[str, Callable[[Path], System]]:
    """Ours as it comes, with reranking; the floors of the quality bench; every peer that runs."""
    ours = {"commonplace": SYSTEMS["commonplace"], "FTS5": SYSTEMS["bm25"], "exact vectors": SYSTEMS["e5"]}
    peers = [each.entry for each in results if each.entry.needs and each.entry.name in homes]
    plain = {"commonplace, no reranking": partial(PeerSystem, OURS, homes["commonplace"])}
    return ours | plain | {entry.name: partial(PeerSystem, entry, homes[entry.name]) for entry in peers}


def _row(name: str, held: list[Answer], ours: list[Answer]) -> tuple[str, ...]:
    cells = [_cell([answer.metrics[metric] for answer in held]) for metric in _METRICS]
    pairs = [[answer.metrics["rec@10"] for answer in each] for each in (ours, held)]
    mean, low, high = difference(*pairs)
    behind = "–" if held is ours else f"{100 * mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    return name, str(len(held)), *cells, behind


def _cell(values: list[float]) -> str:
    mean, low, high = interval(values)
    return f"{100 * mean:.1f} ±{50 * (high - low):.1f}"
