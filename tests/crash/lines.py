"""Ctrl-C at a line of one's choice: a signal turns into an exception between any two lines of Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line that runs in certain files."""

    def __init__(self, at: int, files: tuple[str, ...]) -> None:
        self._at, self._files = at, files
        self._lines = 0
        self.where = ""

    def run(self, work: Callable[[], object]) -> bool:
        """True when the work was interrupted."""
        sys.settrace(self._enter)
        try:
            work()
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
        return False

    def _enter(self, frame: FrameType, event: str, _: object) -> object:
        """An interrupt in a finalizer is Python's to swallow; by then everything was let go of."""
        watched = frame.f_code.co_filename.endswith(self._files) and frame.f_code.co_name != "__del__"
        return self._line if watched else None

    def _line(self, frame: FrameType, event: str, _: object) -> object:
        if event == "line":
            self._lines += 1
            if self._lines == self._at:
                self.where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._line
