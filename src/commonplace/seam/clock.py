"""What time is it? Asked through a promise, so that tests can fix the answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The present moment in UTC. May jump in either direction: order comes from the journal's sequence, not from here."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)
