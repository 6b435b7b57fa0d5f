"""How narrow is a filter? If few memories pass it, a search looks at those alone; if many do, it looks first and checks after."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import msgspec

from commonplace.catalog.sqlite import at_hand, facets, fresh, listing
from commonplace.catalog.sqlite.at_hand import AtHand
from commonplace.model.base import to_micros
from commonplace.model.filter import EVERY_STATUS, Circle, Filter
from commonplace.model.words import Scope, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# So many are sooner looked at one by one than found among all.
FEW = 1_000
# And this share of the book can be named: those are found sooner among themselves than among all.
_SHARE = 16
_PASSES, _FAILS = 1, 2
_LISTS = {"kind": "kinds", "type": "types", "scope": "scopes", "trust": "trusts"}


class Named:
    """Who may pass a filter. Nobody else does; and of a few, which are kept one by one and in order, everybody does."""

    def __init__(self, numbers: list[int], *, few: bool) -> None:
        self.few, self.count = (numbers if few else None), len(numbers)
        self._mask = None if few else _mask_of(numbers)

    def holds(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of each of these: is it among them?"""
        if self._mask is None:
            self._mask = _mask_of(self.few or [])
        return self._mask.take(numbers, mode="clip")


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
        most = max(FEW, hand.upto // _SHARE) if "numpy" in sys.modules else FEW
        hand.keep_named(where, _read_off(db, where, most))
    return hand.named[where]


def everybody(db: apsw.Connection, hand: AtHand, where: Filter) -> Named:
    """As `named`, however many they are: for whoever has looked at a good part of the book, and found too few."""
    found = hand.named.get(where)
    if found is None:
        first, *others = [*_conditions(where)] or [[_of(facets.ANY, "")]]
        found = _who(db, where, _under(db, where, first, others))
        hand.keep_named(where, found)
    return found


def _read_off(db: apsw.Connection, where: Filter, most: int) -> Named | None:
    """The condition that lets few through leads; or the first that lets no more than `most` through. Those of them who meet
    the others are named."""
    conditions = [*_conditions(where)]
    for enough in dict.fromkeys((FEW, most)):
        for lead in conditions:
            if not _are_more(db, where, lead, enough):
                return _who(db, where, _under(db, where, lead, [each for each in conditions if each is not lead]))
    return None


def _who(db: apsw.Connection, where: Filter, numbers: list[int]) -> Named:
    """A few are asked; of many it is enough to know that nobody else passes."""
    few = len(numbers) <= FEW
    return Named(passing(db, where, numbers) if few else numbers, few=few)


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


def possible(hand: AtHand, where: Filter, those: Named | None, numbers: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Of each of these: may it pass, for all that is known? None if nothing is known of this filter."""
    if those is not None:
        return those.holds(numbers)
    verdicts = hand.verdicts.get(where)
    if verdicts is None:
        return None
    import numpy as np

    found: NDArray[np.bool_] = np.frombuffer(verdicts, dtype=np.uint8)[numbers] != _FAILS
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


class _Branch(NamedTuple):
    """A part of a facet: the values to look under."""

    facet: str
    compared: str
    values: tuple[str, ...]

    @property
    def bound(self) -> tuple[object, ...]:
        return (facets.CODES[self.facet], *self.values)

    @property
    def is_looked_up(self) -> bool:
        """Can one memory be looked for in it, or must it be gone through?"""
        return self.compared.startswith("IN")


def _of(facet: str, *values: object) -> _Branch:
    return _Branch(facet, f"IN ({_marks(values)})", tuple(map(str, values)))


def _but(facet: str, value: str) -> list[_Branch]:
    """Every other value."""
    return [_Branch(facet, "< ?", (value,)), _Branch(facet, "> ?", (value,))]


def _conditions(where: Filter) -> Iterator[list[_Branch]]:
    """What the filter asks for that facets can tell, the narrowest in practice first. Whoever passes is in a branch of each."""
    for tag in where.tags or ():
        yield [_of(facets.TAG, tag)]
    for field in reversed(facets.FIELDS):
        asked = getattr(where, _LISTS.get(field, field))
        if asked is not None:
            yield [_of(field, *(asked if field in _LISTS else (asked,)))]
    if where.always_load:
        yield [_of(facets.ALWAYS_LOAD, "1")]
    for branches in (_near(where.within), _beyond(where.beyond)):
        if branches:
            yield branches
    if where.since or where.until or Status.ACTIVE not in where.statuses:
        yield [_of(facets.ANY, "")]  # a time or a status may be narrow as well


def _near(circle: Circle | None) -> list[_Branch]:
    """Where all lie that a circle holds, and not many others; nothing if that is nearly the whole book."""
    if circle is None or (circle.project_id is None and circle.repo_id is None):
        return []
    found = [_of("scope", Scope.GLOBAL)]
    if circle.project_id is not None:
        found.append(_of("project_id", circle.project_id))
        found.append(_of(facets.STRAY, "1") if circle.repo_id is None else _of("repo_id", circle.repo_id))
    elif circle.repo_id is not None:
        found.append(_of("repo_id", circle.repo_id))
    return [*found, _of("agent_id", circle.agent_id)] if circle.agent_id is not None else found


def _beyond(circle: Circle | None) -> list[_Branch]:
    """Where all lie that may cross over: those of other projects and repositories."""
    if circle is None:
        return []
    found = [] if circle.project_id is None else _but("project_id", circle.project_id)
    if circle.repo_id is not None:
        found += _but("repo_id", circle.repo_id)
        found += [_of("scope", Scope.PROJECT)] if circle.project_id is None else []
    return found


def _are_more(db: apsw.Connection, where: Filter, lead: list[_Branch], most: int) -> bool:
    sql, bound = _sql(where, lead, [])
    return db.execute(f"{sql} LIMIT 1 OFFSET ?", (*bound, most)).get is not None


def _under(db: apsw.Connection, where: Filter, lead: list[_Branch], others: list[list[_Branch]]) -> list[int]:
    """The numbers in these branches, in order, the fresh ones included."""
    rows: list[Any] = db.execute(*_sql(where, lead, others)).fetchall()
    waiting: list[Any] = db.execute("SELECT n FROM memories WHERE n > ?", (fresh.upto(db),)).fetchall()
    return sorted({n for (n,) in (*rows, *waiting)})


def _sql(where: Filter, lead: list[_Branch], others: list[list[_Branch]]) -> tuple[str, tuple[object, ...]]:
    """Everybody in the leading branches who is also in one of each of the others. An entry tells its memory's status and time,
    and with those it is found under any other value at once."""
    span, spanned = _span(where)
    statuses = [str(status) for status in where.statuses]
    chosen, bound = f"f.status IN ({_marks(statuses)}){span}", [*statuses, *spanned]
    for branches in others:
        if all(branch.is_looked_up for branch in branches):
            chosen += " AND (" + " OR ".join(_IS_UNDER.format(branch.compared) for branch in branches) + ")"
            bound += [value for branch in branches for value in branch.bound]
    each = [
        f"SELECT f.n FROM memory_facets AS f WHERE f.facet = ? AND f.value {branch.compared} AND {chosen}"
        for branch in lead
    ]
    return " UNION ALL ".join(each), tuple(value for branch in lead for value in (*branch.bound, *bound))


_IS_UNDER = (
    "EXISTS (SELECT 1 FROM memory_facets AS o WHERE o.facet = ? AND o.value {} AND o.status = f.status"
    " AND o.created_at = f.created_at AND o.n = f.n)"
)


def _span(where: Filter) -> tuple[str, list[int]]:
    parts, values = "", []
    for field, sign in (("since", ">="), ("until", "<")):
        if getattr(where, field) is not None:
            parts += f" AND f.created_at {sign} ?"
            values.append(to_micros(getattr(where, field)))
    return parts, values


def enlarged(looked_at: int, passed: int, wanted: int) -> int:
    """How many to look at next, if so few of those that were looked at passed the filter: as many as will do, in all
    likelihood, but not too many more."""
    return looked_at * min(max(2, 3 * wanted // (2 * max(passed, 1))), 32)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
