"""Is there room for what must not fail later? Asked right before a commit point, of the disk that will have to take it."""

from __future__ import annotations

import os

from commonplace.errors import UnavailableError
from commonplace.storage.atomic_write import in_our_words

_SPARE = 32 * 1024  # what the file system itself may need: the last block of each file, and where its blocks are noted


def must_have_room(folder: str, needed: int) -> None:
    with in_our_words(folder):
        disk = os.statvfs(folder)
    if (
        disk.f_blocks and disk.f_bavail * disk.f_frsize < needed + _SPARE
    ):  # some that are far away do not say how large they are
        raise UnavailableError(
            "the disk is full; nothing was changed",
            where=folder,
            hint="Free some space, then try again.",
            code="disk_full",
        )
