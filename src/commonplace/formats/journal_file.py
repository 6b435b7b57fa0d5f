"""The journal of a file book: `.commonplace/journal-DEVICE.jsonl`, the commit point of every change.

A change is a group of lines that ends in a `commit` line, appended and flushed at once. What comes before it: the entries of
the book's journal, verbatim, and what else must not be lost with the catalog. The `commit` itself says which files are about
to change and how, so that whoever comes next can finish what a crash cut off. A group without its `commit` never happened.

Each device has a journal of its own, so that a sync client never has to merge two.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import BinaryIO, NamedTuple

import msgspec

from commonplace import settings
from commonplace.errors import CommonplaceError, CorruptError, UnavailableError
from commonplace.formats.journal_check import OPEN, is_sealed, seal, troubles
from commonplace.formats.looked import names_in
from commonplace.model.base import Noun, taken_apart
from commonplace.model.operation import Entry
from commonplace.storage.append import append_lines
from commonplace.storage.atomic_write import atomic_write, in_our_words
from commonplace.storage.folders import make_folder
from commonplace.storage.plain_file import opened
from commonplace.storage.room import must_have_room

FORMAT = "commonplace-journal"
VERSION = 1
FOLDER = ".commonplace"


class Heading(Noun, frozen=True, kw_only=True):
    """The first line: whose journal this is."""

    format: str = FORMAT
    version: int = VERSION
    book_id: str
    tombstone_key: str
    canon: str
    device: str
    edition: int = 1
    """How often it was written whole. A catalog of an earlier edition may hold what was purged."""
    check: str = ""
    """A checksum of this line."""


class Intent(Noun, frozen=True, kw_only=True, omit_defaults=True):
    """What is about to happen to one file."""

    step: str
    """`put`, `append` or `remove`."""
    path: str
    replaces: str | None = None
    """The hash of the file as it must be before; for an append, nothing."""
    becomes: str | None = None
    staged: str | None = None
    """Where the new bytes lie already; for what is removed, where it lies for a moment."""
    offset: int = 0
    text: str | None = None
    """What is appended at the offset."""


class Commit(Noun, frozen=True, kw_only=True, omit_defaults=True):
    """The last line of a group: with it, everything in the group happened."""

    seq: int
    lines: int
    """How many lines before this one belong to the group. Others were left by a group that never happened."""
    steps: tuple[Intent, ...] = ()
    places: tuple[tuple[str, str, str, bytes], ...] = ()
    """Path, key, memory and digest of each entry that stands somewhere new."""
    gone: tuple[str, ...] = ()
    links: dict[str, tuple[tuple[str, str], ...]] = {}
    """The links that were read out of a memory's own text."""
    check: str = ""
    """A checksum of this group's lines and of this one."""


class Line(Noun, frozen=True, kw_only=True, omit_defaults=True):
    """Any line. Exactly one field is set."""

    book: Heading | None = None
    journal: Entry | None = None
    remember: tuple[str, str, str] | None = None
    bury: tuple[str, bytes | None, int] | None = None
    foreign: tuple[str, Entry] | None = None
    commit: Commit | None = None


class Group(NamedTuple):
    """One change, whole: its lines but the last, its commit, and from where to where it goes in the file."""

    lines: list[Line]
    commit: Commit
    start: int
    end: int


encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(taken_apart(Line)).decode


