"""Those who write to one folder exclude each other, also where each keeps its own locks elsewhere.

The book's mutex lies in the user's cache folder. The same folder may be written to by another user of this machine, by a service
with a cache of its own, by another container: they would not meet there. They meet at the folder itself, which the kernel
locks without anything being written to it. Where it cannot (some network file systems), the mutex alone must do.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.errors import LockedError
from commonplace.storage.locks.kernel import KernelLock, kernel_locks


@contextmanager
def alone_in(folder: str, timeout: float) -> Iterator[None]:
    """Nobody else is in such a block for this folder. One that is not there yet has nobody in it."""
    me = threading.get_ident(), folder
    _release(me)  # what an interrupt kept us from letting go of: nobody is in two such blocks
    lock = _locked(me, time.monotonic() + timeout) if kernel_locks() is not None else None
    try:
        if lock is not None and lock.fd < 0:
            raise LockedError(f"another program wrote to the folder for {timeout:g} seconds", where=folder)
        yield
    finally:
        _release(me)


_Holder = tuple[int, str]
_held: dict[_Holder, KernelLock] = {}
"""By thread and folder. Noted before it is taken and until it is let go, wherever an interrupt strikes."""


def _locked(me: _Holder, deadline: float) -> KernelLock | None:
    """The lock, without a descriptor if it did not come in time; None where there is none to be had."""
    lock = _held[me] = KernelLock(me[1])
    try:
        lock.fd = os.open(lock.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if not lock.take(deadline):
            lock.close()
    except OSError:
        _release(me)
        return None
    return lock


def _release(me: _Holder) -> None:
    """Let go while it is noted, close when it no longer is: wherever an interrupt strikes, it is never let go of twice."""
    lock = _held.get(me)
    if lock is not None:
        lock.let_go()
        _held.pop(me, None)
        lock.close()


def _abandon_all() -> None:
    """In a forked child: its copies would keep the parent's locks alive after the parent is gone."""
    while _held:
        _held.popitem()[1].abandon()


os.register_at_fork(after_in_child=_abandon_all)
