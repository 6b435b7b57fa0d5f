"""A lock without the kernel's help, for platforms that have no `flock`: a row of numbered files, and the highest one counts.

Whoever holds the lock made the file with the highest number; making a file that must not exist is atomic everywhere. It is free
when its first word says so, or when its holder gave no sign of life for long enough. Then whoever wants it makes the next number,
and of several that try at once exactly one succeeds. Nothing is ever taken from under anybody: a waiter who was too slow finds
the next number taken, a holder who slept too long finds a higher one (`still_mine`), and neither can do harm by letting go or by
a late sign of life, because each writes to its own file alone.

Whether a sign of life came is judged by the waiter's own monotonic clock, and a waiter that slept does not count its sleep: no
clock that is set, and no pause, makes anything stale.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from commonplace.storage.locks.owner import Owner, Sign, sign_at, write_free, write_held
from commonplace.storage.plain_file import open_plain

# Waiting begins at ten milliseconds and doubles up to a fifth of a second.
_FIRST_WAIT, _LONGEST_WAIT = 0.01, 0.2
# So many old numbers stay: whoever looks through the folder while locks come and go still meets the highest one.
_KEPT = 16


class EpochLock:
    """One process's place at one such row of files. Not for several threads at once: they queue on a mutex first."""

    fd = -1

    def __init__(self, path: str, *, stale: float) -> None:
        self.path = path
        self._stale = stale
        self._number = 0
        self._watched: tuple[int, int] = (-1, -1)
        self._silence = 0.0

    def take(self, deadline: float, owner: Owner) -> bool:
        pause = _FIRST_WAIT
        while not self._try(owner):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            began = time.monotonic()
            time.sleep(min(pause, left))
            # Not more than was meant: if we were stopped meanwhile, the holder may have been stopped with us.
            self._silence += min(time.monotonic() - began, 2 * pause)
            pause = min(2 * pause, _LONGEST_WAIT)
        return True

    def let_go(self) -> None:
        try:
            if self.fd >= 0:
                write_free(self.fd)
        except OSError:
            return  # its silence will tell
        finally:
            self.abandon()

    def __del__(self) -> None:
        if self.fd >= 0:  # an interrupt kept everybody else from doing it
            self.let_go()

    def abandon(self) -> None:
        """Have nothing to do with it any more, and say nothing about it either: a forked child is not the holder."""
        if self.fd >= 0:
            with suppress(OSError):
                os.close(self.fd)
        self.fd = -1

    def still_mine(self) -> bool:
        return self.fd >= 0 and self._highest() == self._number

    def beat(self) -> None:
        fd = self.fd
        if fd >= 0:
            os.utime(fd)

    def sign(self) -> Sign | None:
        """What the present holder's file says."""
        return sign_at(self._name(self._highest()))

    def _try(self, owner: Owner) -> bool:
        number = self._highest()
        if number and not self._is_open(number):
            return False
        with suppress(FileExistsError):
            self.fd = open_plain(self._name(number + 1), os.O_RDWR | os.O_CREAT | os.O_EXCL)
            self._number = number + 1
            write_held(self.fd, owner)
            if self.still_mine():
                self._sweep()
                return True
            # We were so slow that this number was made, used and swept meanwhile. Ours means nothing.
            self.abandon()
            os.unlink(self._name(number + 1))
        return False

    def _is_open(self, number: int) -> bool:
        """Is the way free behind this number?"""
        sign = sign_at(self._name(number))
        if sign is None:
            return False  # swept between two looks: there is a higher one
        if (number, sign.beat) != self._watched:
            self._watched, self._silence = (number, sign.beat), 0.0
        return sign.is_free or self._silence >= self._stale

    def _name(self, number: int) -> str:
        return f"{self.path}.{number:012d}"

    def _highest(self) -> int:
        """The highest number there is. Asked until two looks agree: a folder that changes may be seen in between."""
        now, before = max(self._numbers(), default=0), -1
        while now != before:
            now, before = max(self._numbers(), default=0), now
        return now

    def _numbers(self) -> list[int]:
        folder, name = os.path.split(self.path)
        starts = f"{name}."
        ends = [entry.removeprefix(starts) for entry in os.listdir(folder) if entry.startswith(starts)]
        return [int(end) for end in ends if end.isdecimal()]

    def _sweep(self) -> None:
        for number in self._numbers():
            if number <= self._number - _KEPT:
                with suppress(OSError):
                    os.unlink(self._name(number))
