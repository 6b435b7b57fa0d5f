"""Signs of life: one thread of the process touches every lock that is held, so that others see that its holder runs.

The thread begins with the first lock that is held and ends by itself when none is. A process that is stopped gives no sign.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress

Beat = Callable[[], None]


class Heart:
    """Calls each of its beats again and again, at the pace of the fastest."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._changed = threading.Event()
        self._beats: dict[Beat, float] = {}
        self._thread: threading.Thread | None = None

    def add(self, beat: Beat, seconds: float) -> None:
        with self._guard:
            faster = seconds < self._pace()
            self._beats[beat] = seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="commonplace-heartbeat")
                self._thread.start()
            elif faster:
                self._changed.set()

    def remove(self, beat: Beat) -> None:
        with self._guard:
            self._beats.pop(beat, None)

    def _pace(self) -> float:
        return min(self._beats.values(), default=float("inf"))

    def _run(self) -> None:
        pace = 0.0
        while True:
            with self._guard:
                if pace and not self._beats:
                    self._thread = None
                    return
                pace, beats = min(self._pace(), 60.0), [*self._beats]
            for beat in beats:
                with suppress(OSError):  # the lock's folder is gone: `still_mine` tells its holder
                    beat()
            self._changed.wait(pace)
            self._changed.clear()


heart = Heart()
"""This process's own."""


def _after_fork_in_child() -> None:
    heart.__init__()  # type: ignore[misc]  # threads are not copied, and the parent's locks are not ours


os.register_at_fork(after_in_child=_after_fork_in_child)
