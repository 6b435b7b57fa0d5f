"""A daemon that was killed comes back with the next call that looks for it, by whichever way in: on the same port, with the same
default book.

One that was stopped has taken its state file away and stays stopped; the file is left only by one that was killed. If several see
that at once, one of them starts it; were there two, one would take the lock and the other would end. One that cannot start takes
the file away too, so it is not tried for ever; one that does not even get so far is tried again after a rest.
"""

from __future__ import annotations

import os
import time

from commonplace.places import data_folder
from commonplace.surfaces.http.client import Daemon

_CLAIM = "daemon.reviving"
_REST_SECONDS = 10.0


def revive(killed: Daemon) -> None:
    """Start it anew and do not wait for it. What goes wrong with it stands in `daemon.log` beside its state file."""
    words = ["serve", "--log", "troubles", "--port", killed.url.rpartition(":")[2], "--book", killed.books["default"]]
    try:
        if not _is_ours_to_do():
            return
        log = os.open(
            os.path.join(data_folder(), "daemon.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
        )
        try:
            from commonplace.surfaces import apart

            apart.begin(words, log=log, cwd=data_folder())
        finally:
            os.close(log)
    except (OSError, RuntimeError):
        return  # it is only a help: whoever looked for it goes on without it


def is_back() -> None:
    """It runs: should it be killed once more, it need not rest."""
    try:
        os.unlink(os.path.join(data_folder(), _CLAIM))
    except OSError:
        return


def _is_ours_to_do() -> bool:
    """Nobody else has begun to within the last seconds."""
    path = os.path.join(data_folder(), _CLAIM)
    try:
        if 0 <= time.time() - os.lstat(path).st_mtime < _REST_SECONDS:
            return False
        os.unlink(path)
    except FileNotFoundError:
        pass
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except FileExistsError:
        return False
    return True
