"""Moments as people type them: ISO 8601, a date, `today`, `yesterday`, or how long ago. All of them in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from commonplace.surfaces.cli.arguments import UsageError

_AGO = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(text: str, name: str, now: datetime | None = None) -> datetime:
    """A moment in UTC. A time without an offset is UTC too, because UTC is what every answer shows."""
    now = now or datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    word = text.strip().lower()
    if word in ("now", "today", "yesterday"):
        return {"now": now, "today": midnight, "yesterday": midnight - timedelta(days=1)}[word]
    try:
        if word[:-1].isdecimal() and word[-1:] in _AGO:
            return now - timedelta(**{_AGO[word[-1]]: int(word[:-1])})
        read = datetime.fromisoformat(text.strip())
        return (read.replace(tzinfo=UTC) if read.tzinfo is None else read).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{name}: not a moment", "Write 2026-05-03, 2026-05-03T12:00Z, today, yesterday, 2h or 3d (ago)."
        ) from None
