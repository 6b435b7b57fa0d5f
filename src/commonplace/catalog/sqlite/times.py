"""Which entry of the journal was the last at a moment? Found by halving, although clocks may jump.

Entries are numbered in the order they were made, and their times grow with their numbers, unless somebody sets a clock
back. Each such step is noted when it happens; between two steps the times are sorted, so a search by halving is right.
"""

from __future__ import annotations

import apsw


def note_step(db: apsw.Connection, seq: int, at: int, last_at: int) -> None:
    """Remember that time went backwards before this entry."""
    if at < last_at:
        db.execute("INSERT INTO clock_steps VALUES (?)", (seq,))


def last_until(db: apsw.Connection, moment: int) -> int:
    """The highest number among the entries made at or before the moment; 0 if there is none."""
    for first, last in reversed(_stretches(db)):
        if _at(db, first) <= moment:
            return _halve(db, first, last, moment + 1) - 1
    return 0


def first_since(db: apsw.Connection, moment: int) -> int:
    """The lowest number among the entries made at or after the moment; beyond the end if there is none."""
    stretches = _stretches(db)
    for first, last in stretches:
        if _at(db, last) >= moment:
            return _halve(db, first, last, moment)
    return stretches[-1][1] + 1 if stretches else 1


def _stretches(db: apsw.Connection) -> list[tuple[int, int]]:
    """From where to where the times are sorted."""
    end = db.execute("SELECT max(seq) FROM journal").get
    if end is None:
        return []
    starts = [1, *(row[0] for row in db.execute("SELECT seq FROM clock_steps ORDER BY seq"))]
    return [(start, (following or end + 1) - 1) for start, following in zip(starts, [*starts[1:], None], strict=True)]


def _halve(db: apsw.Connection, low: int, high: int, moment: int) -> int:
    """The first number from `low` on whose time is at or after the moment; `high + 1` if none is."""
    high += 1
    while low < high:
        middle = (low + high) // 2
        if _at(db, middle) >= moment:
            high = middle
        else:
            low = middle + 1
    return low


def _at(db: apsw.Connection, seq: int) -> int:
    found: int = db.execute("SELECT at FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1", (seq,)).get or 0
    return found
