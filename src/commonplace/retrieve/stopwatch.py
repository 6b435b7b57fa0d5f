"""How long did each step take? Kept in the receipt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Milliseconds by the name of the step."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.taken[name] = round(self.taken.get(name, 0.0) + (time.perf_counter() - started) * 1000, 3)
