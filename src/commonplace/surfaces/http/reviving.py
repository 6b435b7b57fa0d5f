"""A daemon that was killed comes back with the next command that looks for it: on the same port, with the same default book.

One that was stopped has taken its state file away and stays stopped; the file is left only by one that was killed. If several
commands see that at once, one of the daemons they start takes the lock, and the others end.
"""

from __future__ import annotations

import os
import subprocess
import sys

from commonplace.places import data_folder
from commonplace.surfaces.http.client import Daemon


def revive(killed: Daemon) -> None:
    """Start it anew and do not wait for it. What goes wrong with it stands in `daemon.log` beside its state file."""
    words = ["serve", "--log", "troubles", "--port", killed.url.rpartition(":")[2], "--book", killed.books["default"]]
    try:
        log = os.open(
            os.path.join(data_folder(), "daemon.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
        )
    except OSError:
        return  # it is only a help: whoever looked for it goes on without it
    try:
        subprocess.Popen(  # noqa: S603 - this very program
            [sys.executable, "-m", "commonplace", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=os.path.expanduser("~"),
            start_new_session=True,
            close_fds=True,
        )
    except OSError:
        return
    finally:
        os.close(log)
