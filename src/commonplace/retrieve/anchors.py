"""Is a memory still about what is there? It may be anchored to a file with its hash, or to a commit.

`file:src/app.py@sha256:<hex>` has moved when the file has another hash or is gone; `commit:<sha>` when that commit is no
longer part of the history of HEAD. What cannot be told is unknown, and unknown is never called stale. Anchors are stored
text, so they are not trusted: nothing outside the working tree is opened, no link is followed, nothing large is read, and
git is only asked a bounded question.
"""

from __future__ import annotations

import os
import re
import stat
import time
from hashlib import sha256

from commonplace.model.base import Closed

MAX_FILE_BYTES = 8 * 1024 * 1024  # source files are smaller; a larger file costs more to hash than its mark is worth
MAX_SECONDS = 0.5  # for all anchors of one call: an agent's prompt is waiting
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_FILE = re.compile(r"file:(?P<path>[^\0]+?)@(?:sha256:)?(?P<hash>[0-9a-fA-F]{8,64})", re.DOTALL)


class Standing(Closed):
    """Whether what a memory is anchored to is still as it was."""

    HOLDS = "holds"
    MOVED = "moved"
    UNKNOWN = "unknown"


class Tree:
    """One working tree. Each anchor is looked at once, and no longer than `seconds` are spent on all of them."""

    def __init__(self, root: str, seconds: float = MAX_SECONDS) -> None:
        self.root = os.path.abspath(os.path.expanduser(root))
        self._until = time.monotonic() + seconds
        self._known: dict[str, Standing] = {}

    def is_stale(self, anchors: tuple[str, ...]) -> bool:
        """Has any of these moved?"""
        return any(self.standing(anchor) is Standing.MOVED for anchor in anchors)

    def standing(self, anchor: str) -> Standing:
        if anchor not in self._known:
            late = time.monotonic() > self._until
            self._known[anchor] = Standing.UNKNOWN if late else self._look(anchor)
        return self._known[anchor]

    def _look(self, anchor: str) -> Standing:
        file = _FILE.fullmatch(anchor)
        if file:
            return self._file(file["path"], file["hash"].lower())
        commit = anchor.removeprefix("commit:").lower()
        return self._commit(commit) if anchor.startswith("commit:") and _COMMIT.fullmatch(commit) else Standing.UNKNOWN

    def _file(self, path: str, known: str) -> Standing:
        try:
            found = self._read(path, MAX_FILE_BYTES)
        except FileNotFoundError:
            return Standing.MOVED
        if found is None:
            return Standing.UNKNOWN
        return Standing.HOLDS if sha256(found).hexdigest().startswith(known) else Standing.MOVED

    def _read(self, path: str, most: int) -> bytes | None:
        """The file's bytes; None if it may not or cannot be read. Raises `FileNotFoundError` if it is not there."""
        parts = path.split("/")
        if not all(part not in ("", ".", "..") and "\\" not in part for part in parts) or len(parts) > 64:
            return None
        held = [_opened(self.root, os.O_DIRECTORY, None)] if os.path.isdir(self.root) else [None]
        try:
            for part in parts:
                if held[-1] is None:
                    return None
                # Step by step from the root, following no link: the path cannot lead out, not even while it changes.
                held.append(_opened(part, os.O_NOFOLLOW, held[-1]))
            return _content(held[-1], most)
        finally:
            for handle in held:
                if handle is not None:
                    os.close(handle)

    def _commit(self, commit: str) -> Standing:
        head = self._head()
        if head is not None and head.startswith(commit):
            return Standing.HOLDS
        return self._is_ancestor(commit)

    def _head(self) -> str | None:
        """The commit HEAD names, read from the files; None if that is not so simple."""
        said = self._line(".git/HEAD")
        if said is None or not said.startswith("ref: refs/"):
            return said
        return self._line(f".git/{said[5:]}")

    def _line(self, path: str) -> str | None:
        try:
            found = self._read(path, 4096)
        except FileNotFoundError:
            return None
        return None if found is None else found.decode("ascii", "replace").strip()

    def _is_ancestor(self, commit: str) -> Standing:
        if self._git("cat-file", "-e", f"{commit}^{{commit}}")[0] not in (0, None):
            # Not here at all: rewritten away, unless this clone never had the older history, or is no clone.
            whole = self._git("rev-parse", "--is-shallow-repository") == (0, b"false")
            return Standing.MOVED if whole else Standing.UNKNOWN
        answer, _ = self._git("merge-base", "--is-ancestor", commit, "HEAD")
        return Standing.HOLDS if answer == 0 else Standing.MOVED if answer == 1 else Standing.UNKNOWN

    def _git(self, *question: str) -> tuple[int | None, bytes]:
        """Git's exit code and answer; None if there is no git or no time. It may neither fetch, nor ask, nor write."""
        import shutil
        import subprocess

        git, left = shutil.which("git"), self._until - time.monotonic()
        if git is None or left <= 0:
            return None, b""
        words = [git, "-C", self.root, "-c", "protocol.allow=never", "-c", "core.fsmonitor=false", *question]
        calm = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        calm |= {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
        try:
            done = subprocess.run(  # noqa: S603 - our own words and a checked hash
                words, env=calm, timeout=left, check=False, stdin=subprocess.DEVNULL, capture_output=True
            )
        except (subprocess.TimeoutExpired, OSError):
            return None, b""
        return done.returncode, done.stdout.strip()


def _opened(name: str, how: int, folder: int | None) -> int | None:
    """A handle; None for what must not or cannot be opened. A pipe must not make us wait for its other end."""
    try:
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | how, dir_fd=folder)
    except NotADirectoryError as cause:
        raise FileNotFoundError(name) from cause
    except FileNotFoundError:
        raise
    except (OSError, ValueError):
        return None


def _content(handle: int | None, most: int) -> bytes | None:
    if handle is None:
        return None
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        with os.fdopen(os.dup(handle), "rb") as file:
            found = file.read(most + 1)
    except OSError:
        return None
    return found if len(found) <= most else None
