"""What both media share: documents are files below a root, each written whole, under the store's mutex, compared by hash.

No link is followed at a document's own name, and no folder is entered whose real place is outside the root.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import ClassVar

from commonplace import settings
from commonplace.errors import ConflictError, TooLargeError
from commonplace.seam.locator import InvalidLocatorError, Locator
from commonplace.seam.storage import (
    ABSENT,
    Info,
    Locators,
    MissingDocumentError,
    StorageBackend,
    StorageCapabilities,
    to_bytes,
    to_text,
)
from commonplace.storage.atomic_write import in_our_words, is_partial
from commonplace.storage.folders import make_folder
from commonplace.storage.mutex import Mutex
from commonplace.storage.plain_file import not_plain, open_plain, sha256_of
from commonplace.storage.swap import replace_checked

# Somebody who does not ask for the mutex may change a document again and again while we want to replace it.
_PATIENCE = 20


class FolderBackend(StorageBackend):
    """Documents as files in a folder."""

    capabilities: ClassVar[StorageCapabilities] = StorageCapabilities(concurrent_writers=True)

    def __init__(self, root: str, *, timeout: float = settings.BUSY_TIMEOUT_SECONDS) -> None:
        self._root = os.path.abspath(os.path.expanduser(root))
        self._timeout = timeout

    def resolve(self, *parts: str) -> Locator:
        return Locator.of(*parts)

    def read(self, locator: Locator) -> str:
        path = self._path(locator)
        with in_our_words(path):
            try:
                fd = open_plain(path, os.O_RDONLY)
            except (FileNotFoundError, NotADirectoryError) as cause:
                raise _missing(locator) from cause
            with open(fd, "rb") as file:
                data = file.read(settings.MAX_MATERIAL_BYTES + 1)
        if len(data) > settings.MAX_MATERIAL_BYTES:
            raise TooLargeError(f"the document is larger than {settings.MAX_MATERIAL_BYTES} bytes", where=str(locator))
        return to_text(data)

    def write(self, locator: Locator, text: str, expected_hash: str | None = None) -> Locator:
        data, path = to_bytes(text), self._document(locator)
        self.mkdir(_above(locator))
        with Mutex(self._root).held(self._timeout) as mutex:
            mutex.must_be_mine()
            if expected_hash is None:
                self._replace_whatever_is_there(path, data)
            else:
                replace_checked(path, data, None if expected_hash == ABSENT else expected_hash)
        return locator

    def list(self, locator: Locator) -> Locators:
        path = self._path(locator)
        with in_our_words(path):
            try:
                names = os.listdir(path)
            except (FileNotFoundError, NotADirectoryError):
                return []
        found: Locators = []
        for name in sorted(name for name in names if not is_partial(name)):
            with suppress(InvalidLocatorError):  # a name that no locator can have is nobody's document
                found.append(locator.child(name))
        return found

    def exists(self, locator: Locator) -> bool:
        return self._stat(locator) is not None

    def info(self, locator: Locator) -> Info:
        found = self._stat(locator)
        if found is None:
            raise _missing(locator)
        is_dir = os.path.isdir(self._path(locator))
        return Info(locator=locator, is_dir=is_dir, size=0 if is_dir else found.st_size, mtime=found.st_mtime)

    def mkdir(self, locator: Locator) -> Locator:
        path = self._path(locator)
        with in_our_words(path):
            try:
                make_folder(path)
            except (FileExistsError, NotADirectoryError) as cause:
                hint = "Move the document away, or name another folder."
                raise ConflictError("a document stands in the folder's way", where=str(locator), hint=hint) from cause
        return locator

    def _replace_whatever_is_there(self, path: str, data: bytes) -> None:
        for left in reversed(range(_PATIENCE)):
            try:
                return replace_checked(path, data, sha256_of(path))
            except ConflictError:
                if not left:
                    raise
        return None

    def _stat(self, locator: Locator) -> os.stat_result | None:
        path = self._path(locator)
        with in_our_words(path):
            try:
                return os.lstat(path)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def _document(self, locator: Locator) -> str:
        if not locator.key:
            raise InvalidLocatorError("it is the store's root")
        return self._path(locator)

    def _path(self, locator: Locator) -> str:
        """Where it lies. A folder on the way that really is somewhere else is not entered."""
        root = self._place()
        path = os.path.join(root, *locator.parts)
        folder = os.path.realpath(path if os.path.isdir(path) else os.path.dirname(path))
        if locator.key and folder != root and not folder.startswith(root + os.sep):
            raise not_plain(str(locator))
        return path

    def _place(self) -> str:
        """Where the root really lies; asked anew each time, because it may be moved."""
        return os.path.realpath(self._root)


def _above(locator: Locator) -> Locator:
    return Locator.of(*locator.parts[:-1])


def _missing(locator: Locator) -> MissingDocumentError:
    return MissingDocumentError("there is no such document", where=str(locator), code="missing")
