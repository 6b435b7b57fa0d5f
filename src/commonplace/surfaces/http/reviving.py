"""A daemon that was killed comes back with the next call that looks for it, by whichever way in: on the same port, with the same
default book.

One that was stopped has taken its state file away and stays stopped; the file is left only by one that was killed. If several see
that at once, one of them starts it; were there two, one would take the lock and the other would end. One that cannot start takes
the file away too, so it is not tried for ever; one that does not even get so far is tried again after a rest.
"""

from __future__ import annotations

import os
import time

from commonplace.places import config_path, data_folder
from commonplace.surfaces.http.client import Daemon

_CLAIM = "daemon.reviving"
_REST_SECONDS = 10.0


def revive(killed: Daemon) -> None:
    """Start it anew and do not wait for it. What goes wrong with it stands in `daemon.log` beside its state file.

    Only as it was: started by `sudo` it would be the superuser's, and so would all that it writes into the user's book; started
    with another config file it would serve other books. Its settings are those of its first start (see `environment`).
    """
    if killed.owner != os.geteuid() or killed.config not in ("", config_path()):
        return
    try:
        port, book = killed.url.rpartition(":")[2], killed.books["default"]
        if not _is_ours_to_do():
            return
        log = os.open(
            os.path.join(data_folder(), "daemon.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
        )
        try:
            from commonplace.surfaces import apart
            from commonplace.surfaces.http.environment import environment_of
            from commonplace.surfaces.http.state import read_state

            words = ["serve", "--log", "troubles", "--port", port, "--book", book]
            left = read_state()
            settings = left.settings if left is not None else {}
            apart.begin(words, log=log, cwd=data_folder(), environment=environment_of(settings))
        finally:
            os.close(log)
    except (OSError, RuntimeError, KeyError):
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
