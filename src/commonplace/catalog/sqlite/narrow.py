"""How narrow is a filter? If few memories pass it, a search looks at those alone; if many do, it looks first and checks after."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from commonplace.catalog.sqlite import at_hand, facets, fresh, listing
from commonplace.catalog.sqlite.at_hand import AtHand
from commonplace.model.base import to_micros
from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.words import Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# So many are sooner looked at one by one than found among all.
FEW = 1_000
_PASSES, _FAILS = 1, 2
_LISTS = {"kind": "kinds", "type": "types", "scope": "scopes", "trust": "trusts"}


def few(db: apsw.Connection, where: Filter) -> list[int] | None:
    """The numbers of all that pass, if one of the filter's own conditions lets only few through. None if not."""
    for facet, values in _asked(where):
        numbers = _at_most(db, where, facet, values, FEW)
        if numbers is not None:
            return passing(db, where, numbers)
    return None


def passing(db: apsw.Connection, where: Filter, numbers: Sequence[int]) -> list[int]:
    """Those of these memories that the filter lets through, in the order given."""
    return [n for n, *_ in rows_of(db, where, numbers, "memories.n")]


def rows_of(db: apsw.Connection, where: Filter, numbers: Sequence[int], columns: str) -> list[tuple[Any, ...]]:
    """Columns of those of these memories that the filter lets through, in the order given."""
    condition, values = _condition(where)
    return db.execute(
        f"SELECT {columns} FROM json_each(?) AS j CROSS JOIN memories ON memories.n = j.value WHERE {condition}",
        (msgspec.json.encode(numbers).decode(), *values),
    ).fetchall()


def lines_of(
    db: apsw.Connection, hand: AtHand, where: Filter, numbers: Sequence[int]
) -> tuple[list[at_hand.Line | None], Container[str]]:
    """Lines of these memories, one by one, and the statuses that the filter lets through. Whom it keeps out for another
    reason has no line; but most filters ask for a status alone, and that stands in the line."""
    statuses = _only_statuses(where)
    if statuses is not None:
        return hand.lines_of(db, numbers), statuses
    passed = passing_again(db, hand, where, numbers)
    lines = dict(zip(passed, hand.lines_of(db, passed), strict=True))
    return [*map(lines.get, numbers)], EVERY_STATUS


def passing_again(db: apsw.Connection, hand: AtHand, where: Filter, numbers: Sequence[int]) -> list[int]:
    """As `passing`, but each memory is asked about once: an agent asks for its own project again and again."""
    if max(numbers, default=0) > hand.last or hand.last > at_hand.VERDICTS:
        return passing(db, where, numbers)
    verdicts = hand.verdicts_of(where)
    unknown = [n for n in numbers if not verdicts[n]]
    if unknown:
        for n in unknown:
            verdicts[n] = _FAILS
        for n in passing(db, where, unknown):
            verdicts[n] = _PASSES
    return [n for n in numbers if verdicts[n] == _PASSES]


def failing(hand: AtHand, where: Filter) -> NDArray[np.bool_] | None:
    """By number, who is known not to pass, and need not be looked at; None if nothing is known of this filter."""
    verdicts = hand.verdicts.get(where)
    if verdicts is None or "numpy" not in sys.modules:
        return None
    import numpy as np

    found: NDArray[np.bool_] = np.frombuffer(verdicts, dtype=np.uint8) == _FAILS
    return found


@lru_cache(maxsize=16)
def _only_statuses(where: Filter) -> frozenset[str] | None:
    """The statuses it asks for; None if it asks for anything else."""
    plain = msgspec.structs.replace(where, statuses=()) == Filter(statuses=())
    return frozenset(map(str, where.statuses)) if plain else None


@lru_cache(maxsize=16)
def _condition(where: Filter) -> tuple[str, list[Any]]:
    return listing.filter_sql(where)


def _asked(where: Filter) -> Iterator[tuple[str, list[str]]]:
    """The conditions that a facet stands for, the narrowest in practice first."""
    for tag in where.tags or ():
        yield facets.TAG, [tag]
    for field in reversed(facets.FIELDS):
        asked = getattr(where, _LISTS.get(field, field))
        if asked is not None:
            yield field, [str(word) for word in asked] if field in _LISTS else [asked]
    if where.always_load:
        yield facets.ALWAYS_LOAD, ["1"]
    if where.since or where.until or Status.ACTIVE not in where.statuses:
        yield facets.ANY, [""]  # a time or a status may be narrow as well


def _at_most(db: apsw.Connection, where: Filter, facet: str, values: list[str], most: int) -> list[int] | None:
    """The numbers under a facet, the fresh ones included; None if there are more than `most`."""
    span, spanned = _span(where)
    statuses = [str(status) for status in where.statuses]
    chosen = f"value IN ({_marks(values)}) AND status IN ({_marks(statuses)}){span}"
    under = f"SELECT n FROM memory_facets WHERE facet = ? AND {chosen}"
    bound = (facets.CODES[facet], *values, *statuses, *spanned)
    if db.execute(f"{under} LIMIT 1 OFFSET ?", (*bound, most)).get is not None:
        return None
    rows: list[Any] = db.execute(under, bound).fetchall()
    waiting: list[Any] = db.execute("SELECT n FROM memories WHERE n > ? ORDER BY n", (fresh.upto(db),)).fetchall()
    return [*sorted(row[0] for row in rows), *(row[0] for row in waiting)]


def _span(where: Filter) -> tuple[str, list[int]]:
    parts, values = "", []
    for field, sign in (("since", ">="), ("until", "<")):
        if getattr(where, field) is not None:
            parts += f" AND created_at {sign} ?"
            values.append(to_micros(getattr(where, field)))
    return parts, values


def enlarged(looked_at: int, passed: int, wanted: int) -> int:
    """How many to look at next, if so few of those that were looked at passed the filter: as many as will do, in all
    likelihood, but not too many more."""
    return looked_at * min(max(2, 3 * wanted // (2 * max(passed, 1))), 32)


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
