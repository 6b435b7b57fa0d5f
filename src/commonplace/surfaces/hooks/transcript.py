"""May this transcript be read, and what is new in it? A payload names a file; whoever made the payload is not believed.

Only a plain file of the user's own, below a folder where agents keep their sessions, reached by no link, of a size that can be.
What was captured before is not captured again: a file of lines grows at its end, so reading goes on where it ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from commonplace import settings
from commonplace.surfaces.hooks.hosts import Host
from commonplace.surfaces.hooks.payload import Skip

_ENDINGS = (".jsonl", ".json", ".md", ".txt")


def new_in(path: str, host: Host, more_roots: Iterable[str], after: int) -> tuple[bytes, int]:
    """What was not read before, and how far it goes. `Skip` if the file may not be read, or holds nothing new."""
    real = _allowed(path, [_home(host), *map(os.path.expanduser, more_roots)])
    from commonplace.storage.plain_file import opened

    with opened(real) as fd:
        found = os.fstat(fd)
        if hasattr(os, "geteuid") and found.st_uid != os.geteuid():
            raise Skip("the transcript is somebody else's file")
        if found.st_size > settings.MAX_MATERIAL_BYTES:
            raise Skip("the transcript is too large")
        # Only lines can be read from the middle, and only of a file that has not been written anew.
        begin = after if real.endswith(".jsonl") and after <= found.st_size else 0
        read = _read(fd, begin, found.st_size)
    if real.endswith(".jsonl"):
        read = read[: read.rfind(b"\n") + 1] or read  # a line that is still being written is for the next time
    if not read.strip():
        raise Skip("nothing new in the transcript")
    return read, begin + len(read)


def _home(host: Host) -> str:
    return os.environ.get(host.home_variable or "") or os.path.expanduser(host.home)


def _allowed(path: str, roots: list[str]) -> str:
    """The file's real path, which must lie below a root's real path and be no link itself."""
    given = os.path.expanduser(path)
    if not given.endswith(_ENDINGS) or "\0" in given or not os.path.isabs(given):
        raise Skip("the transcript is not a file that sessions are kept in")
    real = os.path.join(os.path.realpath(os.path.dirname(given)), os.path.basename(given))
    if not any(real.startswith(os.path.join(os.path.realpath(root), "")) for root in roots if root):
        raise Skip("the transcript lies outside of the folders that may be read")
    if os.path.islink(real) or not os.path.isfile(real):
        raise Skip("there is no transcript")
    return real


def _read(fd: int, begin: int, end: int) -> bytes:
    os.lseek(fd, begin, os.SEEK_SET)
    pieces = []
    left = end - begin
    while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
