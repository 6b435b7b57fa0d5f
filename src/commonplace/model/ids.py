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
_SHIFTS = tuple(range(120, -1, -10))
_last = [0, 0]  # the millisecond of the newest id, and its chance


def new_id() -> str:
    """A fresh id, later than every id this process made before within the same millisecond."""
    now = time.time_ns() // 1_000_000
    # Within one millisecond the chance grows by chance, so that ids stay sorted and threads stay apart.
    drawn = _last[1] + 1 + int.from_bytes(chance(4)) if now == _last[0] else int.from_bytes(chance(10)) >> 1
    _last[:] = now, drawn
    number = ((now & (1 << 48) - 1) << 80) | (drawn & (1 << 80) - 1)
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def id_of(text: str, moment: datetime) -> str:
    """An id that follows from a text and a moment: for what has none of its own, and must get the same one again."""
    millis = max(int(moment.timestamp() * 1000), 0)
    number = ((millis & (1 << 48) - 1) << 80) | int.from_bytes(sha256(text.encode())[:10])
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def _forget_the_parents_chance() -> None:
    _last[0] = 0


# A forked child would otherwise count on from its parent's number and could make the same id in the same millisecond.
os.register_at_fork(after_in_child=_forget_the_parents_chance)
