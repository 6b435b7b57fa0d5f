"""How old a memory is, as one would say it: coarse, so that the same block stays the same for as long as it is true."""

from __future__ import annotations

from datetime import datetime

_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


def age(moment: datetime, now: datetime) -> str:
    """`today`, `3 days`, `2 weeks`, `5 months`, `1 year`; what lies ahead is `ahead`."""
    days = (now - moment).days
    if days < 0:
        return "ahead" if (moment - now).days >= 1 else "today"
    for length, unit in _UNITS:
        if days >= length:
            many = days // length
            return f"{many} {unit}{'s' if many > 1 else ''}"
    return "today"
