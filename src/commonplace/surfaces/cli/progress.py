"""A progress bar on stderr: only for a person at a terminal, and only when there is time to read it."""

from __future__ import annotations

import sys
import time

from commonplace.surfaces.cli.page import Page

_SILENT_SECONDS = 0.3
_BETWEEN_SECONDS = 0.1
_CELLS = 28


class Bar:
    """Told how much of how much is done. Draws over its own line, and leaves nothing behind."""

    def __init__(self, label: str, color: str = "auto") -> None:
        self._label, self._page = label, Page(sys.stderr, color)
        self._next = time.monotonic() + _SILENT_SECONDS
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next or not self._page.is_terminal:
            return
        self._next, self._drawn = now + _BETWEEN_SECONDS, True
        sys.stderr.write("\r\x1b[2K" + self._page.painted([(self._label + " ", "dim"), *self._cells(done, total)]))
        sys.stderr.flush()

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def _cells(self, done: int, total: int) -> list[tuple[str, str]]:
        if total <= 0:
            return [(f"{done:,}", "")]
        full = min(done * _CELLS // total, _CELLS)
        on, off = self._page.glyph("━", "#"), self._page.glyph("━", ".")
        return [(on * full, "id"), (off * (_CELLS - full), "dim"), (f" {done:,} of {total:,}", "")]
