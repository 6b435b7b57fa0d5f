"""The short write mutex of a store made of files: one writer at any instant, whatever becomes of the holder.

It lies outside the store, so that no sync client carries it to another machine or back in time:
`<cache>/commonplace/locks/<hash of the store's real path>/write`. The kernel keeps it where it can; elsewhere a row of numbered
files does. Hold it for milliseconds, never while an agent runs or a person is asked: that is what the lease is for.

    with Mutex(folder).held(timeout) as mutex:
        ...                     # read, change, stage
        mutex.must_be_mine()    # right before it is made final
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakSet, ref

from commonplace.errors import LockedError
from commonplace.storage.atomic_write import in_our_words
from commonplace.storage.local_folders import folder_for
from commonplace.storage.locks.heartbeat import heart
from commonplace.storage.locks.kernel import kernel_locks
from commonplace.storage.locks.owner import Owner, Sign, described

# A holder that gave no sign of life for so long is taken for dead, where the kernel cannot tell; it gives one twice as often.
# Less than a call usually waits, so that whoever waits for a dead one gets the lock.
STALE_SECONDS = 8.0
# File systems that cannot lock say so in one of these ways, to every process alike.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EOPNOTSUPP})


class Lock(Protocol):
    """One way to decide among processes who holds something."""

    def take(self, deadline: float, owner: Owner) -> bool: ...

    def let_go(self) -> None: ...

    def abandon(self) -> None: ...

    def still_mine(self) -> bool: ...

    def beat(self) -> None: ...

    def sign(self) -> Sign | None: ...


class Mutex:
    """One process's place in the queue for one store. Threads of the process queue on a lock of their own first."""

    def __init__(
        self, store: str, name: str = "write", *, shared: bool = False, way: str = "auto", stale: float = STALE_SECONDS
    ) -> None:
        self.store, self._name, self._shared, self._stale = store, name, shared, stale
        self._way = "epochs" if way == "auto" and kernel_locks() is None else way
        self._threads = threading.RLock()  # knows its owner, so that what an interrupt left behind can be cleared away
        self._lock: Lock | None = None
        self._made_as = ("", "")
        _known.add(self)

    @contextmanager
    def held(self, timeout: float) -> Iterator[Mutex]:
        """Hold it for the length of the block. Waits for at most `timeout` seconds, then raises `LockedError`, which says who
        holds it and for how long. Taking it again inside the block is refused at once."""
        deadline = time.monotonic() + timeout
        path = self._path()
        outer = self._inside_of(path)
        block = _Block(self._shared)  # lives as long as this frame does, however it is left
        try:
            with in_our_words(path):
                if not (self._threads.acquire(timeout=max(timeout, 0)) and self._take(path, deadline)):
                    raise self._refusal(f"{described(self._sign())}; {timeout:g} seconds were waited")
            _inside[path, threading.get_ident()] = ref(block)
            yield self
        finally:
            self._let_go()
            _inside.pop((path, threading.get_ident()), None)
            if outer is not None:
                _inside[path, threading.get_ident()] = outer

    def still_mine(self) -> bool:
        """Asked right before something is made final: was the lock taken away while this process slept?"""
        with in_our_words(self.store):
            return self._is_owned() and self._lock is not None and self._lock.still_mine()

    def must_be_mine(self) -> None:
        if not self.still_mine():
            raise self._refusal(
                "it was lost while this process slept", hint="Nothing was changed. Try again.", code="lost"
            )

    def abandon(self) -> None:
        """In a forked child: what the parent holds is not ours."""
        if self._lock is not None:
            self._lock.abandon()
        self._threads = threading.RLock()

    def _path(self) -> str:
        return os.path.join(folder_for(self.store, "locks"), self._name)

    def _inside_of(self, path: str) -> ref[_Block] | None:
        """What this thread holds of it already: nothing, or a share, which does not stand in the way of another share."""
        outer = _inside.get((path, threading.get_ident()))
        block = outer() if outer is not None else None
        if block is None:
            self._let_go()  # what an interrupt may have left
            return None
        if not (block.shared and self._shared):
            raise self._refusal("this very thread holds it", hint="Do both things in one go.", code="reentrant")
        return outer

    def _take(self, path: str, deadline: float) -> bool:
        lock = self._made(path)
        try:
            came = lock.take(deadline, Owner.now())
        except OSError as cause:
            if self._way != "auto" or cause.errno not in _NO_LOCKS:
                raise
            self._way = "epochs"
            return self._take(path, deadline)
        if came:
            heart.add(lock, self._stale / 2)
        return came

    def _made(self, path: str) -> Lock:
        """The lock at this path. Kept between calls: one of them may remember since when the holder is silent."""
        if self._lock is None or self._made_as != (path, self._way):
            self._lock = _lock(path, self._way, shared=self._shared, stale=self._stale)
            self._made_as = (path, self._way)
        return self._lock

    def _let_go(self) -> None:
        while self._is_owned():
            lock = self._lock
            try:
                if lock is not None:
                    lock.let_go()
            finally:
                self._threads.release()
            if lock is not None:
                heart.remove(lock)

    def _is_owned(self) -> bool:
        owned: bool = self._threads._is_owned()  # type: ignore[attr-defined]
        return owned

    def _sign(self) -> Sign | None:
        return self._lock.sign() if self._lock is not None else None

    def _refusal(self, message: str, *, hint: str | None = None, code: str = "locked") -> LockedError:
        refusal = LockedError(f"the store is locked: {message}", where=self.store, hint=hint, code=code)
        refusal.retryable = code != "reentrant"
        return refusal


class _Block:
    """A block of code that holds it."""

    def __init__(self, shared: bool) -> None:
        self.shared = shared


def _lock(path: str, way: str, *, shared: bool, stale: float) -> Lock:
    if way == "epochs":
        from commonplace.storage.locks.epochs import EpochLock

        return EpochLock(path, stale=stale)
    from commonplace.storage.locks.flocked import FlockedLock

    return FlockedLock(path, shared=shared)


_known: WeakSet[Mutex] = WeakSet()
_inside: dict[tuple[str, int], ref[_Block]] = {}
"""What each thread is inside of: a thread that waits for itself would wait for nothing."""


def _after_fork_in_child() -> None:
    _inside.clear()
    for mutex in [*_known]:
        mutex.abandon()


os.register_at_fork(after_in_child=_after_fork_in_child)
