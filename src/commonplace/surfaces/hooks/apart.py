"""What a hook has no time for is done by a process of its own, which holds on to nothing that the agent waits for.

A new process, not a fork: a forked one would inherit the book's locks and connections, and keep others from theirs.
"""

from __future__ import annotations

import subprocess
import sys


def start(words: list[str], given: bytes = b"") -> None:
    """Begin `commonplace hook ...` with this on its stdin, and do not wait."""
    child = subprocess.Popen(  # noqa: S603 - this very program
        [sys.executable, "-m", "commonplace", "hook", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        close_fds=True,
    )
    assert child.stdin is not None
    child.stdin.write(given)
    child.stdin.close()
    child.returncode = 0  # nobody asks how it went; without this, Python would complain that nobody did
