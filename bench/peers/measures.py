"""The measures, in their order. All systems are open at the same time and take turns, so that a busy moment hits all of them.

Each is loaded, closed, opened again in a new process, asked, written to, closed, and started cold. A peer that fails or takes
too long drops out where it stands, and its row says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench.peers.environments import Home, NotHereError, home_of
from bench.peers.flushes import flushes_per_put
from bench.peers.process import Worker, WorkerError, first_answer
from bench.peers.result import Result
from bench.peers.texts import Told, told
from bench.quality.embedder import documents, queries

T = TypeVar("T")
K = 10


@dataclass(frozen=True)
class Plan:
    """How much is measured. A peer that is slower than its time allows is measured on less, and says so."""

    records: int = 10_000
    questions: int = 200
    searches: int = 1_000
    typed: int = 40
    puts: int = 100
    load_seconds: float = 240.0
    phase_seconds: float = 90.0


class Bench:
    """One run: the made-up memories with their vectors, and every system that could be started."""

    def __init__(self, plan: Plan, results: Sequence[Result], folder: Path, homes: Path) -> None:
        self.plan, self.results, self.folder, self.homes = plan, results, folder, homes
        self.home: dict[str, Home] = {}
        self.open: dict[str, Worker] = {}
        self.spent: dict[str, float] = {}
        # Beyond the records: what is put in one by one, and, with their questions only, what is asked as text.
        self.told = told(plan.records + plan.puts)
        self.distinct = min(plan.searches, plan.records - plan.typed - 1)
        spread = max(1, plan.records // (self.distinct + plan.typed + 1))
        self.asked = self.told[: plan.records : spread]

    def run(self) -> Iterator[str]:
        yield "  vectors of all texts ..."
        self.vectors = documents([each.text for each in self.told])
        self.questions = queries([each.question for each in self.asked[: self.distinct]])
        for result in self.results:
            yield f"  {result.entry.name}: installing and loading ..."
            self._guarded(result, self._load)
        for name, phase in (
            ("opening again", self._each(self._reopen)),
            ("searches, vector known", self._search),
            ("more searches", self._each(self._many)),
            ("searches from text", self._type),
            ("single writes", self._put),
            ("cold starts and flushes", self._each(self._end)),
        ):
            yield f"  {name} ..."
            self.spent.clear()
            phase()

    def _guarded(self, result: Result, step: Callable[..., None], *given: Any) -> None:
        """A peer's failure is a finding, not the end of the run."""
        if result.trouble or self.spent.get(result.entry.name, 0.0) > self.plan.phase_seconds:
            return
        began = time.perf_counter()
        try:
            step(result, *given)
        except (WorkerError, NotHereError) as cause:
            result.trouble = str(cause)
            if worker := self.open.pop(result.entry.name, None):
                worker.process.kill()
                worker.end()
        self.spent[result.entry.name] = self.spent.get(result.entry.name, 0.0) + time.perf_counter() - began

    def _each(self, step: Callable[[Result], None]) -> Callable[[], None]:
        def phase() -> None:
            for result in self.results:
                self._guarded(result, step)

        return phase

    def _taking_turns(self, step: Callable[..., None], work: Sequence[T], size: int) -> None:
        for at in range(0, len(work), size):
            for result in self.results:
                self._guarded(result, step, work[at : at + size])

    def _place(self, result: Result) -> Path:
        return self.folder / result.entry.worker

    def _load(self, result: Result) -> None:
        home = self.home[result.entry.name] = home_of(result.entry, self.homes)
        result.version = home.version
        worker = self.open[result.entry.name] = Worker(result.entry, home, self._place(result))
        began, size = time.perf_counter(), int(worker.about["batch"])
        while result.loaded < self.plan.records and time.perf_counter() - began < self.plan.load_seconds:
            part = self.told[result.loaded : min(result.loaded + size, self.plan.records)]
            worker.learn(self._vectors_of(part, result.loaded), {})
            answer = worker.ask("add", items=[_item(each) for each in part])
            result.loaded += len(part)
            result.load_seconds += answer["seconds"]
            result.load_cpu += answer["cpu"]
        if result.loaded < self.plan.records:
            result.remarks.append(
                f"only {result.loaded:,} of {self.plan.records:,} loaded in {self.plan.load_seconds:.0f} s"
            )
        self.open.pop(result.entry.name).close()
        self.spent.clear()
        result.disk = _disk(self._place(result)) / result.loaded

    def _vectors_of(self, part: Sequence[Told], start: int) -> dict[str, np.ndarray]:
        return {each.text: self.vectors[start + place] for place, each in enumerate(part)}

    def _reopen(self, result: Result) -> None:
        name = result.entry.name
        worker = self.open[name] = Worker(result.entry, self.home[name], self._place(result), patience=180)
        self._ask(worker, self.asked[:5], 0)
        result.resident.append(worker.ask("stats")["resident"])

    def _ask(self, worker: Worker, part: Sequence[Told], start: int) -> dict[str, Any]:
        worker.learn({}, {each.question: self.questions[start + place] for place, each in enumerate(part)})
        return worker.ask("search", texts=[each.question for each in part], k=K)

    def _search(self) -> None:
        places = range(min(self.plan.questions, len(self.questions)))

        def step(result: Result, part: range) -> None:
            held = [self.asked[place] for place in part]
            answer = self._ask(self.open[result.entry.name], held, part[0])
            result.known += answer["seconds"]
            result.known_cpu += answer["cpu"]
            result.searches += len(held)
            result.hits += [
                _hit(each, found) for each, found in zip(held, answer["found"], strict=True) if _in(each, result)
            ]

        self._taking_turns(step, places, 10)

    def _many(self, result: Result) -> None:
        worker, began = self.open[result.entry.name], time.perf_counter()
        while result.searches < self.plan.searches and time.perf_counter() - began < self.plan.phase_seconds:
            at = result.searches % self.distinct
            part = self.asked[at : min(at + 20, self.distinct)]
            self._ask(worker, part, at)
            result.searches += len(part)
        result.resident.append(worker.ask("stats")["resident"])

    def _type(self) -> None:
        unknown = self.asked[len(self.questions) : len(self.questions) + self.plan.typed + 1]

        def step(result: Result, part: Sequence[Told]) -> None:
            answer = self.open[result.entry.name].ask("search", texts=[each.question for each in part], k=K)
            result.typed += answer["seconds"] if part[0] is not unknown[0] else []  # the first one loads the model

        self._taking_turns(step, unknown[:1], 1)
        self._taking_turns(step, unknown[1:], 4)
        for result in self.results:
            self._guarded(
                result, lambda each: each.resident.append(self.open[each.entry.name].ask("stats")["resident"])
            )

    def _put(self) -> None:
        def step(result: Result, part: range) -> None:
            worker, held = self.open[result.entry.name], [self.told[place] for place in part]
            worker.learn(self._vectors_of(held, part[0]), {})
            result.puts += worker.ask("put", items=[_item(each) for each in held])["seconds"]

        self._taking_turns(step, range(self.plan.records, len(self.told)), 5)

    def _end(self, result: Result) -> None:
        entry, home, place = result.entry, self.home[result.entry.name], self._place(result)
        worker = self.open.pop(entry.name)
        worker.close()
        text = self.asked[0].question
        if worker.about["words"]:
            result.cold_words = min(first_answer(entry, home, place, "words", text) for _ in range(3))
        if entry.takes_vectors:
            result.cold_meaning = min(first_answer(entry, home, place, "meaning", text) for _ in range(3))
        fresh = self.told[:25]
        result.flushes = flushes_per_put(
            entry,
            home,
            self.folder / f"{entry.worker}-flushes",
            [_item(each) for each in fresh],
            self._vectors_of(fresh, 0),
        )


def _item(each: Told) -> tuple[str, str, str]:
    return each.id, each.text, each.when


def _in(each: Told, result: Result) -> bool:
    """Was the answer among what could be loaded?"""
    return int(each.id[1:]) < result.loaded


def _hit(each: Told, found: Sequence[Sequence[Any]]) -> bool:
    return each.id in (id for id, _ in found)


def _disk(folder: Path) -> int:
    """What the files take on disk, in whole blocks."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())
