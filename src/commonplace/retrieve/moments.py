"""Time in a question: `yesterday`, `in May 2023`, `two weeks ago`, `2026-05-03` become spans from when to when.

Only phrases with one plain meaning are read. What is not understood stays a word like any other.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple


class Span(NamedTuple):
    """From `since` up to, and without, `until`."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        return self.since <= moment < self.until


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DAYS = {name: n for n, name in enumerate(_WEEK)}
_NUMBERS = {word: n for n, word in enumerate(_COUNTED)} | {
    "a": 1,
    "an": 1,
    "couple of": 2,
    "a couple of": 2,
    "few": 3,
    "a few": 3,
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_COUNT = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)).replace(" ", r"\s")

_PHRASES = re.compile(
    rf"""(?x)\b(?:
      (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})
    | (?P<iso_month>\d{{4}}-\d{{2}})(?!-?\d)
    | (?P<day1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month1>{_MONTH})\.?,?(?:\s+(?P<year1>\d{{4}}))?
    | (?P<month2>{_MONTH})\.?\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d),?(?:\s+(?P<year2>\d{{4}}))?
    | (?P<month3>{_MONTH})\.?,?\s+(?:of\s+)?(?P<year3>\d{{4}})
    | (?:in|during|since|by|last|this)\s+(?P<month4>{_MONTH})(?!\w|\.?,?\s+(?:of\s+)?\d)
    | (?:in|during|since|of)\s+(?P<year5>(?:19|20)\d\d)(?![-\d])
    | (?P<count>{_COUNT})\s+(?P<unit>day|week|month|year)s?\s+(?:ago|back|earlier)
    | (?:the\s+)?(?P<which>last|past|previous|this)\s+(?:(?P<many>{_COUNT})\s+)?(?P<whole>day|week|weekend|month|year)s?
    | last\s+(?P<weekday>{"|".join(_DAYS)})
    | (?P<near>today|yesterday|day\ before\ yesterday|tonight|this\ morning|last\ night)
    )(?!\w)"""
)
# Whatever `_PHRASES` reads holds one of these, in lower case. To look for them is five times cheaper, and most texts hold none.
_HINTS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ago|back|earlier|last|past|previous|this|today|yesterday|tonight|\d{4})"
)
_DAY = timedelta(days=1)


def spans_in(text: str, now: datetime) -> tuple[Span, ...]:
    """The spans that a question speaks of, seen from `now`, in the order it speaks of them."""
    if len(text) > 2_000:  # a question is short; a pasted document is not asked about its dates
        return ()
    text = text.lower()
    if not _HINTS.search(text):
        return ()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    found = (_read(match, midnight) for match in _PHRASES.finditer(text) if not _is_an_end(text, match.start()))
    return tuple(dict.fromkeys(span for span in found if span is not None))


def _is_an_end(text: str, start: int) -> bool:
    """`Until 3 May` is not that day, but all the days before it: no time to look at."""
    return text[max(start - 6, 0) : start] == "until "


def _read(match: re.Match[str], today: datetime) -> Span | None:
    said = {name: value for name, value in match.groupdict().items() if value}
    try:
        for read in (_calendar, _ago, _recent, _named_day):
            span = read(said, today)
            if span is not None:
                return span
    except (ValueError, OverflowError):  # the 31st of June
        return None
    return None


def _calendar(said: dict[str, str], today: datetime) -> Span | None:
    if "iso" in said:
        year, month, day = map(int, said["iso"].split("-"))
        return _days(today.replace(year=year, month=month, day=day), 1)
    for one in ("1", "2"):
        if f"day{one}" in said:
            return _day_of(today, said.get(f"year{one}"), _MONTHS[said[f"month{one}"]], int(said[f"day{one}"]))
    if "year5" in said:
        start = today.replace(year=int(said["year5"]), month=1, day=1)
        return Span(start, start.replace(year=start.year + 1))
    return _some_month(said, today)


def _some_month(said: dict[str, str], today: datetime) -> Span | None:
    if "iso_month" in said:
        year, month = map(int, said["iso_month"].split("-"))
        return _month(today, year, month)
    if "month3" in said:
        return _month(today, int(said["year3"]), _MONTHS[said["month3"]])
    if "month4" in said:
        number = _MONTHS[said["month4"]]
        return _month(today, today.year - (number > today.month), number)
    return None


def _day_of(today: datetime, year: str | None, month: int, day: int) -> Span:
    """Without a year, the last such day that is not in the future."""
    start = today.replace(year=int(year) if year else today.year, month=month, day=day)
    if year is None and start > today:
        start = start.replace(year=start.year - 1)
    return _days(start, 1)


def _ago(said: dict[str, str], today: datetime) -> Span | None:
    """`two weeks ago` is not a day but a time around it, the wider the longer ago."""
    if "count" not in said:
        return None
    unit = _UNITS[said["unit"]]
    middle = today - _number(said["count"]) * unit
    return Span(middle - unit // 2, middle + unit // 2 + _DAY)


def _recent(said: dict[str, str], today: datetime) -> Span | None:
    if "which" not in said:
        return None
    whole, many = said["whole"], _number(said.get("many", "1"))
    if whole == "weekend":
        saturday = today - timedelta(days=(today.weekday() - 5) % 7)
        is_now = today.weekday() >= 5 and said["which"] != "this"
        return _days(saturday - 7 * _DAY * is_now, 2)
    if said["which"] == "this":
        return Span(today - timedelta(days=_days_into(whole, today)), today + _DAY)
    # People mean by `last week` the week before this one or the last seven days: both are in.
    length = _UNITS[whole] * many
    return Span(today - length - timedelta(days=_days_into(whole, today)), today + _DAY)


def _named_day(said: dict[str, str], today: datetime) -> Span | None:
    if "weekday" in said:
        return _days(today - timedelta(days=(today.weekday() - _DAYS[said["weekday"]]) % 7 or 7), 1)
    back = {"yesterday": 1, "last night": 1, "day before yesterday": 2}.get(said.get("near", ""), 0)
    return _days(today - back * _DAY, 1) if "near" in said else None


def _month(today: datetime, year: int, month: int) -> Span:
    start = today.replace(year=year, month=month, day=1)
    return Span(start, (start + 32 * _DAY).replace(day=1))


def _days(start: datetime, many: int) -> Span:
    return Span(start, start + many * _DAY)


def _number(said: str) -> int:
    return int(said) if said.isdigit() else _NUMBERS[said]


_UNITS = {"day": _DAY, "week": 7 * _DAY, "month": 30 * _DAY, "year": 365 * _DAY}


def _days_into(whole: str, today: datetime) -> int:
    """How many days of this week, month or year are over."""
    return {"week": today.weekday(), "month": today.day - 1, "year": today.timetuple().tm_yday - 1}.get(whole, 0)
