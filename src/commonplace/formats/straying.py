"""Links of a person's own notes that lost their way: what they lead to was moved, and nobody but the person may turn them.

Links in the store's notes follow what moves (A27). A note of the person's own is not written to (A12), so it is named instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from commonplace.errors import CommonplaceError
from commonplace.model.finding import Finding, Severity

if TYPE_CHECKING:
    from commonplace.formats.steps import Files
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Format, Known
    from commonplace.seam.inventory import Inventory


@runtime_checkable
class HasOwners(Protocol):
    """A format in which some files are a person's own."""

    def is_personal(self, path: str) -> bool: ...


def strayed(view: View, format: Format, files: Files) -> Iterator[Finding]:
    inventory = view.inventory()
    for known in inventory.places() if isinstance(format, HasOwners) else ():
        if format.is_personal(known.place.path):  # type: ignore[attr-defined]
            for other in sorted(_lost(known, inventory, format, files)):
                there = inventory.known(other)
                if there is not None:
                    yield _finding(known.place.path, there.place.path)


def _lost(known: Known, inventory: Inventory, format: Format, files: Files) -> set[str]:
    """The memories to which links were read out of this note that its text names no longer by a name they have."""
    drawn = {other for _, other in inventory.drawn(known.memory_id) if not other.startswith("[[")}
    if not drawn:
        return set()
    try:
        raw = files.read(known.place.path)
    except CommonplaceError:
        return set()
    entries = format.read(known.place.path, raw or b"").entries
    return drawn - {*_meant((target for entry in entries for _, target in entry.links), inventory)}


def _meant(targets: Iterable[str], inventory: Inventory) -> Iterator[str]:
    for target in targets:
        meant = inventory.named(target) or inventory.named(target.casefold())
        if meant is not None:
            yield meant


def _finding(path: str, to: str) -> Finding:
    return Finding(
        code="link_strayed",
        message=f"a note of your own links to a memory that is called {to} now",
        severity=Severity.WARNING,
        where=path,
        hint="Turn the link in your editor: Commonplace does not write to your own notes.",
    )
