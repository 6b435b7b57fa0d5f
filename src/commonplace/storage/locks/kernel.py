"""A queue that the kernel keeps (`flock`): first come first served, and whoever dies has left it, however they died.

A wait in the kernel has no time limit, so a thread waits, and the caller waits for the thread. The lock belongs to the open
file: a child that inherits the descriptor would keep it alive, so a forked child closes its copy (`abandon`).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any


@cache
def kernel_locks() -> Any:
    """The kernel's locks, loaded when somebody writes; None on a platform without them."""
    try:
        import fcntl
    except ImportError:
        return None
    return fcntl


class KernelLock:
    """One process's place in the queue at one lock file. Not for several threads at once: they queue on a mutex first."""

    _fd = -1

    def __init__(self, path: str, *, shared: bool = False) -> None:
        self.path = path
        self._shared = shared

    @property
    def fd(self) -> int:
        return self._fd

    @fd.setter
    def fd(self, fd: int) -> None:
        """Only while there is something to close, somebody looks after it: see `_Open`."""
        if fd >= 0 and type(self) is KernelLock:
            self.__class__ = _Open
        self._fd = fd
        if fd < 0 and type(self) is _Open:
            self.__class__ = KernelLock  # type: ignore[assignment] # from the narrower to the wider, on purpose

    def take(self, deadline: float) -> bool:
        """Wait for it until `deadline` (monotonic). False when it did not come."""
        if self.fd < 0:
            self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            kernel_locks().flock(self.fd, self._how | kernel_locks().LOCK_NB)
        except BlockingIOError:
            return self._queue(deadline)
        return True

    def let_go(self) -> None:
        """Give it to the next. Without having it, nothing."""
        if kernel_locks() is not None and self.fd >= 0:
            kernel_locks().flock(self.fd, kernel_locks().LOCK_UN)

    def close(self) -> None:
        if self.fd >= 0:
            with suppress(OSError):  # whatever it says, the descriptor is gone, and nothing of ours was in it
                os.close(self.fd)
            self.fd = -1

    def abandon(self) -> None:
        """In a forked child: close the inherited descriptor, so that the child does not keep the parent's lock alive."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1

    @property
    def _how(self) -> int:
        how: int = kernel_locks().LOCK_SH if self._shared else kernel_locks().LOCK_EX
        return how

    def _queue(self, deadline: float) -> bool:
        """Stand in the kernel's queue, which has no time limit of its own: a thread waits, and we wait for the thread.

        Its wait cannot be called off. If we give up, or are interrupted, it keeps this descriptor, lets go as soon as its turn
        comes, and we take another.
        """
        fd, self.fd = self.fd, -1
        waiter = _Waiter(fd, self._how)
        try:
            if waiter.wait(deadline - time.monotonic()):
                self.fd = fd
        finally:
            if self.fd < 0:
                waiter.give_up()
        return self.fd >= 0


class _Open(KernelLock):
    """One that would leave its descriptor behind. A signal that comes while `__del__` runs is swallowed there, and a person's
    Ctrl-C with it; and every write drops a lock. So there is none to run for a lock that was closed."""

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        # Nobody closed the book, or an interrupt kept them from it. At the program's end no name of this module is left.
        if self._fd >= 0:
            try:  # noqa: SIM105 - `suppress` is such a name
                close(self._fd)
            except OSError:  # it was closed, and the interrupt came before that was noted
                pass


class _Waiter:
    """One blocking wait for the lock, in a thread of its own."""

    def __init__(self, fd: int, how: int) -> None:
        self._fd, self._how = fd, how
        self._state = threading.Lock()
        self._came, self._gave_up = threading.Event(), False
        _waiting.add(fd)
        threading.Thread(target=self._stand, daemon=True, name="commonplace-turnstile").start()

    def _stand(self) -> None:
        try:
            kernel_locks().flock(self._fd, self._how)
        except OSError:
            return  # never came: the caller's wait runs out and answers `locked`
        with self._state:
            if self._gave_up:
                self._let_go()
            else:
                _waiting.discard(self._fd)
                self._came.set()

    def wait(self, seconds: float) -> bool:
        return self._came.wait(max(seconds, 0)) or self._came.is_set()

    def give_up(self) -> None:
        with self._state:
            self._gave_up = True
            if self._came.is_set():
                self._let_go()

    def _let_go(self) -> None:
        _waiting.discard(self._fd)
        os.close(self._fd)  # closing is letting go


_waiting: set[int] = set()


def _close_what_others_wait_with() -> None:
    """In a forked child: a thread of the parent may get its turn one day, and the child's copy would keep it for ever."""
    while _waiting:
        with suppress(OSError):
            os.close(_waiting.pop())


os.register_at_fork(after_in_child=_close_what_others_wait_with)
