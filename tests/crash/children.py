"""Forked children that report through a pipe and can be killed at any moment.

A fork of the warm test process costs milliseconds where a new interpreter costs a tenth of a second; that is what makes
hundreds of kills affordable. A child never returns into pytest: it ends with `os._exit`, whatever happens in it.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any

Said = dict[str, Any]
Say = Callable[[Said], None]

_PIPE_BYTES = 1 << 20  # so that a child that is about to be killed never blocks on a parent that is not reading
_running: set[int] = set()


class Child:
    """One forked process doing `work(say)`. What it says before it dies can still be read afterwards."""

    def __init__(self, work: Callable[[Say], object]) -> None:
        self._read, write = os.pipe()
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._tail = b""
        self.said: list[Said] = []
        self.status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _live(work, write)
        os.close(write)
        _running.add(self.pid)

    def listen(self, enough: Callable[[list[Said]], bool], timeout: float) -> bool:
        """Read until `enough` is satisfied, the child is gone, or the time is up."""
        deadline = time.monotonic() + timeout
        while not enough(self.said):
            left = deadline - time.monotonic()
            if self._read < 0 or left <= 0 or not select.select([self._read], [], [], left)[0] or not self._hear():
                return enough(self.said)
        return True

    def kill(self, number: int = signal.SIGKILL) -> list[Said]:
        """End it, and return everything it said."""
        if self.status is None:
            os.kill(self.pid, number)
        return self.finish(10.0)

    def finish(self, timeout: float) -> list[Said]:
        """Wait for its end; a child that does not end is killed and has said `hung`."""
        deadline = time.monotonic() + timeout
        self.listen(lambda _: False, timeout)
        if not self._wait(max(deadline - time.monotonic(), 0.5)):
            os.kill(self.pid, signal.SIGKILL)
            self._wait(10.0)
            self.said.append({"hung": timeout})
        while self._read >= 0 and select.select([self._read], [], [], 0)[0] and self._hear():
            pass
        return self.said

    @property
    def exit_code(self) -> int | None:
        """As `os.waitstatus_to_exitcode`: negative for a signal."""
        return None if self.status is None else os.waitstatus_to_exitcode(self.status)

    def close(self) -> None:
        if self._read >= 0:
            os.close(self._read)
            self._read = -1

    def _hear(self) -> bool:
        if self._read < 0:
            return False
        more = os.read(self._read, _PIPE_BYTES)
        if not more:
            self.close()
            return False
        *lines, self._tail = (self._tail + more).split(b"\n")
        self.said += [json.loads(line) for line in lines]
        return True

    def _wait(self, timeout: float) -> bool:
        """The pipe may be closed before the process is gone, or kept open by a grandchild: the process itself counts."""
        deadline = time.monotonic() + timeout
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                _running.discard(self.pid)
            elif time.monotonic() > deadline:
                return False
            else:
                time.sleep(0.0005)
        return True


def _live(work: Callable[[Say], object], write: int) -> None:
    def say(what: Said) -> None:
        os.write(write, json.dumps(what).encode() + b"\n")

    code = 0
    try:
        work(say)
    except BaseException:  # reported, never raised: the fork must not come back to life inside pytest
        code = 70
        say({"crashed": traceback.format_exc()[-1500:]})
    finally:
        os._exit(code)


def run(work: Callable[[Say], object], timeout: float = 30.0) -> list[Said]:
    """Do one piece of work in a child and return what it said; a crash or a hang is said too."""
    child = Child(work)
    try:
        said = child.finish(timeout)
        if child.exit_code and not any("crashed" in line or "hung" in line for line in said):
            said.append({"crashed": f"exit {child.exit_code}"})
        return said
    finally:
        child.close()


def troubles(said: list[Said]) -> list[str]:
    """What must never be said, whatever the fault was."""
    return [json.dumps(line) for line in said if "crashed" in line or "hung" in line]


def end_all() -> None:
    """The finalizer: children of this process only, each by its own id."""
    for pid in [*_running]:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        _running.discard(pid)
