"""How a hook ends: whole or not at all, in time, with one line on stderr and the code 0. The work and the time race for it.

A second thread waits for the time to be up. Whoever comes first writes and ends the process; the other never gets to. Nothing is
on stdout before that, so an answer that would be late is no answer (A41, A42, A-j).
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself would load `enum` for its names
import os
import time
from _thread import allocate_lock, start_new_thread

from commonplace.surfaces.hooks.quietly import Quietly

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_DRAWN_OUT = 3.0
"""Seconds until somebody who does not read has had their chance. Agents wait five for a hook (A75)."""
_MOMENT = 0.002


class Ending:
    """`say` ends the process, once. It begins to count when it is made."""

    def __init__(self, moment: str, seconds: float) -> None:
        self._moment, self._until, self._seconds = moment, time.monotonic() + seconds, seconds
        self.after: Callable[[], None] | None = None
        """What is left to begin when everything is said."""
        self.late: Callable[[], None] | None = None
        """What is begun if there was no time for an answer."""
        self._one = allocate_lock()
        self._work = allocate_lock()
        self._work.acquire()
        with Quietly(RuntimeError):  # no thread to be had: then it only ends by itself
            start_new_thread(self._watch, ())

    def left(self) -> float:
        """Seconds until the time is up."""
        return self._until - time.monotonic()

    def say(self, out: str, said: str) -> NoReturn:
        self._end(out, said, self.after)

    def _end(self, out: str, said: str, after: Callable[[], None] | None) -> NoReturn:
        if not self._one.acquire(blocking=False):
            time.sleep(_DRAWN_OUT)  # the other one is writing, and ends the process for both
            os._exit(0)
        _write(1, out)
        # A line is a line, and nothing in it is obeyed by a terminal.
        plain = "".join(char if char.isprintable() else " " for char in said)
        _write(2, f"commonplace {self._moment}: {plain}\n")
        if after is not None:
            with Quietly(Exception):
                after()
        os._exit(0)

    def _watch(self) -> None:
        self._work.acquire(timeout=max(0.0, self.left()))
        self._end("", f"not done within {self._seconds:g} s; nothing was handed over", self.late)


def stand_firm() -> None:
    """A Ctrl-C is for the agent, and reaches everything it has started. A hook ends soon by itself, and in its own way."""
    with Quietly(ValueError, OSError):
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)


def fill_descriptors() -> None:
    """Where whoever started us closed stdin, stdout or stderr, nothing goes there: a file that was opened later in its place, the
    book's lock for one, must not get what is meant for the agent."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one


def _write(fd: int, text: str) -> None:
    left = text.encode(errors="replace")
    with Quietly(OSError):  # nobody reads it
        while left:
            left = left[_written(fd, left) :]


def _written(fd: int, left: bytes) -> int:
    """How much of it could be written. The agent may have given us a pipe that does not wait until there is room in it."""
    try:
        return os.write(fd, left)
    except BlockingIOError:
        time.sleep(_MOMENT)
        return 0
