"""Whose turn is it to write? One queue for all processes, kept by the kernel, first come first served.

SQLite alone excludes writers from each other, but lets them poll: with many of them one may wait for seconds. So each
writer first queues on a lock file beside the book (`flock`), and only the one at the head asks SQLite. The kernel lets
go of a lock when its holder dies, however it dies, so nothing here can become stale. If locks of this kind are not to be
had, SQLite's own waiting still keeps writers apart: the queue is for fairness, never for safety.

The lock file is also a witness. It holds the book's id, the number of the last operation that was acknowledged, and how
many acknowledged operations were once found missing. A witness without a book means that the book was lost, not that there
never was one; a witness that knows more than the book means that the book's log was lost or an older copy put in its place.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

from commonplace.storage.locks.kernel import KernelLock, kernel_locks


class Witness:
    """What the lock file says: whose it is, the last acknowledged operation and its hash, what was once found missing."""

    __slots__ = ("_hash", "book_id", "lost", "seq")

    def __init__(self, book_id: str = "", seq: int = 0, lost: int = 0, hash: str = "") -> None:
        self.book_id, self.seq, self.lost, self._hash = book_id, seq, lost, hash

    @classmethod
    def read(cls, text: str) -> Witness:
        """What was written down, as far as it makes sense."""
        parts = text.split()
        if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
            return cls(parts[0], int(parts[1]), int(parts[2]), parts[3].strip("-"))
        return cls(parts[0] if parts else "")

    def saw(self, book_id: str, seq: int, hash: bytes | None) -> Witness:
        """What there is to say after an operation was acknowledged."""
        lost = 0
        if self.book_id == book_id:
            # It knew of operations that are not there any more: their numbers were given out again.
            lost = self.lost + max(self.seq - seq + 1, 0)
        return Witness(book_id, seq, lost, hash.hex()[:32] if hash else "")

    def matches(self, hash: bytes) -> bool:
        return not self._hash or hash.hex().startswith(self._hash)

    def __str__(self) -> str:
        return f"{self.book_id} {self.seq:020d} {self.lost:020d} {self._hash:->32}\n"


class Turnstile:
    """One process's place in the queue for one book. Threads of the process queue on a mutex first."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._mutex = threading.RLock()  # knows its owner, so that what an interrupt left behind can be cleared away
        self._lock = KernelLock(path)
        self.torn = False
        """True in a child that was forked while a thread of its parent was in the middle of a write."""
        _known.append(self)

    def enter(self, timeout: float) -> bool:
        """Wait for our turn for at most `timeout` seconds. False when it did not come."""
        self.leave()
        deadline = time.monotonic() + timeout
        came = False
        try:
            if self._mutex.acquire(timeout=max(timeout, 0)):
                came = kernel_locks() is None or self._lock.take(deadline)
        finally:
            if not came:
                self.leave()
        return came

    def leave(self) -> None:
        """Give the turn to the next. Without having it, nothing."""
        while self._mutex._is_owned():  # type: ignore[attr-defined]
            self._lock.let_go()
            self._mutex.release()

    def is_in_place(self) -> bool:
        """Is the lock that we hold still the one that others find at its name?"""
        if self._lock.fd < 0:
            return True
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._lock.fd), os.stat(self.path))
        return False

    def witness(self) -> Witness:
        """What is known of the book outside of it."""
        with suppress(OSError):
            if self._lock.fd >= 0:
                return Witness.read(os.pread(self._lock.fd, 120, 0).decode("ascii", "replace"))
            with open(self.path, encoding="ascii", errors="replace") as file:
                return Witness.read(file.read(120))
        return Witness()

    def testify(self, witness: Witness) -> None:
        """Write down what was acknowledged. Not flushed: it may be older than the book after a power cut, never newer."""
        with suppress(OSError):
            if self._lock.fd >= 0:
                os.pwrite(self._lock.fd, str(witness).encode("ascii"), 0)

    def close(self) -> None:
        self._lock.close()
        if self in _known:
            _known.remove(self)

    def abandon(self) -> None:
        """In a forked child: nothing of the parent's turn is ours."""
        self._lock.abandon()
        self._mutex = threading.RLock()


_known: list[Turnstile] = []
_held_over_fork: list[Turnstile] = []
# A fork waits for this process's own writers at most so long.
_FORK_SECONDS = 2.0


def _before_fork() -> None:
    """No thread of ours may be writing when the process is copied: SQLite's memory of a lock would be copied too, and the
    child would wait for a writer that it does not have."""
    for turnstile in _known:
        if turnstile._mutex.acquire(timeout=_FORK_SECONDS):
            _held_over_fork.append(turnstile)
        else:
            turnstile.torn = True


def _after_fork_in_parent() -> None:
    while _held_over_fork:
        _held_over_fork.pop()._mutex.release()
    for turnstile in _known:
        turnstile.torn = False


def _after_fork_in_child() -> None:
    _held_over_fork.clear()
    for turnstile in _known:
        turnstile.abandon()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
