"""What is remembered of a session outside of the book: one small file, `session-id-<sid>.start`, until it is over (A75).

It is written once when the session starts, touched with each prompt, and renamed to `.reflected` when the session has ended or
has been idle for an hour; after thirty days it goes. It says which agent, which project, where the transcript lies, how much of
it was captured, and how often the context was compacted; never what was said. Two may meet over it: a rename has one winner.
"""

from __future__ import annotations

import os
import stat
import time

from commonplace.places import cache_folder as cache
from commonplace.surfaces import small_json
from commonplace.surfaces.hooks.quietly import Quietly

TYPE_CHECKING = False  # `typing` itself is not loaded: it costs more than a hook does
if TYPE_CHECKING:
    from collections.abc import Iterator

IDLE_SECONDS = 3_600.0
KEPT_SECONDS = 30 * 86_400.0
_BEGIN, _START, _REFLECTED = "session-id-", ".start", ".reflected"
_MAX_BYTES = 16_384
_MOST = 10_000


class Marker:
    """One session's file. `told` is what it says; writing it is best effort, because no session may fail over its marker."""

    def __init__(self, folder: str, session: str) -> None:
        self.session = session
        self._start = os.path.join(folder, f"{_BEGIN}{session}{_START}")
        self._reflected = os.path.join(folder, f"{_BEGIN}{session}{_REFLECTED}")
        self.told = _read(self._start) or _read(self._reflected) or {}

    def text(self, name: str) -> str | None:
        found = self.told.get(name)
        return found if isinstance(found, str) else None

    def number(self, name: str) -> int:
        found = self.told.get(name)
        return found if isinstance(found, int) and found >= 0 else 0

    @property
    def window(self) -> str:
        """The session's name in receipts. After each compaction it is a new one: what was handed over is gone."""
        return f"{self.session}.{self.number('compacted')}" if self.number("compacted") else self.session

    def begin(self, told: dict[str, object]) -> None:
        """Write it, if it is not there; one that had been reflected goes on. Else it is only touched."""
        with Quietly(OSError):
            os.rename(self._reflected, self._start)
        self.told = {**told, **self.told}
        if os.path.lexists(self._start):
            self.touch()
        else:
            _write(self._start, self.told)

    def touch(self) -> None:
        with Quietly(OSError):
            os.utime(self._start, follow_symlinks=False)

    def note(self, **told: object) -> None:
        """Say more. A session that was never begun is begun with it."""
        self.told |= told
        _write(self._reflected if os.path.lexists(self._reflected) else self._start, self.told)

    def reflect(self) -> bool:
        """The session is over. True for the one who says so first."""
        try:
            os.rename(self._start, self._reflected)
        except OSError:
            return False
        return True

    def take_back(self) -> None:
        """It could not be captured: somebody else may try later."""
        with Quietly(OSError):
            os.rename(self._reflected, self._start)


def folder_for(root: str | None) -> str:
    """The project's `.harness`, if it has one; else a folder in the user's cache."""
    if root is not None:
        harness = os.path.join(root, ".harness")
        with Quietly(OSError):
            if stat.S_ISDIR(os.lstat(harness).st_mode) and os.access(harness, os.W_OK):
                return harness
    return cache_folder()


def cache_folder() -> str:
    return os.path.join(cache(), "sessions")


def tidy(folder: str) -> list[Marker]:
    """Remove what is older than thirty days; the sessions that have been idle for an hour."""
    now, idle = time.time(), []
    for entry, age in _aged(folder, now):
        if age > KEPT_SECONDS:
            with Quietly(OSError):
                os.unlink(entry)
        elif age > IDLE_SECONDS and entry.endswith(_START):
            name = os.path.basename(entry)
            idle.append(Marker(folder, name[len(_BEGIN) : -len(_START)]))
    return idle


def _aged(folder: str, now: float) -> Iterator[tuple[str, float]]:
    try:
        with os.scandir(folder) as found:
            for _, entry in zip(range(_MOST), found, strict=False):
                if entry.name.startswith(_BEGIN) and entry.name.endswith((_START, _REFLECTED)):
                    with Quietly(OSError):
                        yield entry.path, now - entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return


def _read(path: str) -> dict[str, object] | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        text = os.read(fd, _MAX_BYTES)
    except OSError:
        return None
    finally:
        os.close(fd)
    return small_json.read_object(text)


def _write(path: str, told: dict[str, object]) -> None:
    """Whole or not at all, but not flushed: it is a hint, and after a power cut the session is over anyway."""
    if not os.path.isabs(path):
        return  # nobody knows where the user's own folders are: it would lie in the project, perhaps in a folder called `~`
    partial = f"{path}.{os.getpid()}.tmp"
    with Quietly(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.write(fd, small_json.write(told).encode())
        finally:
            os.close(fd)
        os.replace(partial, path)
