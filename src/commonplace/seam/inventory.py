"""What a catalog remembers of the files it was derived from: how they looked, what stood where, how far the journal was read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from commonplace.seam.format import Known, Stamp


class Seen(NamedTuple):
    """A file as it was last looked at."""

    stamp: Stamp
    sha256: bytes


class Facts(NamedTuple):
    """How far a catalog has followed the files and the journal."""

    generation: int = 0
    """Grows with every change to the files that are known, in any process; 0 if none ever was."""
    journal_size: int | None = None
    """None if it never saw one: a folder that was only ever read has none."""
    journal_seq: int = 0
    journal_edition: int = 0
    looked_at: float = 0.0
    look_cost: float = 0.0
    looked: str = ""
    """What tells that nothing changed since the last look."""


class Inventory(Protocol):
    """Part of a catalog: it changes in the same transaction as the memories do."""

    def facts(self) -> Facts:
        """All of them are true, or the catalog is damaged: what is read twice or passed over would be told as somebody's edit."""
        ...

    def stamps(self) -> dict[str, Stamp]:
        """How every file that is known looked."""
        ...

    def file(self, path: str) -> Seen | None: ...

    def at(self, path: str) -> list[Known]:
        """What stands in a file, in its order."""
        ...

    def last(self, path: str) -> Known | None:
        """What stands last in a file."""
        ...

    def known(self, memory_id: str) -> Known | None: ...

    def places(self) -> Iterable[Known]:
        """Everything that stands anywhere, file by file."""
        ...

    def is_taken(self, path: str) -> bool:
        """Is a file known whose name is this one, but for case and Unicode form?"""
        ...

    def former(self, digest: bytes) -> str | None:
        """The memory whose entry, of exactly these bytes, somebody took out of a file."""
        ...

    def named(self, name: str) -> str | None:
        """The id of the memory that has this id or answers to this name."""
        ...

    def drawn(self, memory_id: str) -> set[tuple[str, str]]:
        """The links (relation, other end) that were read out of this memory's own text."""
        ...

    def waiting_for(self, others: Sequence[str]) -> list[str]:
        """The memories from whose text a link to any of these was read, sorted."""
        ...

    def see(self, seen: Iterable[tuple[str, Seen]]) -> None:
        """These files look like this now."""
        ...

    def forget(self, paths: Iterable[str]) -> None:
        """These files are gone."""
        ...

    def place(self, entries: Iterable[tuple[Known, Sequence[str]]]) -> None:
        """These memories stand here now, and answer to these names too."""
        ...

    def displace(self, memory_ids: Iterable[str]) -> None:
        """These memories stand in no file now. They answer to their names until others do."""
        ...

    def erase(self, memory_ids: Iterable[str]) -> None:
        """Leave no trace of these."""
        ...

    def retire(self, known: Known) -> None:
        """Somebody took this entry out of its file. If the same bytes are put back one day, it is the same memory."""
        ...

    def draw(self, memory_id: str, links: set[tuple[str, str]]) -> None:
        """Remember which links come from this memory's text."""
        ...

    def set_aside(self, path: str, aside: Sequence[tuple[int, str]]) -> None:
        """What could not be understood in this file now: the line, and why. What was said of it before is forgotten."""
        ...

    def asides(self) -> Iterable[tuple[str, int, str]]:
        """Path, line and reason of everything that could not be understood."""
        ...

    def note(self, **facts: Any) -> None:
        """These facts are new."""
        ...
