"""What nobody has time to wait for is done by a process of its own, which holds on to nothing that others wait for.

A new process, not a fork: a forked one would inherit the book's locks and connections, and keep others from theirs.
"""

from __future__ import annotations

import subprocess
import sys
from _thread import start_new_thread


def begin(
    words: list[str],
    given: bytes = b"",
    log: int = subprocess.DEVNULL,
    cwd: str | None = None,
    environment: dict[str, str] | None = None,
) -> None:
    """Begin `commonplace ...` with this on its stdin, and do not wait. `OSError` if it cannot be."""
    child = subprocess.Popen(  # noqa: S603 - this very program
        # -P: the folder we are in may be somebody's clone, and hold a `commonplace` of its own.
        [sys.executable, "-P", "-m", "commonplace", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log,
        cwd=cwd,
        env=environment,
        start_new_session=True,
        close_fds=True,
    )
    assert child.stdin is not None
    child.stdin.write(given)
    child.stdin.close()
    start_new_thread(child.wait, ())  # whoever lives long must not keep the remains of one that has ended
