"""Each file format keeps every promise of a canon."""

from __future__ import annotations

from pathlib import Path

from commonplace.catalog.sqlite.derived import CatalogHome
from commonplace.formats.canon import FileCanon
from commonplace.seam.canon import Canon
from commonplace.seam.format import Format
from commonplace.testing.canon_contract import CanonContract


class FileContract(CanonContract):
    """What lies in the folder is the book; the catalog lies elsewhere."""

    def format(self) -> Format:
        raise NotImplementedError

    def open_canon(self, where: Path) -> Canon:
        home = CatalogHome(str(where / "cache"), str(where / "book"), 5.0)
        return FileCanon(str(where / "book"), self.format(), home)

    def raw(self, where: Path) -> dict[str, bytes]:
        return {str(path.relative_to(where)): path.read_bytes() for path in where.rglob("*") if path.is_file()}


class TestJsonl(FileContract):
    def format(self) -> Format:
        from commonplace.formats.jsonl.format import JsonlFormat

        return JsonlFormat()
