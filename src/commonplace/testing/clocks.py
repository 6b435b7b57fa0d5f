"""Clocks that say what a test wants to hear."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


class FixedClock:
    """Time stands still until somebody moves it, in either direction."""

    def __init__(self, start: datetime = EPOCH) -> None:
        self.moment = start

    def now(self) -> datetime:
        return self.moment

    def move(self, **by: float) -> datetime:
        """Go forward, or back with a negative amount: `move(hours=-1)`. Returns the new moment."""
        self.moment += timedelta(**by)
        return self.moment


class TickingClock(FixedClock):
    """Every look at it is `step` later than the look before, so that each operation has a moment of its own."""

    def __init__(self, start: datetime = EPOCH, step: timedelta = timedelta(seconds=1)) -> None:
        super().__init__(start)
        self.step = step

    def now(self) -> datetime:
        self.moment += self.step
        return self.moment
