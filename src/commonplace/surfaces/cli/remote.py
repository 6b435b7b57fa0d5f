"""Through the daemon, when it runs and serves this book: the same request, the same answer, with its models loaded already.

Only a look at one file when it does not run. What stays here for every way in says `surfaces/elsewhere.py`; so does everything
with `--direct`, or with `--timeout`, which is about waiting for other writers at the book itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from commonplace.surfaces.operations import Described

if TYPE_CHECKING:
    from commonplace.surfaces.cli.arguments import Parsed
    from commonplace.surfaces.http.client import Daemon


def asked_elsewhere(operation: Described, request: Any, parsed: Parsed) -> Any:
    """The daemon's answer; None if it is not to be asked, does not run, or does not serve this book."""
    from commonplace.places import data_folder

    state = os.path.join(data_folder(), "daemon.json")
    if "direct" in parsed.everywhere or "timeout" in parsed.everywhere or not os.path.exists(state):
        return None
    from commonplace.surfaces.elsewhere import stays_here

    if stays_here(operation, request):
        return None
    from commonplace import __version__
    from commonplace.guard.trust import check_actor
    from commonplace.surfaces.cli.program import actor_of
    from commonplace.surfaces.http.client import running
    from commonplace.wiring import configured_url

    actor = check_actor(actor_of(parsed))
    daemon = running(state)
    name = None if daemon is None else daemon.serves(parsed.everywhere_last("book") or configured_url())
    if daemon is None or name is None or daemon.version != __version__ or not daemon.thinks_alike():
        return None
    return _said(daemon, operation, request, name, actor)


def _said(daemon: Daemon, operation: Described, request: Any, book: str, actor: str) -> Any:
    """None if the book itself has to be asked, this once."""
    from commonplace.surfaces.elsewhere import answered
    from commonplace.surfaces.http.client import NotThereError

    try:
        return answered(daemon, operation, request, book=book, actor=actor, surface="cli")
    except NotThereError:
        return None
    finally:
        daemon.close()
