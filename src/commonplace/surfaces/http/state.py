"""Who runs now: a file that says where the daemon listens, and a lock that says that it lives.

Whoever holds the lock is the daemon; the kernel lets go of it however the process ends. The file says where it listens and holds
the token of the user's own programs, fresh with each start: whoever can read it could read the book's file as well.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import time
from contextlib import suppress

import msgspec

from commonplace.errors import UnavailableError
from commonplace.model.base import Noun, taken_apart
from commonplace.storage.atomic_write import in_our_words
from commonplace.storage.locks.kernel import KernelLock
from commonplace.surfaces.http.places import folder, lock_path, state_path, write_own


class Running(Noun, frozen=True, kw_only=True):
    """A daemon that is up."""

    pid: int
    url: str
    socket: str
    token: str
    books: dict[str, str]
    """Each book that is served: its name, and its URL."""
    version: str = ""
    config: str = ""
    """The config file that was read: whoever starts it anew must mean the same."""
    settings: dict[str, str] = {}
    """How it was set by its environment, without keys: so it is set when it is started anew."""


def read_state() -> Running | None:
    """What the file says; None if there is none, or nothing that can be understood. It may be of one that was killed."""
    try:
        with open(state_path(), "rb") as file:
            return msgspec.json.decode(file.read(), type=taken_apart(Running))
    except (OSError, msgspec.DecodeError, UnicodeError):
        return None


class Single:
    """The place of the one daemon of this user."""

    def __init__(self) -> None:
        folder()
        self._lock = KernelLock(lock_path())

    def take(self) -> bool:
        """False if another one runs."""
        with in_our_words(lock_path()):
            return self._lock.take(time.monotonic())

    def wait(self, seconds: float) -> bool:
        """Until the other one has gone; False if it has not by then."""
        with in_our_words(lock_path()):
            return self._lock.take(time.monotonic() + seconds)

    def say(self, running: Running) -> None:
        write_own(state_path(), msgspec.json.encode(running))

    def leave(self) -> None:
        with suppress(OSError):
            os.unlink(state_path())
        self._lock.close()


def found_running(seconds: float = 5.0) -> Running | None:
    """The daemon that holds the lock; it may be just about to say where it listens."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        running = read_state()
        if running is not None and _is_the_one(running):
            return running
        time.sleep(0.05)
    return None


def stop(seconds: float = 60.0) -> Running | None:
    """Ask the one that runs to stop, and wait until it has; None if none runs. One that was killed will not come back either."""
    single = Single()
    if single.take():
        single.leave()
        return None
    running = found_running(1.0)
    if running is None:  # it has just begun, or is about to end
        if single.wait(4.0):
            single.leave()
            return None
        running = found_running(0.1)
    if running is not None:
        with suppress(ProcessLookupError):
            os.kill(running.pid, signal.SIGTERM)
        if single.wait(seconds):
            single.leave()
            return running
    raise UnavailableError("the daemon does not answer, or does not end", hint="Try again in a moment.")


def _is_the_one(running: Running) -> bool:
    """Is it this process that listens? A number in a file may be another process's by now."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(5.0)
        try:
            asked.connect(running.socket)
        except OSError:
            return False
        if not hasattr(socket, "SO_PEERCRED"):
            return True
        listens: int = struct.unpack("3i", asked.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        return listens == running.pid
