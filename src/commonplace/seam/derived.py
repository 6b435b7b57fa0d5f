"""The catalog of a book in files: derived from them, kept outside of them, and made anew whenever it is not what it should be."""

from __future__ import annotations

from typing import Protocol

from commonplace.seam.canon import Canon


class Derived(Canon, Protocol):
    """A catalog that knows whose it is."""

    @property
    def origin(self) -> tuple[str, str]: ...

    def must_be_in_place(self) -> None:
        """Raises if the catalog or its lock was taken away meanwhile: then somebody else may be writing too."""
        ...

    def must_have_room(self) -> None:
        """Raises, while that is still early enough, if the disk has no room for what was changed in this transaction."""
        ...


class CatalogHome(Protocol):
    """Where a file book's catalog lies: outside of the book, never synced, always replaceable."""

    place: str

    def open(self, origin: tuple[str, str]) -> Derived: ...

    def discard(self) -> None:
        """Put it out of the way: it is damaged, or belongs to another book."""
        ...

    def beside(self, folder: str) -> CatalogHome:
        """Where the catalog of the book in another folder lies."""
        ...
