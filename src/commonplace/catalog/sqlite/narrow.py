"""How narrow is a filter? If few memories pass it, a search looks at those alone; if many do, it looks first and checks after."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from commonplace.catalog.sqlite import at_hand, demands, fresh, listing
from commonplace.catalog.sqlite.at_hand import AtHand
from commonplace.model.filter import Filter
from commonplace.model.words import Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from commonplace.catalog.sqlite.demands import Demand

# This share of the book can be named, if they are not few: those are found sooner among themselves than among all.
_SHARE = 16


class Named:
    """Who may pass a filter. Nobody else does; and of a few, which are kept one by one and in order, everybody does."""

    def __init__(self, numbers: list[int], *, few: bool) -> None:
        self.few, self.count = (numbers if few else None), len(numbers)
        self._mask = None if few else _mask_of(numbers)

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return 0 if self._mask is None else len(self._mask)

    def holds(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of each of these: is it among them?"""
        if self._mask is None:
            self._mask = _mask_of(self.few or [])
        return self._mask.take(numbers, mode="clip")

    def told(self, numbers: list[int]) -> list[bool]:
        """As `holds`, of a list."""
        import numpy as np

        told: list[bool] = self.holds(np.array(numbers, dtype=np.int64)).tolist()
        return told


def _mask_of(numbers: list[int]) -> NDArray[np.bool_]:
    """By number; the last one is nobody's, and stands for all that lie behind."""
    import numpy as np

    mask = np.zeros(max(numbers, default=0) + 2, dtype=np.bool_)
    mask[numbers] = True
    return mask


def named(db: apsw.Connection, hand: AtHand, where: Filter) -> Named | None:
    """Who may pass, read off the facets; None if that is too large a part of the book to be named."""
    if _only_statuses(where) == _ACTIVE:
        return None
    if where not in hand.named:
        # What is not few is told apart by numpy, and that is not loaded for words alone.
        most = max(demands.FEW, hand.upto // _SHARE) if "numpy" in sys.modules else demands.FEW
        hand.keep_named(where, _read_off(db, where, most))
    return hand.named[where]


def everybody(db: apsw.Connection, hand: AtHand, where: Filter) -> Named:
    """As `named`, however many they are: for whoever has looked at a good part of the book, and found too few."""
    found = hand.named.get(where)
    if found is None:
        first, *others = [*demands.of(where)] or [demands.EVERYBODY]
        found = _who(db, where, _under(db, where, first, others))
        hand.keep_named(where, found)
    return found


def _read_off(db: apsw.Connection, where: Filter, most: int) -> Named | None:
    """The demand that lets few through leads; or the first that lets no more than `most` through. Those of them who meet
    the others are named."""
    asked = [*demands.of(where)]
    for enough in dict.fromkeys((demands.FEW, most)):
        for lead in asked:
            if demands.are_few(db, where, lead, enough):
                return _who(db, where, _under(db, where, lead, [each for each in asked if not {*lead} <= {*each}]))
    return None


def _who(db: apsw.Connection, where: Filter, numbers: list[int]) -> Named:
    """A few are asked; of many it is enough to know that nobody else passes."""
    few = len(numbers) <= demands.FEW
    return Named(passing(db, where, numbers) if few else numbers, few=few)


def passing(db: apsw.Connection, where: Filter, numbers: Sequence[int]) -> list[int]:
    """Those of these memories that the filter lets through, in the order given."""
    condition, values = _condition(where)
    rows: list[Any] = db.execute(
        f"SELECT memories.n FROM json_each(?) AS j CROSS JOIN memories ON memories.n = j.value WHERE {condition}",
        (msgspec.json.encode(numbers).decode(), *values),
    ).fetchall()
    return [n for (n,) in rows]


def told(db: apsw.Connection, hand: AtHand, where: Filter, numbers: Sequence[int]) -> Sequence[int]:
    """Of each of these: does it pass? Each memory is asked about once: an agent asks for its own project again and again."""
    if max(numbers, default=0) > hand.last or hand.last > at_hand.VERDICTS:
        passed = {*passing(db, where, numbers)}
        return [n in passed for n in numbers]
    return at_hand.told(hand.verdicts_of(where), numbers, lambda missing: passing(db, where, missing))


def possible(hand: AtHand, where: Filter, those: Named | None, numbers: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Of each of these: may it pass, for all that is known? None if nothing is known of this filter, or if most pass it."""
    if those is not None:
        return those.holds(numbers)
    verdicts = hand.verdicts.get(where)
    if verdicts is None or _only_statuses(where) is not None:
        return None
    import numpy as np

    found: NDArray[np.bool_] = np.frombuffer(verdicts, dtype=np.uint8)[numbers] != at_hand.NO
    return found


_ACTIVE = frozenset((str(Status.ACTIVE),))


@lru_cache(maxsize=16)
def _only_statuses(where: Filter) -> frozenset[str] | None:
    """The statuses it asks for; None if it asks for anything else."""
    plain = msgspec.structs.replace(where, statuses=()) == Filter(statuses=())
    return frozenset(map(str, where.statuses)) if plain else None


@lru_cache(maxsize=16)
def _condition(where: Filter) -> tuple[str, list[Any]]:
    return listing.filter_sql(where)


def _under(db: apsw.Connection, where: Filter, lead: Demand, others: list[Demand]) -> list[int]:
    """The numbers of those who meet these demands, in order, the fresh ones included."""
    rows: list[Any] = db.execute(*demands.entries(where, lead, others)).fetchall()
    waiting: list[Any] = db.execute("SELECT n FROM memories WHERE n > ?", (fresh.upto(db),)).fetchall()
    return sorted({n for (n,) in (*rows, *waiting)})


def enlarged(looked_at: int, passed: int, wanted: int) -> int:
    """How many to look at next, if so few of those that were looked at passed the filter: as many as will do, in all
    likelihood, but not too many more."""
    return looked_at * min(max(2, 3 * wanted // (2 * max(passed, 1))), 32)
