"""Those who write to one folder exclude each other, also where each keeps its own locks elsewhere.

The book's mutex lies in the user's cache folder. The same folder may be written to by another user of this machine, by a service
with a cache of its own, by another container: they would not meet there. They meet at the folder itself, which the kernel
locks without anything being written to it. Where it cannot (some network file systems), the mutex alone must do.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.errors import LockedError
from commonplace.storage.locks.kernel import KernelLock, kernel_locks


@contextmanager
def alone_in(folder: str, timeout: float) -> Iterator[None]:
    """Nobody else is in such a block for this folder. One that is not there yet has nobody in it."""
    lock = _locked(folder, time.monotonic() + timeout) if kernel_locks() is not None else None
    if lock is None:
        yield
        return
    try:
        if lock.fd < 0:
            raise LockedError(f"another program wrote to the folder for {timeout:g} seconds", where=folder)
        yield
    finally:
        _held.discard(lock)
        lock.let_go()
        lock.close()


def _locked(folder: str, deadline: float) -> KernelLock | None:
    """The lock, without a descriptor if it did not come in time; None where there is none to be had."""
    lock = KernelLock(folder)
    _held.add(lock)
    try:
        lock.fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if not lock.take(deadline):
            lock.close()
    except OSError:
        _held.discard(lock)
        lock.close()
        return None
    return lock


_held: set[KernelLock] = set()


def _abandon_all() -> None:
    """In a forked child: its copies would keep the parent's locks alive after the parent is gone."""
    while _held:
        _held.pop().abandon()


os.register_at_fork(after_in_child=_abandon_all)
