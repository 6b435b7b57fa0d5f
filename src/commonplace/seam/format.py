"""What a file format promises: to say which files hold memories, what stands in them, and what to write for a change.

A format does no writing of its own. Whoever keeps a file book (`formats/canon.py`) stages, journals and applies what it asks
for, so that durability, locks, recovery and the honouring of people's edits are written once for all formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from commonplace.model.finding import Finding
    from commonplace.model.link import Link
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View


class Stamp(NamedTuple):
    """What tells cheaply whether a file may have changed."""

    size: int
    mtime_ns: int
    inode: int


class Place(NamedTuple):
    """Where a memory stands: a file, named from the book's folder with `/`, and its name in there; '' if it is all of it."""

    path: str
    key: str = ""


class Known(NamedTuple):
    """An entry as it was last seen."""

    place: Place
    memory_id: str
    digest: bytes
    """Of the entry's own bytes. Equal digests mean that nothing was changed there."""


class Found(NamedTuple):
    """An entry as it stands in a file now."""

    key: str
    digest: bytes
    fields: Mapping[str, Any]
    """What it says, by the names of `MemoryRecord`'s fields; what it does not speak of is left out.

    A memory that is new needs `content` at least. `id`, where the file itself names one, is its identity. What comes
    from the channel, not from the text (`trust`, `source_kind`), is never here.
    """
    links: tuple[tuple[str, str], ...] = ()
    """Relation and target, as written: the name of a note, a path, an id, an alias."""


class Aside(NamedTuple):
    """Bytes that could not be understood. They stay where they are, and every rewrite keeps them."""

    line: int
    reason: str


class Contents(NamedTuple):
    entries: Sequence[Found]
    aside: Sequence[Aside] = ()


class Altered(NamedTuple):
    """A memory that a change made, altered or destroyed (then there is no record)."""

    memory_id: str
    record: MemoryRecord | None
    before: MemoryRecord | None = None
    """As it was before; None if it is new, or nothing is left of it."""


class Put(NamedTuple):
    """Write this file whole."""

    path: str
    content: bytes
    replaces: bytes | None
    """SHA-256 of the file it takes the place of; None if there must be none."""


class Append(NamedTuple):
    """Add whole lines at the end of this file, which is made if it is not there."""

    path: str
    content: bytes


class Remove(NamedTuple):
    """Take this file away. Only where the format's own rules destroy: a purge, or a note that was put elsewhere."""

    path: str
    replaces: bytes


Step = Put | Append | Remove


class Written(NamedTuple):
    """What to do for a change: the steps in their order, where memories stand afterwards, and which stand nowhere now."""

    steps: Sequence[Step]
    known: Sequence[Known] = ()
    gone: Sequence[str] = ()


class Shelf(Protocol):
    """What is known of a book's files while a change is written down."""

    @property
    def now(self) -> datetime: ...

    def known(self, memory_id: str) -> Known | None:
        """Where this memory stands."""
        ...

    def at(self, path: str) -> list[Known]:
        """Everything that stands in this file, in the order of the file."""
        ...

    def last(self, path: str) -> Known | None:
        """What stands last in this file: unlike `at`, it costs nothing in a long one."""
        ...

    def content(self, path: str) -> bytes | None:
        """The file's bytes, as they are now; None if there is none.

        Raises `StaleError` if somebody changed it since it was last looked at: their edit is honoured first.
        """
        ...

    def must_be_as_known(self, path: str) -> None:
        """As `content`, for whoever adds to a file without reading it: a long one costs nothing."""
        ...

    def is_taken(self, path: str) -> bool:
        """Would a new file of this name meet another one, also where names differ only in case or in Unicode form?"""
        ...

    def record(self, memory_id: str) -> MemoryRecord | None: ...

    def named(self, name: str) -> MemoryRecord | None:
        """The memory that a link's target, a path, an id or an alias means."""
        ...

    def links(self, memory_id: str) -> list[Link]: ...


class Format(Protocol):
    """One way in which memories lie in a folder."""

    name: str
    """The scheme of its URLs."""
    holds: frozenset[str]
    """The fields of a `MemoryRecord` that its files hold. The others are kept in the journal beside them."""
    may_vanish: bool
    """Is deleting the folder how a person forgets what was in it? Otherwise a folder that is gone is a disk that is missing."""
    largest: int
    """A file of more bytes than this is not read: it is named, and the others are served."""

    def scan(self, folder: str) -> dict[str, Stamp]:
        """The files that hold memories. Links are not followed out of the folder. An absent folder has none."""
        ...

    def read(self, path: str, raw: bytes) -> Contents:
        """What stands in a file. Any bytes are legal; what cannot be understood is named, not raised."""
        ...

    def write(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        """What to write for the memories that one transaction altered. Bytes that people wrote are kept."""
        ...

    def write_personal(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        """As `write`, by the one verb that may change what is the person's own."""
        ...

    def told(self, record: MemoryRecord) -> Mapping[str, Any]:
        """What its entry would say of this memory, as `read` would give it back. Where an edited entry still says just that, the
        memory keeps what it has: a file may hold less of it than there is, a time to the second or a scope in fewer words."""
        ...

    def restored(self, gone: Sequence[Known], shelf: Shelf) -> Sequence[Put]:
        """For what stood in a file that lost all its bytes: the file anew, if others of the book still tell what it said."""
        ...

    def names(self, place: Place) -> tuple[str, ...]:
        """Other names by which what stands there can be asked for: `m-4`, a note's path, the name used in links."""
        ...

    def derived(self, view: View, shelf: Shelf, altered: Iterable[str]) -> Sequence[Put]:
        """Files that are made from the others, if they must be made anew (`_index.md`). They hold nothing of their own."""
        ...

    def findings(self, folder: str) -> Iterator[Finding]:
        """What somebody should look at: conflict copies, files that are not downloaded, what breaks the format's rules."""
        ...
