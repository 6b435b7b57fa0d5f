"""The command: which sets, which views, which systems; then ask, write and tell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from bench.quality import beam, locomo, longmemeval, report, scifact, worlds
from bench.quality.cases import Cases
from bench.quality.runner import Answer, ask, write
from bench.quality.systems import SYSTEMS


def _by_session(cases: Cases) -> Cases:
    return replace(cases, name=cases.name.replace("turn", "turn to session"), by_session=True)


VIEWS: dict[str, tuple[Callable[[], Cases], ...]] = {
    "locomo": (locomo.turns, locomo.sessions, lambda: _by_session(locomo.turns())),
    "longmemeval": (
        lambda: longmemeval.turns(official=True),
        lambda: longmemeval.sessions(official=True),
        lambda: _by_session(longmemeval.turns(official=True)),
        lambda: longmemeval.turns(official=True, absent=True),
        lambda: longmemeval.turns(official=False),
        longmemeval.pool_turns,
        longmemeval.pool_sessions,
        longmemeval.u500_sessions,
    ),
    "beam": (beam.messages,),
    "scifact": (scifact.documents,),
    "worlds": (worlds.whole, worlds.young, worlds.sittings),
}


def run(argv: list[str]) -> Iterator[str]:
    asked = _arguments().parse_args(argv)
    for set in asked.set or VIEWS:
        for view in VIEWS[set]:
            cases = view()
            if not asked.view or cases.name.endswith(asked.view):
                yield from _measure(cases, asked.system or ["bm25", "e5", "rrf", "commonplace"], asked.limit, asked.out)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench quality", description="retrieval quality on public sets")
    parser.add_argument("--set", action="append", choices=list(VIEWS), help="again for another; default: all")
    parser.add_argument(
        "--view",
        help="only views whose name ends so: session, 'official turn', 'absent turn', 'pool session', message, young, sitting",
    )
    parser.add_argument("--system", action="append", choices=list(SYSTEMS), help="again for another")
    parser.add_argument("--limit", type=int, help="at most this many questions of each set")
    parser.add_argument("--out", type=Path, help="folder for per-question results, one JSON line each")
    return parser


def _measure(cases: Cases, systems: list[str], limit: int | None, out: Path | None) -> Iterator[str]:
    answers: dict[str, list[Answer]] = {}
    for system in systems:
        answers[system] = list(ask(cases, system, SYSTEMS[system], limit))
        if out:
            write(answers[system], out / f"{cases.name.replace(' ', '-')}.{system}.jsonl")
    together = [answer for held in answers.values() for answer in held]
    yield from report.table(cases.name, together, _groups(cases, together))
    yield from _regrets(answers)
    yield ""


def _groups(cases: Cases, answers: list[Answer]) -> dict[str, Callable[[Answer], bool]]:
    groups: dict[str, Callable[[Answer], bool]] = {"ALL": lambda _: True}
    if cases.name.startswith("beam"):
        groups["pointwise 7"] = lambda answer: answer.category in beam.POINTWISE
    for category in sorted({answer.category for answer in answers if answer.answerable}):
        groups[category] = lambda answer, category=category: answer.category == category
    return groups


def _regrets(answers: dict[str, list[Answer]]) -> Iterator[str]:
    channels = [answers[name] for name in ("bm25", "e5") if name in answers]
    for name, held in answers.items():
        if len(channels) == 2 and name not in ("bm25", "e5"):
            yield f"{name}: {report.regret(held, channels)}"
