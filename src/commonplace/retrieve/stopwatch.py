"""How long did each step take? Kept in the receipt."""

from __future__ import annotations

import time


class Stopwatch:
    """Milliseconds by the name of the step: `with watch.step("fuse"): ...`."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}

    def step(self, name: str) -> _Step:
        return _Step(self.taken, name)


class _Step:
    """A plain class: a search has a dozen steps, and a generator for each would cost three times as much."""

    __slots__ = ("_name", "_started", "_taken")

    def __init__(self, taken: dict[str, float], name: str) -> None:
        self._taken, self._name = taken, name

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        if failed is None:
            passed = (time.perf_counter() - self._started) * 1000
            self._taken[self._name] = round(self._taken.get(self._name, 0.0) + passed, 3)
