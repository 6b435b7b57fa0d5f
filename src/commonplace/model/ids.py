"""Sortable ids: 48 bits of time, 80 bits of chance, written as 26 letters and digits (the ULID form).

Sorted as text they are sorted by the time they were made, and no two processes need to talk to keep them apart.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from commonplace.model.chance import chance
from commonplace.model.hashing import sha256

if TYPE_CHECKING:
    from datetime import datetime

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [a + b for a in _LETTERS for b in _LETTERS]  # ten bits at a time: five times faster than one letter at a time
_FORTY, _EIGHTY = (1 << 40) - 1, (1 << 80) - 1
_NONE = (0, 0, "")
_last = [_NONE]  # the millisecond of the newest id, its chance, and the millisecond as it is written


def new_id() -> str:
    """A fresh id, later than every id this process made before within the same millisecond."""
    now = time.time_ns() // 1_000_000
    millis, drawn, written = _last[0]
    if now == millis:
        # Within one millisecond the chance grows by chance, so that ids stay sorted and threads stay apart.
        drawn += 1 + int.from_bytes(chance(4))
    else:
        drawn, written = int.from_bytes(chance(10)) >> 1, _time(now)
    _last[0] = now, drawn, written
    return written + _rest(drawn & _EIGHTY)


def id_of(text: str, moment: datetime) -> str:
    """An id that follows from a text and a moment: for what has none of its own, and must get the same one again."""
    millis = max(int(moment.timestamp() * 1000), 0)
    return _time(millis) + _rest(int.from_bytes(sha256(text.encode())[:10]))


def _time(millis: int) -> str:
    return _PAIRS[millis >> 40 & 255] + _eight(millis & _FORTY)


def _rest(number: int) -> str:
    return _eight(number >> 40) + _eight(number & _FORTY)


def _eight(number: int) -> str:
    """Forty bits as eight letters."""
    return f"{_PAIRS[number >> 30]}{_PAIRS[number >> 20 & 1023]}{_PAIRS[number >> 10 & 1023]}{_PAIRS[number & 1023]}"


def _forget_the_parents_chance() -> None:
    _last[0] = _NONE


# A forked child would otherwise count on from its parent's number and could make the same id in the same millisecond.
os.register_at_fork(after_in_child=_forget_the_parents_chance)