class JournalFile:
    """One device's journal of one book."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, FOLDER)
        self.path = os.path.join(self.folder, f"journal-{device()}.jsonl")
        self.witness = os.path.join(self.folder, f"journal-{device()}.seen")
        self._closing: bytes | None = None
        """The last line of the group that is being written."""

    def exists(self) -> bool:
        return self._found() is not None

    def size(self) -> int:
        found = self._found()
        return found.st_size if found is not None else 0

    def _found(self) -> os.stat_result | None:
        """None if there is none. Not being allowed to look is another answer."""
        with in_our_words(self.path):
            try:
                return os.lstat(self.path)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def heading(self) -> Heading | None:
        """Whose it is; None if there is none. The journal of another device serves where this one has none yet."""
        path = self.path if self.exists() else self.elder()
        if path is None:
            return None
        with _reading(path) as file:
            return _checked(file.readline(settings.MAX_IMPORT_LINE_BYTES), path)

    def edition(self) -> int:
        """Of this device's own; 0 if there is none."""
        heading = self.heading() if self.exists() else None
        return heading.edition if heading is not None else 0

    def elder(self) -> str | None:
        """The longest journal of another device."""
        with in_our_words(self.folder):
            try:
                names = [name for name in names_in(self.folder) if _is_journal(name)]
            except (FileNotFoundError, NotADirectoryError):
                return None
        paths = [path for name in names if (path := os.path.join(self.folder, name)) != self.path]
        return max(paths, key=lambda path: (os.path.getsize(path), path), default=None)

    def append(self, lines: list[Line], commit: Commit) -> int:
        """Make it happen. Returns the size of the file afterwards."""
        raw = self._encoded(lines, commit)
        self._closing = _closed(commit, raw)
        return append_lines(self.path, [*raw, self._closing], create=False).size

    def rewrite(self, heading: Heading, lines: list[Line], commit: Commit) -> int:
        """Replace the whole journal at once: how it begins, and the only way in which anything ever leaves it."""
        with in_our_words(self.folder):
            make_folder(self.folder)
        raw = self._encoded(lines, commit)
        self._closing = _closed(commit, raw)
        with atomic_write(self.path, replace=True) as file:
            for line in (_headed(heading), *raw, self._closing):
                file.write(line + b"\n")
        return self.size()

    def _encoded(self, lines: list[Line], commit: Commit) -> list[bytes]:
        """The lines of a group, if there is room for them and for what will be appended behind the commit point: that must not
        fail any more. (What is put in place was staged, and has its room already.)"""
        raw = [*map(encode, lines)]
        if behind := sum(len((step.text or "").encode()) for step in commit.steps):
            must_have_room(self.folder, sum(map(len, raw)) + 2 * behind)  # the commit holds it too
        return raw

    def begin(self) -> None:
        """A change begins, of which nothing has been said yet."""
        self._closing = None

    def may_say_it(self) -> bool:
        """After an error: does the group that was to be written stand there all the same? Only its flush may have failed. Where
        that cannot be looked at, it may."""
        if self._closing is None:
            return False
        try:
            with _reading(self.path) as file:
                file.seek(-min(len(self._closing) + 1, self.size()), os.SEEK_END)
                return file.read().removesuffix(b"\n").endswith(self._closing)
        except (OSError, CommonplaceError):
            return self.exists()

    def groups(self, start: int = 0) -> Iterator[Group]:
        """The changes behind this place, one at a time. What cannot be read is left out; `broken` names it.

        Where this device has no journal yet, another device's serves.
        """
        path = self.path if self.exists() else self.elder()
        if path is not None:
            yield from _whole(path, start)

    def is_as_written(self, group: Group) -> bool:
        """Is this change what was sealed, to the last byte? Its steps are carried out again only if it is."""
        path = self.path if self.exists() else self.elder()
        if path is None:
            return False
        with _reading(path) as file:
            file.seek(group.start)
            raws = file.read(group.end - group.start).split(b"\n")
        found = [raw for raw in raws if _understood(raw + b"\n") is not None]
        return bool(found) and is_sealed(found[-1], found[:-1])  # a sync client may have exchanged the file meanwhile

    def broken(self) -> Iterator[tuple[int, str]]:
        """The lines that cannot be read or are not what was written, by number, and why."""
        if not self.exists():
            return
        with _reading(self.path) as file:
            raws = iter(lambda: file.readline(settings.MAX_IMPORT_LINE_BYTES), b"")
            yield from troubles((raw, _understood(raw)) for raw in raws)


def _headed(heading: Heading) -> bytes:
    return seal(encode(Line(book=msgspec.structs.replace(heading, check=OPEN))))


def _closed(commit: Commit, beside: list[bytes]) -> bytes:
    return seal(encode(Line(commit=msgspec.structs.replace(commit, check=OPEN))), beside)


@cache
def device() -> str:
    """A name for this machine that does not say which it is."""
    import platform

    known = [platform.node()]
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        if os.path.exists(path):
            with open(path, encoding="ascii", errors="replace") as file:
                known.append(file.read().strip())
            break
    return sha256("\n".join(["commonplace", *known]).encode()).hexdigest()[:8]


@contextmanager
def _reading(path: str) -> Iterator[BinaryIO]:
    """Whoever can write to the folder could put a pipe or a link there: neither is waited for or followed."""
    with opened(path) as fd, open(fd, "rb", closefd=False) as file:
        yield file


def _is_journal(name: str) -> bool:
    stem = name.removeprefix("journal-").removesuffix(".jsonl")
    return f"journal-{stem}.jsonl" == name and len(stem) == 8 and stem.isalnum()


def _whole(path: str, start: int = 0) -> Iterator[Group]:
    with _reading(path) as file:
        file.seek(start)
        lines: list[Line] = []
        starts: list[int] = []
        end = start
        while raw := file.readline():
            begin, end = end, end + len(raw)
            line = _understood(raw)
            if line is None or line.book is not None:
                continue
            starts.append(begin)
            if line.commit is None:
                lines.append(line)
            else:
                before = len(lines) - min(line.commit.lines, len(lines))
                yield Group(lines[before:], line.commit, starts[before], end)
                lines, starts = [], []


def _understood(raw: bytes) -> Line | None:
    """The line, unless it was torn off or damaged. A commit counts also where only its line's end is missing: the next group
    would end it, and then it would count for everybody else."""
    try:
        line = _decode(raw)
    except (ValueError, RecursionError):
        return None
    return line if raw.endswith(b"\n") or line.commit is not None else None


def _checked(raw: bytes, path: str) -> Heading:
    line = _understood(raw)
    if line is None or line.book is None or line.book.format != FORMAT:
        raise CorruptError(
            "the book's journal does not begin as one",
            where=path,
            hint="Restore it, or move it away to begin a new one.",
        )
    if line.book.version > VERSION:
        raise UnavailableError(
            f"the book's journal has version {line.book.version}; this version of Commonplace reads up to {VERSION}",
            where=path,
            hint="Upgrade: pip install --upgrade commonplace",
            code="newer",
        )
    return line.book
