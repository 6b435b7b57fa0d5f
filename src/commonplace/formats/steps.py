"""What happens to a book's files: staged before the journal says it, done after, and finished later if a crash came between."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

from commonplace.errors import ConflictError
from commonplace.formats.journal_file import Intent
from commonplace.formats.looked import LARGEST, stamp_of
from commonplace.seam.format import Append, Remove, Stamp, Step
from commonplace.seam.inventory import Seen
from commonplace.storage.append import append_lines
from commonplace.storage.atomic_write import in_our_words, partial_name, remove
from commonplace.storage.folders import make_folder
from commonplace.storage.plain_file import not_plain, open_plain, opened, sha256_of
from commonplace.storage.swap import keep_beside, settle, stage, swap_in, take_away


class Files:
    """The files of one book, by their names from its folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._wrote: dict[str, list[tuple[Stamp | None, Stamp]]] = {}
        """How each file that the last change wrote to was found, and how it was left."""

    def full(self, path: str) -> str:
        return os.path.join(self.folder, path)

    def read(self, path: str) -> bytes | None:
        with in_our_words(self.full(path)):
            try:
                fd = open_plain(self.full(path), os.O_RDONLY)
            except (FileNotFoundError, NotADirectoryError):
                return None
            with open(fd, "rb") as file:
                return file.read()

    def size(self, path: str) -> int:
        try:
            return os.lstat(self.full(path)).st_size
        except FileNotFoundError:
            return 0

    def seen(self, path: str, digest: bytes | None = None) -> Seen | None:
        """How a file looks now; its hash is taken from its bytes unless it is known."""
        try:
            found = os.lstat(self.full(path))
        except FileNotFoundError:
            return None
        if digest is None:
            digest = bytes.fromhex(sha256_of(self.full(path)) or "")
        return Seen(stamp_of(found), digest)

    def stage(self, steps: Sequence[Step]) -> list[Intent]:
        """Put all new bytes on disk beside where they will be. If that fails nothing has happened."""
        intents: list[Intent] = []
        try:
            for step in steps:
                intents.append(self._staged(step, intents))
        except BaseException:
            self.unstage(intents)
            raise
        return intents

    def _must_lie_inside(self, path: str) -> None:
        """Every folder on the way is a folder of the book: a link could lead out of it, and what is written there would not
        be seen again (R8, row 44)."""
        where = self.folder
        for part in path.split("/")[:-1]:
            where = os.path.join(where, part)
            if os.path.islink(where):
                raise not_plain(where)

    def _staged(self, step: Step, before: list[Intent]) -> Intent:
        self._must_lie_inside(step.path)
        if isinstance(step, Append):
            ahead = sum(
                len((one.text or "").encode()) for one in before if one.step == "append" and one.path == step.path
            )
            offset = self.size(step.path) + ahead
            return Intent(step="append", path=step.path, offset=offset, text=step.content.decode())
        if isinstance(step, Remove):
            aside = partial_name(self.full(step.path))
            return Intent(step="remove", path=step.path, replaces=step.replaces.hex(), staged=self._named(aside))
        full = self.full(step.path)
        with in_our_words(full):
            make_folder(os.path.dirname(full))
        staged = stage(full, io.BytesIO(step.content))
        return Intent(
            step="put",
            path=step.path,
            replaces=step.replaces.hex() if step.replaces is not None else None,
            becomes=sha256(step.content).hexdigest(),
            staged=self._named(staged),
        )

    def _named(self, full: str) -> str:
        return os.path.relpath(full, self.folder)

    def unstage(self, intents: Sequence[Intent]) -> None:
        for intent in intents:
            if intent.staged:
                remove(self.full(intent.staged))

    def carry_out(self, intents: Sequence[Intent]) -> list[Intent]:
        """Do what the journal says. Returns what could not be done because somebody else's version was in the way; it stayed."""
        self._wrote.clear()
        return [intent for intent in intents if not self._done(intent)]

    def keep_copies(self, intents: Sequence[Intent]) -> None:
        """Ours could not go where theirs is: it lies beside theirs from now on, under a name that says so."""
        for intent in intents:
            if intent.staged and os.path.lexists(self.full(intent.staged)):
                keep_beside(self.full(intent.staged), self.full(intent.path))

    def finish(self, intents: Sequence[Intent]) -> list[str]:
        """As `carry_out`, where some or all of it may have been done before a crash. Returns the files that were in the way."""
        self._wrote.clear()
        left = [intent for intent in intents if not self._is_done(intent) and not self._done(intent)]
        self.keep_copies(left)
        return [intent.path for intent in left]

    def _done(self, intent: Intent) -> bool:
        try:
            if intent.step == "append":
                self._append(intent)
            elif intent.step == "remove":
                self._remove(intent)
            elif intent.staged:
                self._put(intent, self.full(intent.staged))
        except ConflictError:
            return False
        return True

    def left(self, path: str, known: Stamp | None) -> Stamp | None:
        """How the last change left a file that had looked like this; None if somebody else wrote to it too.

        Not how it looks now: whoever saves right behind us would not be noticed.
        """
        for found, now in self._wrote.get(path, ()):
            if found not in (known, _COMPARED):
                return None
            known = now
        return known if path in self._wrote else None

    def _put(self, intent: Intent, staged: str) -> None:
        """What it replaces is compared by its hash. How it looks is how the staged file looked."""
        now = self._stamp(staged)
        swap_in(staged, self.full(intent.path), intent.replaces)
        if now is not None:
            self._wrote[intent.path] = [(_COMPARED, now)]

    def _stamp(self, full: str) -> Stamp | None:
        try:
            found = os.lstat(full)
        except FileNotFoundError:
            return None
        return stamp_of(found)

    def _append(self, intent: Intent) -> None:
        full = self.full(intent.path)
        with in_our_words(full):
            make_folder(os.path.dirname(full))
        lines = (intent.text or "").encode().removesuffix(b"\n").split(b"\n")
        for _ in range(TRIES):
            found = self._stamp(full)
            with suppress(ConflictError):  # an editor replaced the file while we wrote to it: ours goes into theirs
                now = append_lines(full, lines)
                self._wrote.setdefault(intent.path, []).append(
                    (found, Stamp(now.size, now.mtime_ns, now.inode & LARGEST))
                )
                return
            if self._has_line(intent):
                return
        append_lines(full, lines)

    def _remove(self, intent: Intent) -> None:
        full = self.full(intent.path)
        take_away(full, self._aside(intent), intent.replaces or "")

    def _aside(self, intent: Intent) -> str:
        """The name that a file has while it is removed."""
        return self.full(intent.staged) if intent.staged else partial_name(self.full(intent.path))

    def _is_removed(self, intent: Intent) -> bool:
        """Is it gone? Whoever was cut off in the middle left it under another name."""
        full, aside = self.full(intent.path), self._aside(intent)
        if not os.path.lexists(full) and os.path.lexists(aside):
            with suppress(ConflictError):
                settle(full, aside, intent.replaces or "")
        return not os.path.lexists(full)

    def _is_done(self, intent: Intent) -> bool:
        full = self.full(intent.path)
        if intent.step == "append":
            return self._has_line(intent)
        if intent.step == "remove":
            return self._is_removed(intent)
        now = self._stamp(full)
        is_ours = sha256_of(full) == intent.becomes
        if is_ours and now is not None and self._stamp(full) == now:
            self._wrote[intent.path] = [(_COMPARED, now)]
        if is_ours:
            self._clear_away(intent)
        # Else it was put in its place, or somebody cleared up; either way the file itself is the truth.
        return is_ours or (bool(intent.staged) and not os.path.lexists(self.full(intent.staged or "")))

    def _clear_away(self, intent: Intent) -> None:
        """Whoever was cut off right behind the exchange left at the staged name what had stood at the path. If that is not what
        was expected, somebody had saved it a moment before, and it is kept beside (R3)."""
        staged = self.full(intent.staged) if intent.staged else None
        if staged and os.path.lexists(staged) and sha256_of(staged) not in (intent.replaces, intent.becomes):
            keep_beside(staged, self.full(intent.path))
        else:
            self.unstage([intent])

    def _has_line(self, intent: Intent) -> bool:
        """Are the lines there? A piece of them at the end of the file is what a crash tore off: it goes."""
        wanted = (intent.text or "").encode()
        raw = self.read(intent.path)
        if raw is None:
            return False
        rest = raw[intent.offset :]
        if intent.offset and raw[intent.offset - 1 : intent.offset] != b"\n":
            rest = rest.removeprefix(b"\n")  # the end of a torn line that was there before
        if rest.startswith(wanted):
            return True
        if rest and wanted.startswith(rest):
            self._cut(intent)
            return False
        return wanted in raw

    def _cut(self, intent: Intent) -> None:
        with opened(self.full(intent.path), os.O_RDWR) as fd:
            os.ftruncate(fd, intent.offset)
            os.fsync(fd)


# So often a change is tried again that somebody else's write came in the way of.
TRIES = 20
_COMPARED = Stamp(-1, -1, -1)  # what a file looked like does not matter where its bytes were compared
