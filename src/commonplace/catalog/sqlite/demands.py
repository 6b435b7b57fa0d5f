"""What a filter asks for, as places in the facets: whoever passes lies in one branch of each demand.

`narrow.py` reads off who may pass; `listing.py` walks along one demand and looks each memory up in the others. An entry of a
facet tells its memory's status and time, and with those it is found under any other value at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from commonplace.catalog.sqlite import facets
from commonplace.model.base import to_micros
from commonplace.model.filter import Circle, Filter
from commonplace.model.words import Scope, Status

# So many are sooner looked at one by one than found among all.
FEW = 1_000
ASKED = {facets.TAG: "tags", "kind": "kinds", "type": "types", "scope": "scopes", "trust": "trusts"}
"""How a filter names what several values may be asked of."""
# From the narrowest to the widest in practice.
_NARROW = ("source_ref", "agent_id", "repo_id", "project_id")
_WIDE = ("kind", "type", "tenant", "scope", "trust")


class Branch(NamedTuple):
    """A part of a facet: the values to look under."""

    facet: str
    compared: str
    values: tuple[str, ...]

    @property
    def bound(self) -> tuple[object, ...]:
        return (facets.CODES[self.facet], *self.values)


Demand = list[Branch]


def under(facet: str, *values: object) -> Branch:
    return Branch(facet, f"IN ({marks(values)})", tuple(map(str, values)))


EVERYBODY: Demand = [Branch(facets.ANY, "IN (?)", ("",))]


def of(where: Filter) -> Iterator[Demand]:
    """What the filter asks for that facets can tell, the narrowest in practice first."""
    for tag in where.tags or ():
        yield [under(facets.TAG, tag)]
    yield from _fields(where, _NARROW)
    if where.always_load:
        yield [under(facets.ALWAYS_LOAD, "1")]
    for branches in (_near(where.within), _beyond(where.beyond)):
        if branches:
            yield branches
    yield from _fields(where, _WIDE)
    if where.since or where.until or Status.ACTIVE not in where.statuses:
        yield EVERYBODY  # a time or a status may be narrow as well


def _fields(where: Filter, fields: Sequence[str]) -> Iterator[Demand]:
    for field in fields:
        asked = getattr(where, ASKED.get(field, field))
        if asked is not None:
            yield [under(field, *(dict.fromkeys(asked) if field in ASKED else (asked,)))]


def _near(circle: Circle | None) -> Demand:
    """Where all lie that a circle holds, and not many others; nothing if that is nearly the whole book."""
    if circle is None or (circle.project_id is None and circle.repo_id is None):
        return []
    found = [under("scope", Scope.GLOBAL)]
    if circle.project_id is not None:
        found.append(under("project_id", circle.project_id))
    # Of a repository of no project: this one's, if it is named.
    found.append(under(facets.STRAY, "1") if circle.repo_id is None else under("repo_id", circle.repo_id))
    return [*found, under("agent_id", circle.agent_id)] if circle.agent_id is not None else found


def _beyond(circle: Circle | None) -> Demand:
    """Where all lie that may cross over: those of other projects and repositories."""
    if circle is None:
        return []
    found = [] if circle.project_id is None else _but("project_id", circle.project_id)
    if circle.repo_id is not None:
        found += _but("repo_id", circle.repo_id)
        found += [under("scope", Scope.PROJECT)] if circle.project_id is None else []
    return found


def _but(facet: str, value: str) -> Demand:
    """Every other value."""
    return [Branch(facet, "< ?", (value,)), Branch(facet, "> ?", (value,))]


def can_be_looked_up(demand: Demand) -> bool:
    """Can one memory be looked for in it, or must it be gone through?"""
    return all(branch.compared.startswith("IN") for branch in demand)


def are_few(db: apsw.Connection, where: Filter, demand: Demand, few: int) -> bool:
    """Does it let no more than so many through?"""
    sql, bound = entries(where, demand)
    return db.execute(f"{sql} LIMIT 1 OFFSET ?", (*bound, few)).get is None


def entries(where: Filter, lead: Demand, others: Sequence[Demand] = ()) -> tuple[str, tuple[Any, ...]]:
    """The numbers of all in the leading branches that have the status and the time asked for, and are in the others too."""
    (looked, looked_for), (span, spanned) = also(others), times(where, "f.")
    statuses = [str(status) for status in where.statuses]
    chosen = " AND ".join((f"f.status IN ({marks(statuses)})", *span, *looked))
    each = [
        f"SELECT f.n FROM memory_facets AS f WHERE f.facet = ? AND f.value {branch.compared} AND {chosen}"
        for branch in lead
    ]
    bound = (*statuses, *spanned, *looked_for)
    return " UNION ALL ".join(each), tuple(value for branch in lead for value in (*branch.bound, *bound))


def also(others: Sequence[Demand]) -> tuple[list[str], list[Any]]:
    """Is the memory of the entry `f` in a branch of each of these? What must be gone through is not asked."""
    asked = [demand for demand in others if can_be_looked_up(demand)]
    parts = ["(" + " OR ".join(_IS_UNDER.format(branch.compared) for branch in demand) + ")" for demand in asked]
    return parts, [value for demand in asked for branch in demand for value in branch.bound]


_IS_UNDER = (
    "EXISTS (SELECT 1 FROM memory_facets AS o WHERE o.facet = ? AND o.value {} AND o.status = f.status"
    " AND o.created_at = f.created_at AND o.n = f.n)"
)


def times(where: Filter, table: str) -> tuple[list[str], list[Any]]:
    """From when to when."""
    parts: list[str] = []
    values: list[Any] = []
    for field, sign in (("since", ">="), ("until", "<")):
        if getattr(where, field) is not None:
            parts.append(f"{table}created_at {sign} ?")
            values.append(to_micros(getattr(where, field)))
    return parts, values


def marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
