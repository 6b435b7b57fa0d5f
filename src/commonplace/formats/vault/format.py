"""`vault:`: Obsidian-compatible Markdown notes. Here the parts are put together; see `docs/format/vault.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from posixpath import basename
from typing import TYPE_CHECKING, Any

from commonplace.formats.vault.keys import HOLDS
from commonplace.formats.vault.layout import Layout
from commonplace.formats.vault.note import LARGEST, read
from commonplace.formats.vault.scan import scan

if TYPE_CHECKING:
    from commonplace.model.finding import Finding
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View
    from commonplace.seam.format import Altered, Contents, Known, Place, Put, Shelf, Stamp, Written


class VaultFormat:
    """See `seam.format.Format` for the promises."""

    name = "vault"
    holds = HOLDS
    largest = LARGEST
    may_vanish = False

    def __init__(self, layout: Layout | None = None) -> None:
        self.layout = layout or Layout()

    def is_personal(self, path: str) -> bool:
        return self.layout.is_personal(path)

    def scan(self, folder: str) -> dict[str, Stamp]:
        return scan(folder, self.layout)

    def read(self, path: str, raw: bytes) -> Contents:
        return read(path, raw, self.layout)

    def write(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        """Raises `DeniedError` if it would change a note of the person's own: that takes `write_personal` (A12)."""
        from commonplace.formats.vault.write import Writing

        return Writing(self.layout, shelf).written(altered)

    def write_personal(self, altered: Sequence[Altered], shelf: Shelf) -> Written:
        """As `write`, with the operator's word that notes outside of the store may be made and changed.

        For the one verb that carries that word; no other caller.
        """
        from commonplace.formats.vault.write import Writing

        return Writing(self.layout, shelf, personal=True).written(altered)

    def told(self, record: MemoryRecord) -> dict[str, Any]:
        """What a note of this memory says of it: the fields as reading them back gives them."""
        from commonplace.formats.vault.patch import as_told

        return as_told(record)

    def restored(self, gone: Sequence[Known], shelf: Shelf) -> Sequence[Put]:  # noqa: ARG002 (no other file tells it)
        return ()

    def names(self, place: Place) -> tuple[str, ...]:
        """A note's path, and its name as links have it; as written, and as a reader does who does not mind the case."""
        plain = place.path[:-3]
        spelled = (place.path, plain, basename(plain))
        return tuple(dict.fromkeys(name for one in spelled for name in (one, one.casefold())))

    def derived(self, view: View, shelf: Shelf, altered: Iterable[str]) -> Sequence[Put]:
        from commonplace.formats.vault.index import derived

        return derived(view, shelf, [*altered], self.layout)

    def findings(self, folder: str) -> Iterator[Finding]:
        from commonplace.formats.vault.findings import findings

        return findings(folder, self.layout)
