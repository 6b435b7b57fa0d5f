"""Does somebody still write to a file that was replaced?

Whoever opened a file before it was exchanged writes into what was taken away, and the name leads elsewhere by then. The kernel
knows: it lends a read lease on a file only while nobody has it open for writing. Where it lends none at all (another user's
file, a network file system, another system), nobody is known to write.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from contextlib import suppress

from commonplace.storage.plain_file import open_plain

_A_MOMENT = 0.0005


def wait_for_writers(path: str, seconds: float) -> bool:
    """Until nobody has this file open for writing. False if somebody still has after so long.

    A file that has another name too is not lost by losing this one: nobody is waited for.
    """
    end = time.monotonic() + seconds
    while is_written_to(path):
        if time.monotonic() >= end:
            return False
        time.sleep(_A_MOMENT)
    return True


def is_written_to(path: str) -> bool:
    """Has anybody this file, which has no other name, open for writing?"""
    try:
        fd = open_plain(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return os.fstat(fd).st_nlink == 1 and not _lends(fd)
    finally:
        os.close(fd)


def _lends(fd: int) -> bool:
    """Does the kernel lend a lease? It is given back at once; should somebody break it before that, we are told by a signal
    that ends nobody."""
    try:
        import fcntl

        set_signal, set_lease = fcntl.F_SETSIG, fcntl.F_SETLEASE
    except (ImportError, AttributeError):
        return True
    try:
        fcntl.fcntl(fd, set_signal, signal.SIGURG)
        fcntl.fcntl(fd, set_lease, fcntl.F_RDLCK)
    except OSError as cause:
        return cause.errno != errno.EAGAIN
    with suppress(OSError):
        fcntl.fcntl(fd, set_lease, fcntl.F_UNLCK)
    return True
