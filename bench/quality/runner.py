"""Asks every system every question of a set and writes down, question by question, what came back."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.quality.cases import Cases, Question, Store
from bench.quality.metrics import both_sides, newer_first, score
from bench.quality.systems import Ranking, System

DEPTH = 50  # deep enough for every metric and for sessions told by their turns


@dataclass(frozen=True)
class Answer:
    """One question asked of one system: what came back, how good it was, what it cost."""

    set: str
    system: str
    store: str
    question: str
    category: str
    answerable: bool
    ranked: tuple[str, ...]
    confidence: float
    seconds: float
    metrics: dict[str, float] = field(default_factory=dict)


def ask(cases: Cases, name: str, opened: Callable[[Path], System], limit: int | None = None) -> Iterator[Answer]:
    asked = 0
    for store in cases.stores:
        if limit is not None and asked >= limit:
            return
        questions = store.questions if limit is None else store.questions[: limit - asked]
        asked += len(questions)
        yield from _one_store(cases, name, opened, store, questions)


def _one_store(
    cases: Cases, name: str, opened: Callable[[Path], System], store: Store, questions: Iterable[Question]
) -> Iterator[Answer]:
    with tempfile.TemporaryDirectory(prefix="commonplace-quality-") as folder:
        system = opened(Path(folder))
        try:
            system.add(store.items)
            for question in questions:
                yield _answer(cases, name, system, store, question)
        finally:
            system.close()


def _answer(cases: Cases, name: str, system: System, store: Store, question: Question) -> Answer:
    begun = time.perf_counter()
    ranking = system.search(question.text, 4 * DEPTH if cases.by_session else DEPTH)
    seconds = time.perf_counter() - begun
    ranked = _sessions(ranking, store) if cases.by_session else ranking.ids
    gold = question.sessions if cases.by_session else question.gold
    metrics = score(ranked, gold) if gold else {}
    metrics |= {} if cases.by_session else _more(ranked, question)
    return Answer(
        set=cases.name,
        system=name,
        store=store.name,
        question=question.id,
        category=question.category,
        answerable=bool(gold),
        ranked=tuple(ranked[:DEPTH]),
        confidence=ranking.confidence,
        seconds=seconds,
        metrics=metrics,
    )


def _sessions(ranking: Ranking, store: Store) -> tuple[str, ...]:
    """Sessions by their best turn."""
    home = {item.id: item.session for item in store.items}
    return tuple(dict.fromkeys(home[id] for id in ranking.ids))


def _more(ranked: tuple[str, ...], question: Question) -> dict[str, float]:
    more: dict[str, float] = {}
    if question.older and question.newer:
        more["newer first"] = newer_first(ranked, question.older, question.newer) or 0.0
    if question.sides:
        more["both sides@10"] = both_sides(ranked, question.sides)
    return more


def write(answers: Iterable[Answer], path: Path) -> None:
    """One JSON line per question, so that two runs can be compared question by question."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        for answer in answers:
            out.write(json.dumps(asdict(answer), ensure_ascii=False) + "\n")
