"""Copies of what was purged that are no part of the book: set aside by us, or by a sync client, an editor, a killed writer.

What we keep aside ourselves is destroyed with it. What others made is theirs to delete: it is named in the purge's answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from commonplace import settings
from commonplace.errors import CommonplaceError
from commonplace.formats.health import walked
from commonplace.storage.conflict_files import classify
from commonplace.storage.plain_file import opened

_SHORTEST = 4
"""Fewer letters stand in nearly every file, and tell nothing."""


class Copies:
    """Of one book in files."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._words: set[str] = set()

    def look_for(self, words: Iterable[str]) -> None:
        """Remembered until somebody asks, and never written down."""
        self._words |= {text for text in words if len(text) >= _SHORTEST}

    def left(self) -> list[str]:
        """Which files still hold it; what we set aside ourselves does not any more."""
        words, self._words = self._words, set()
        needles = {spelled for text in words for spelled in _spelled(text)}
        if not needles:
            return []
        return [*self._forget_aside(needles), *self._found(needles)]

    def _forget_aside(self, needles: set[bytes]) -> Iterator[str]:
        from commonplace.storage.quarantine import Quarantine

        try:
            for needle in needles:
                Quarantine(self._folder).erase(needle)
        except CommonplaceError as cause:
            yield f"kept aside: {cause.message}"

    def _found(self, needles: set[bytes]) -> Iterator[str]:
        for path in walked(self._folder):
            folder, name = os.path.split(os.path.join(self._folder, path))
            with suppress(OSError, CommonplaceError):
                if classify(name, os.listdir(folder)) is not None and _holds(os.path.join(folder, name), needles):
                    yield f"copy: {path} holds what was purged; look at it and delete it"


def _spelled(text: str) -> set[bytes]:
    """As it stands in a note, and in a line of JSON."""
    inside = (json.dumps(text, ensure_ascii=ascii)[1:-1] for ascii in (True, False))
    return {spelled.encode(errors="surrogatepass") for spelled in (text, *inside)}


def _holds(path: str, needles: set[bytes]) -> bool:
    with opened(path) as fd, open(fd, "rb", closefd=False) as file:
        raw = file.read(settings.MAX_BOOK_FILE_BYTES)
    return any(needle in raw for needle in needles)
