"""A program that knows no lock of ours may change the file at any moment. Its change is taken in first, then ours tried again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from commonplace.errors import StaleError

T = TypeVar("T")
TRIES = 20
_PAUSE_SECONDS = 0.01


def patiently(act: Callable[[], T]) -> T:
    """What `act` gives, once nobody changed the file under its hands."""
    for _ in range(TRIES - 1):
        try:
            return act()
        except StaleError:
            time.sleep(_PAUSE_SECONDS)
    return act()
