"""Where the daemon keeps what is its own: the tokens, who runs now, and its socket. All of it the user's alone."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from commonplace.errors import InvalidError, LockedError
from commonplace.places import data_folder
from commonplace.storage.atomic_write import atomic_write, in_our_words
from commonplace.storage.folders import make_folder
from commonplace.storage.locks.kernel import KernelLock
from commonplace.surfaces.http.client import STATE

DEFAULT_PORT = 7821

# What the operating system takes for a socket's name ends at 104 or 108 bytes.
_LONGEST_SOCKET = 100


def folder() -> str:
    place = data_folder()
    with in_our_words(place):
        make_folder(place)
    return place


def tokens_path() -> str:
    return os.path.join(data_folder(), "tokens.json")


def state_path() -> str:
    """Says who runs now, where it listens, and how the user's own programs come in."""
    return os.path.join(data_folder(), STATE)


def lock_path() -> str:
    return os.path.join(data_folder(), "daemon.lock")


def socket_path() -> str:
    """In the data folder; where its name would be too long for a socket, in a folder of the user's own for short names."""
    path = os.path.join(data_folder(), "daemon.sock")
    if len(os.fsencode(path)) <= _LONGEST_SOCKET:
        return path
    short = os.path.join(tempfile.gettempdir(), f"commonplace-{os.getuid()}")
    with in_our_words(short):
        os.makedirs(short, mode=0o700, exist_ok=True)
        found = os.lstat(short)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise InvalidError("another's folder stands where the socket's should be", where=short, code="unsafe_path")
    return os.path.join(short, sha256(os.fsencode(path)).hexdigest()[:16] + ".sock")


def write_own(path: str, said: bytes) -> None:
    """A small file of ours, whole or not at all, for the user alone."""
    folder()
    with atomic_write(path, replace=True) as file:
        file.write(said)


@contextmanager
def alone(path: str, seconds: float = 10.0) -> Iterator[None]:
    """One at a time: whoever changes a file of ours reads it, changes it and writes it inside."""
    folder()
    lock = KernelLock(path)
    with in_our_words(path):
        taken = lock.take(time.monotonic() + seconds)
    if not taken:
        raise LockedError("somebody else is changing this", where=path)
    try:
        yield
    finally:
        lock.close()


def exposed(path: str) -> bool:
    """Can others than the user read or enter it? Then somebody should look."""
    try:
        return bool(os.stat(path).st_mode & 0o077)
    except OSError:
        return False
