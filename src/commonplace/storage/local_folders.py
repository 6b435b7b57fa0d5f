"""Where this machine keeps what belongs to a store but must never be synced with it: locks, and what was set aside.

Each store has one folder there, named by the hash of its real path: whoever comes by a symlink finds the same one.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256

from commonplace.errors import InvalidError
from commonplace.places import cache_folder
from commonplace.storage.atomic_write import in_our_words
from commonplace.storage.folders import make_folder


def folder_for(store: str, purpose: str) -> str:
    """The folder for this store's locks (or whatever the purpose is), made if it is missing. The user's alone."""
    place = os.path.join(cache_folder(), purpose, sha256(os.fsencode(os.path.realpath(store))).hexdigest())
    with in_our_words(place):
        try:
            make_folder(place)
        except (FileExistsError, NotADirectoryError) as cause:
            raise _not_ours(place) from cause
        found = os.lstat(place)
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid not in {os.geteuid(), 0}):
        raise _not_ours(place)
    return place


def _not_ours(place: str) -> InvalidError:
    return InvalidError(
        "something else stands where a folder of your own is expected",
        where=place,
        hint="Look at it, and remove it if you do not know it.",
        code="unsafe_path",
    )
