"""The canon: the form that is the truth of a book. Verbs see only this promise and never know what is behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from commonplace.seam.catalog import Draft, View
from commonplace.seam.terms import Capabilities, Progress

if TYPE_CHECKING:
    from commonplace.model.finding import Finding


class Canon(Protocol):
    """One book's truth.

    Writers exclude each other across threads and processes, whatever becomes of the holder; readers are never blocked
    and always see a whole state. When `writing` ends without an error, what was committed survives a power cut.
    """

    capabilities: Capabilities

    @property
    def url(self) -> str:
        """How to open this book again."""
        ...

    @property
    def book_id(self) -> str:
        """The book's own identity, made once, kept by backups."""
        ...

    @property
    def format_version(self) -> int: ...

    def reading(self) -> AbstractContextManager[View]:
        """A consistent view. Does not wait for writers."""
        ...

    def writing(self, timeout: float, *, durable: bool = True) -> AbstractContextManager[Draft]:
        """The only way to change anything. Waits its turn, first come first served, for at most `timeout` seconds, then
        raises `LockedError`. An exception inside undoes everything.

        What nobody is promised to find again (`durable=False`: a receipt) need not wait for the disk.
        """
        ...

    def examine(self, *, full: bool, progress: Progress | None = None) -> Iterator[Finding]:
        """Look for damage: the structure, and with `full` every stored byte. Finds; never raises on what it finds."""
        ...

    def lost(self) -> int:
        """How many acknowledged operations are known, from outside the book, to be missing from it."""
        ...

    def unsound(self) -> Iterator[Finding]:
        """Where the journal is kept outside the view that shows it: what was altered, is missing or stands elsewhere there."""
        ...

    def settle(self, timeout: float) -> None:
        """Before a search: take into the index what waits beside it, if that is possible within `timeout`. Never fails: a
        view finds what is not yet in the index too, only more slowly."""
        ...

    def rebuild_index(self) -> None:
        """Make the full text index anew from the memories."""
        ...

    def scrub(self, timeout: float) -> list[str]:
        """After an erase: leave no trace in free pages or logs. Returns what could not be scrubbed yet and why."""
        ...

    def backup(self, target: str, progress: Progress | None = None) -> Canon:
        """Write a consistent copy to `target`, which must not exist, durably, while others go on writing.

        Returns the copy, opened for reading, so that it can be proved before anybody relies on it.
        """
        ...

    def unmake(self, target: str) -> None:
        """Take away the copy at `target`, which `backup` has just made and which could not be proved. As well as one can."""
        ...

    def size(self) -> int:
        """Bytes on disk."""
        ...

    def close(self) -> None:
        """Let go of everything. Closing twice is closing once."""
        ...
