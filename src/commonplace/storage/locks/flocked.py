"""A lock kept by the kernel, at a file that says who holds it.

The kernel alone decides: a holder that is killed has let go at that moment, one that is stopped has not. What is written in
the file is for people. If the file was removed while somebody held it, two could hold two files of that name; so the name is
looked at again after every wait, and by `still_mine` before anything is made final.
"""

from __future__ import annotations

import os
from contextlib import suppress

from commonplace.storage.locks.kernel import KernelLock
from commonplace.storage.locks.owner import Owner, Sign, read_sign, sign_at, write_free, write_held
from commonplace.storage.plain_file import open_plain


class FlockedLock:
    """One process's place in the kernel's queue at one such file. Not for several threads at once."""

    def __init__(self, path: str, *, shared: bool = False) -> None:
        self.path = path
        self._shared = shared
        self._lock = KernelLock(path, shared=shared)
        self._token = ""

    def take(self, deadline: float, owner: Owner) -> bool:
        while True:
            if self._lock.fd < 0:
                self._lock.fd = open_plain(self.path, os.O_RDWR | os.O_CREAT)
            if not self._lock.take(deadline):
                return False
            if self._is_named():
                self._sign_in(owner)
                return True
            self._lock.close()  # what we waited for was removed: another file has the name now, or none

    def let_go(self) -> None:
        try:
            if self._lock.fd >= 0 and self._token and not self._shared and self._says_so():
                write_free(self._lock.fd)
        except OSError:
            return  # it only cannot be told; closing is letting go
        finally:
            self._lock.close()
            self._token = ""

    def abandon(self) -> None:
        """Have nothing to do with it any more: a forked child is not the holder."""
        self._lock.abandon()
        self._token = ""

    def still_mine(self) -> bool:
        return self._lock.fd >= 0 and self._is_named() and (not self._token or self._says_so())

    def beat(self) -> None:
        if self._lock.fd >= 0 and self._token and self._says_so():
            os.utime(self._lock.fd)

    def sign(self) -> Sign | None:
        return sign_at(self.path)

    def _sign_in(self, owner: Owner) -> None:
        with suppress(OSError):  # on a full disk the lock still holds, it only cannot say for whom
            write_held(self._lock.fd, owner)
            self._token = owner.token

    def _says_so(self) -> bool:
        found = read_sign(self._lock.fd).owner
        return self._shared or (found is not None and found.token == self._token)

    def _is_named(self) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(self._lock.fd), os.lstat(self.path))
        return False
