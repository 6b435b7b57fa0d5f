"""Where the catalog of a file book lies: in the user's cache folder, under the hash of the book's own place."""

from __future__ import annotations

import os
from hashlib import sha256

from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.catalog.sqlite.turnstile import Turnstile, Witness
from commonplace.errors import LockedError
from commonplace.storage.atomic_write import in_our_words, remove
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
        """Take it away, but for its lock: whoever waits there must go on waiting for the same one."""
        turnstile = Turnstile(self.path + ".lock")
        try:
            with in_our_words(self.place):
                if not turnstile.enter(self._timeout):
                    raise LockedError(f"other writers held the book for {self._timeout:g} seconds", where=self.place)
                for ending in ("", "-wal", "-shm"):
                    remove(self.path + ending)
                turnstile.testify(Witness())
        finally:
            turnstile.leave()
            turnstile.close()

    def beside(self, folder: str) -> CatalogHome:
        return CatalogHome(self._cache, folder, self._timeout)
