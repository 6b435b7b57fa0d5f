"""What a lock file says of its holder: a token that is nobody else's, and enough for a person to find out who it is.

The token alone counts. Process id, name and moment are there to be shown, and nothing is ever decided by them: ids are given
out again, and clocks jump.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import NamedTuple

from commonplace.model.base import Noun, taken_apart
from commonplace.storage.plain_file import open_plain

_MAX_BYTES = 1_024


class Owner(Noun, frozen=True, kw_only=True):
    """Who holds a lock."""

    token: str
    process: str
    pid: int
    since: str
    uptime: float
    """The machine's monotonic clock at that moment: the same for all processes, and it never jumps."""

    @classmethod
    def now(cls) -> Owner:
        return cls(
            token=os.urandom(16).hex(),
            process=os.path.basename(sys.argv[0] if sys.argv else "")[:80] or "python",
            pid=os.getpid(),
            since=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            uptime=time.monotonic(),
        )


class Sign(NamedTuple):
    """What was seen at a lock file: its holder if it has one, and a mark that changes with every sign of life."""

    owner: Owner | None
    is_free: bool
    beat: int


def write_held(fd: int, owner: Owner) -> None:
    import msgspec

    text = b"held " + msgspec.json.encode(owner) + b"\n"
    os.pwrite(fd, text, 0)
    os.ftruncate(fd, len(text))


def write_free(fd: int) -> None:
    """One byte more or less never makes it look held: the first word decides."""
    os.pwrite(fd, b"free\n", 0)


def read_sign(fd: int) -> Sign:
    text = os.pread(fd, _MAX_BYTES, 0)
    return Sign(_owner(text), text.startswith(b"free"), os.fstat(fd).st_mtime_ns)


def sign_at(path: str) -> Sign | None:
    """What the lock file at `path` says; None if there is none."""
    with suppress(FileNotFoundError):
        fd = open_plain(path, os.O_RDONLY)
        try:
            return read_sign(fd)
        finally:
            os.close(fd)
    return None


def _owner(text: bytes) -> Owner | None:
    import msgspec

    with suppress(ValueError):  # just being written, or not ours: there is nobody to name
        if text.startswith(b"held "):
            return msgspec.json.decode(text.partition(b"\n")[0][5:], type=taken_apart(Owner))
    return None


def described(sign: Sign | None) -> str:
    """For an error: who has it, and for how long."""
    if sign is None or sign.owner is None:
        return "somebody holds it"
    held = time.monotonic() - sign.owner.uptime
    since = f" for {held:.1f} seconds" if held >= 0 else ""  # else it was written before the machine was started
    return f"{_printable(sign.owner.process)} (process {sign.owner.pid}) has held it{since}"


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name)
