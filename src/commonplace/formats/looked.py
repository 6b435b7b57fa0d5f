"""What a look through a book's folder saw, and what it could not see.

A folder without permission, or a file that is gone between its name and the look at it, has not been deleted: nobody knows.
So what is known of it stays as it is until a look succeeds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256

import msgspec

from commonplace.model.finding import Finding, Severity
from commonplace.seam.format import Stamp

_encode = msgspec.msgpack.Encoder().encode


class Looked(dict[str, Stamp]):
    """The stamps of files, by their names from the book's folder."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: list[str] = []
        """Files and folders that are there, as far as one can tell, and could not be looked at."""


def stamp_of(found: os.stat_result) -> Stamp:
    """How a file looks. Some clocks are centuries ahead, and some file systems number beyond what a database holds."""
    return Stamp(found.st_size, max(-LARGEST, min(found.st_mtime_ns, LARGEST)), found.st_ino & LARGEST)


LARGEST = 2**63 - 1
UNSEEN = Stamp(0, -1, -1)
"""Of a file in which something stood, by what the journal says, and at which nobody has looked. If it is not there, somebody took
it away."""


def names_in(folder: str) -> list[str]:
    """By a descriptor: opening one is tried again after an interrupt, listing by name is not (row 19)."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return os.listdir(fd)
    finally:
        os.close(fd)


def away(folder: str, names: Iterable[str]) -> list[str]:
    """Those of these files for which a sync client left a stand-in: they are not deleted, only not here (row 50)."""
    return [name for name in names if os.path.lexists(os.path.join(folder, f".{name}.icloud"))]


def with_hidden(found: dict[str, Stamp], known: dict[str, Stamp]) -> dict[str, Stamp]:
    """What was seen; and what could not be, as it was."""
    hidden = tuple(getattr(found, "hidden", ()))
    inside = tuple(f"{path}/" for path in hidden)
    if hidden:
        found.update({path: stamp for path, stamp in known.items() if path in hidden or path.startswith(inside)})
    return found


def digest(found: dict[str, Stamp]) -> str | None:
    """Equal for two looks that saw the same files in the same order; None if not everything could be seen."""
    return None if getattr(found, "hidden", ()) else sha256(_encode(found)).hexdigest()


def unreadable(where: str, cause: OSError | None = None) -> Finding:
    """Of any format: something is there that could not be looked at."""
    return Finding(
        code="unreadable",
        message=f"it could not be looked at ({cause.strerror if cause else 'no permission, or a disk error'})",
        severity=Severity.WARNING,
        where=where,
        hint="Check whose it is, and the disk. What is known of it stays as it is.",
    )
