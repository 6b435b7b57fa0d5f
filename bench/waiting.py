"""How fairly do writers wait? Eight processes save at the same time; every wait is measured."""

from __future__ import annotations

import os
import time
from pathlib import Path

import commonplace
from bench.measure import sentences, verdict

WRITERS, EACH = 8, 250


def run(folder: Path) -> list[str]:
    url = f"sqlite:{folder / 'waiting.sqlite'}"
    commonplace.open(url, actor="bench").close()
    started = time.perf_counter()
    pipes = [_start(url, seed) for seed in range(WRITERS)]
    waits = sorted(float(line) for pipe in pipes for line in _read(pipe))
    seconds = time.perf_counter() - started
    middle = waits[len(waits) // 2]
    late = waits[int(len(waits) * 0.99)]
    return [
        f"  {WRITERS} processes x {EACH} saves: {len(waits) / seconds:,.0f} saves/s",
        f"        a save took {middle * 1e3:.1f} ms at the median, {late * 1e3:.1f} at p99, {waits[-1] * 1e3:.1f} at most",
        verdict("the longest save, seconds", waits[-1], 5),
        verdict("saves that came through / saves tried", len(waits) / (WRITERS * EACH), 1, at_least=True),
    ]


def _start(url: str, seed: int) -> int:
    read, write = os.pipe()
    if os.fork() == 0:
        os.close(read)
        with commonplace.open(url, actor=f"writer-{seed}") as book, os.fdopen(write, "w") as said:
            for text in sentences(EACH, seed=seed + 100):
                before = time.perf_counter()
                book.save(text, type="episode")
                print(time.perf_counter() - before, file=said)
        os._exit(0)
    os.close(write)
    return read


def _read(pipe: int) -> list[str]:
    with os.fdopen(pipe) as lines:
        return lines.read().split()
