"""Vectors in the background: a thread of a long-lived process that embeds what waits, and never holds up a write."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from commonplace.engine.index_pending import IndexPending, index_pending
from commonplace.errors import CommonplaceError

if TYPE_CHECKING:
    from commonplace.engine.scribe import Scribe

# Looks so often whether something waits; a look costs next to nothing when nothing does.
_PAUSE_SECONDS = 2.0
# After a failure it rests longer: a server that is down is not asked all the time.
_REST_SECONDS = 60.0
_AT_A_TIME = 16


class Indexer:
    """Runs until it is stopped or the process ends. What it leaves undone waits for the next one."""

    def __init__(self, scribe: Scribe) -> None:
        self._scribe = scribe
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="commonplace-index", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(self._some())

    def _some(self) -> float:
        """Embed a few; returns how long to wait before the next few."""
        try:
            report = index_pending(self._scribe, IndexPending(limit=_AT_A_TIME))
        except CommonplaceError:
            return _REST_SECONDS
        if report.note:
            return _REST_SECONDS
        return 0.0 if report.embedded else _PAUSE_SECONDS
