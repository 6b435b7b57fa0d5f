"""Moments as people type them: ISO 8601, a date, `today`, `tomorrow`, how long ago or from now. All of them in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from commonplace.surfaces.cli.arguments import UsageError

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(text: str, name: str, now: datetime | None = None, *, ahead: bool = False) -> datetime:
    """A moment in UTC. A time without an offset is UTC too, because UTC is what every answer shows.

    `3d` is three days ago and `+3d` three days from now; where only what lies `ahead` makes sense, both are.
    """
    now = now or datetime.now(UTC)
    midnight, day = now.replace(hour=0, minute=0, second=0, microsecond=0), timedelta(days=1)
    word = text.strip().lower()
    named = {"now": now, "today": midnight, "yesterday": midnight - day, "tomorrow": midnight + day}
    if word in named:
        return named[word]
    try:
        amount = word.removeprefix("+")
        if amount[:-1].isdecimal() and amount[-1:] in _UNITS:
            apart = timedelta(**{_UNITS[amount[-1]]: int(amount[:-1])})
            return now + apart if ahead or amount != word else now - apart
        read = datetime.fromisoformat(text.strip())
        return (read.replace(tzinfo=UTC) if read.tzinfo is None else read).astimezone(UTC)
    except (ValueError, OverflowError):
        lengths = "3d (from now)" if ahead else "2h or 3d (ago), +3d (from now)"
        hint = f"Write 2026-05-03, 2026-05-03T12:00Z, today, tomorrow, {lengths}."
        raise UsageError(f"{name}: not a moment", hint) from None
