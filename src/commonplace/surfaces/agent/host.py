"""What the program around an agent decides: where the project lies, how long to wait, how much to allow, whom to tell."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from commonplace import settings
from commonplace.engine.retain import Limits


class Notice(NamedTuple):
    """Something that did not stop a call and that somebody should know. Never holds content."""

    kind: str
    reason: str


class Host(NamedTuple):
    """Everything the design leaves to the host. `Host()` is right for a script that is run where its project lies."""

    project: str | None = None
    """The folder of the program that is run; without one, the current folder (V55)."""
    path_is_directory: bool = False
    """Is `path` of a binding with scope `path` the memory's own folder, and not the one above it (V-g)?"""
    lock_timeout: float = settings.AGENT_LOCK_SECONDS
    """How long a call waits for another one with the same memory before it answers `locked` (V-a)."""
    limits: Limits = Limits()
    notify: Callable[[Notice], None] | None = None
    """Told of each patch that was not applied, and of each secret that was held back."""
    sleep: Callable[[float], None] = time.sleep
    """Waits between two tries."""
