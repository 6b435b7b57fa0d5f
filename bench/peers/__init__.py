"""Our numbers beside those of other memory systems, in one run, on the same data, with the same vectors.

Each peer is installed into an environment of its own (under COMMONPLACE_PEERS, else a temporary folder) and driven through its
public calls by a worker process that times them. 10,000 made-up memories; vectors of our own embedder, handed over; searches
take turns over all systems. With COMMONPLACE_DATA also recall on LoCoMo. `python -m bench peers --records 1000 --peer mem0`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.peers.measures import Plan


def run(
    folder: Path, plan: Plan | None = None, only: Sequence[str] = (), questions: int | None = None
) -> Iterator[str]:
    """Lines of progress, then the tables."""
    homes = Path(os.environ.get("COMMONPLACE_PEERS") or folder / "homes").resolve()
    os.environ.setdefault("COMMONPLACE_BENCH_CACHE", str(homes / "cache"))
    from bench.peers.catalogue import ALL
    from bench.peers.measures import Bench, Plan
    from bench.peers.quality import locomo
    from bench.peers.report import tables
    from bench.peers.result import Result

    plan = plan or Plan()
    results = [Result(entry) for entry in ALL if not only or not entry.needs or entry.name in only]
    bench = Bench(plan, results, folder, homes)
    yield from bench.run()
    yield ""
    yield from tables(results, plan)
    yield ""
    yield from locomo(results, bench.home, questions)


def main(argv: list[str]) -> None:
    from bench.measure import machine
    from bench.peers.catalogue import PEERS
    from bench.peers.measures import Plan

    parser = argparse.ArgumentParser(prog="bench peers", description="our numbers beside those of other memory systems")
    parser.add_argument("--records", type=int, default=Plan.records, help="how many made-up memories")
    parser.add_argument("--peer", action="append", choices=[each.name for each in PEERS], help="again for another")
    parser.add_argument("--questions", type=int, help="at most this many questions of LoCoMo")
    asked = parser.parse_args(argv)
    print(f"Commonplace bench: {machine()}\n\npeers: {(__doc__ or '').strip()}\n")
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as folder:
        for line in run(Path(folder), Plan(records=asked.records), asked.peer or (), asked.questions):
            print(line, flush=True)
