"""Signs of life: one thread of the process touches every lock that is held, so that others see that its holder runs.

The thread begins with the first lock that is held and ends by itself when none is. A process that is stopped gives no sign. There
is no lock in here: an interrupt in the wrong place would leave it locked. Single steps on a dictionary are whole by themselves.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import Protocol
from weakref import ref

# How soon a new and faster beat is noticed.
_TICK_SECONDS = 0.25


class Living(Protocol):
    """Whatever can give a sign of life."""

    def beat(self) -> None: ...


class Heart:
    """Lets each of its own give signs of life at its own pace. Whatever nobody else knows any more is forgotten here too."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[ref[Living], float]] = {}
        self._thread: threading.Thread | None = None

    def add(self, living: Living, seconds: float) -> None:
        self._known[id(living)] = (ref(living), seconds)
        thread = self._thread
        if thread is None or not thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True, name="commonplace-heartbeat")
            self._thread.start()

    def remove(self, living: Living) -> None:
        self._known.pop(id(living), None)

    def _run(self) -> None:
        last: dict[int, float] = {}
        while self._is_needed():
            known, now = self._known.copy(), time.monotonic()
            last = {key: last[key] for key in known if key in last}
            for key, (living, pace) in known.items():
                if key not in last or now - last[key] >= pace:
                    last[key] = now
                    self._let_beat(key, living())
            time.sleep(min([_TICK_SECONDS, *(pace for _, pace in known.values())]))

    def _let_beat(self, key: int, living: Living | None) -> None:
        if living is None:
            self._known.pop(key, None)
            return
        with suppress(OSError):  # the lock's folder is gone: `still_mine` tells its holder
            living.beat()

    def _is_needed(self) -> bool:
        """Whoever is added at this moment either sees no thread and starts one, or is seen by the second look."""
        if self._known:
            return True
        self._thread = None
        if not self._known:
            return False
        self._thread = threading.current_thread()
        return True


heart = Heart()
"""This process's own."""


def _after_fork_in_child() -> None:
    heart.__init__()  # type: ignore[misc]  # threads are not copied, and the parent's locks are not ours


os.register_at_fork(after_in_child=_after_fork_in_child)
