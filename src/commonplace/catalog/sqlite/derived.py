"""Where the catalog of a file book lies: in the user's cache folder, under the hash of the book's own place."""

from __future__ import annotations

import os
from hashlib import sha256

from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.storage.atomic_write import in_our_words
from commonplace.storage.folders import make_folder


class CatalogHome:
    """One book's place among the catalogs. Symlinks to the same folder lead to the same catalog."""

    def __init__(self, cache: str, folder: str, timeout: float) -> None:
        self._cache, self._timeout = cache, timeout
        self.place = os.path.join(cache, sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:32])

    @property
    def path(self) -> str:
        return os.path.join(self.place, "catalog.sqlite")

    def open(self, origin: tuple[str, str]) -> SqliteCanon:
        with in_our_words(self.place):
            make_folder(self.place)
        return SqliteCanon(self.path, timeout=self._timeout, origin=origin)

    def discard(self) -> None:
        """Put it out of the way, lock and all, in one step."""
        with in_our_words(self.place):
            if os.path.isdir(self.place):
                os.rename(self.place, f"{self.place}.old-{os.getpid()}-{os.urandom(4).hex()}")
        _sweep(self._cache, os.path.basename(self.place))

    def beside(self, folder: str) -> CatalogHome:
        return CatalogHome(self._cache, folder, self._timeout)


def _sweep(cache: str, name: str) -> None:
    """What was put out of the way is only a catalog: nothing is lost with it."""
    import shutil

    for old in os.listdir(cache):
        if old.startswith(f"{name}.old-"):
            shutil.rmtree(os.path.join(cache, old), ignore_errors=True)
