"""A `Filter` becomes ordered walks along the facets, merged: a page costs what it holds, not what the book holds.

One demand leads: its facets give the rows already in order, for one value and one status at a time. Who is there is looked up
under the others, and what comes through is checked row by row. The fresh memories, which the facets do not know
yet, are one more walk.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Any

import apsw

from commonplace.catalog.sqlite import demands, facets, fresh
from commonplace.catalog.sqlite.rows import MEMORIES
from commonplace.errors import NotFoundError
from commonplace.model.filter import Circle, Filter
from commonplace.model.record import MemoryRecord
from commonplace.seam.terms import Order, Page

if TYPE_CHECKING:
    from commonplace.catalog.sqlite.demands import Demand

_COLUMNS = f"{MEMORIES.select}, memories.created_at, memories.n"


def walk(connection: apsw.Connection, where: Filter, page: Page | None) -> Iterator[tuple[Order, MemoryRecord]]:
    """The matching memories, newest first, each with its place in the order."""
    below = order_of(connection, page.after) if page and page.after else None
    limit = page.limit if page else None
    place = below
    try:
        for row in islice(_rows(connection, where, _COLUMNS, below, limit), limit):
            place = (row[-2], row[-1])
            for record in MEMORIES.readable((row,)):
                yield place, record
    except UnicodeDecodeError:
        yield from _one_by_one(connection, where, place)


def _rows(
    connection: apsw.Connection, where: Filter, columns: str, below: Order | None, limit: int | None
) -> Iterator[tuple[Any, ...]]:
    """Rows that end with their place; one without a place is damaged, and `doctor` names it."""
    most = -1 if limit is None else limit
    walks = [
        (row for row in connection.execute(sql, (*values, most)) if isinstance(row[-2], int))
        for sql, values in (*_walks(connection, where, columns, below), _fresh_walk(connection, where, columns, below))
    ]
    return _once(merge(*walks, key=lambda row: (-row[-2], -row[-1])))


def _once(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Two walks may come by the same memory: of the project, and of the agent."""
    last = None
    for row in rows:
        if row[-1] != last:
            last = row[-1]
            yield row


def _one_by_one(
    connection: apsw.Connection, where: Filter, below: Order | None
) -> Iterator[tuple[Order, MemoryRecord]]:
    """A row held bytes that are no text, and the driver gave up on all that follow: take them singly, without that one."""
    for created_at, n in [*_rows(connection, where, "memories.created_at, memories.n", below, None)]:
        try:
            row = connection.execute(f"SELECT {MEMORIES.select} FROM memories WHERE n = ?", (n,)).fetchone()
        except UnicodeDecodeError:
            continue
        for record in MEMORIES.readable((row,) if row else ()):
            yield (created_at, n), record


def _walks(
    connection: apsw.Connection, where: Filter, columns: str, below: Order | None
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """One statement per status and per value of the leading demand, each in order."""
    lead, others = _lead(connection, where)
    (looked, looked_for), (checks, checked) = demands.also(others), _conditions(where)
    span, spanned = _span(where, below, "f.")
    sql = (
        f"SELECT {columns} FROM memory_facets AS f CROSS JOIN memories USING (n)"
        f" WHERE f.facet = ? AND f.value = ? AND f.status = ?{''.join(f' AND {part}' for part in (*span, *looked, *checks))}"
        " ORDER BY f.created_at DESC, f.n DESC LIMIT ?"
    )
    for status in dict.fromkeys(where.statuses):
        for branch in lead:
            for value in branch.values:
                yield sql, (facets.CODES[branch.facet], value, str(status), *spanned, *looked_for, *checked)


def _lead(connection: apsw.Connection, where: Filter) -> tuple[Demand, list[Demand]]:
    """The demand to walk along, and the others: of several, one that lets only few through, if there is one."""
    asked = [each for each in demands.of(where) if demands.can_be_looked_up(each)]
    asked = [each for each in asked if each is not demands.EVERYBODY] or [demands.EVERYBODY]
    several = asked if len(asked) > 1 else ()
    narrow = (each for each in several if demands.are_few(connection, where, each, demands.FEW))
    lead = next(narrow, asked[0])
    return lead, [each for each in asked if not {*lead} <= {*each}]


def _fresh_walk(
    connection: apsw.Connection, where: Filter, columns: str, below: Order | None
) -> tuple[str, tuple[Any, ...]]:
    checks, checked = _conditions(where)
    span, spanned = _span(where, below, "memories.")
    conditions = "".join(f" AND {part}" for part in (*span, *checks))
    return (
        f"SELECT {columns} FROM memories WHERE n > ?{conditions} ORDER BY memories.created_at DESC, n DESC LIMIT ?",
        (fresh.upto(connection), *spanned, *checked),
    )


def _span(where: Filter, below: Order | None, table: str) -> tuple[list[str], list[Any]]:
    """From when to when, and where the page before ended."""
    parts, values = demands.times(where, table)
    if below:
        parts.append(f"({table}created_at, {table}n) < (?, ?)")
        values += below
    return parts, values


def _conditions(where: Filter) -> tuple[list[str], list[Any]]:
    """The filter's conditions on a row, but for its times."""
    parts = [f"memories.status IN ({demands.marks(where.statuses)})"]
    values: list[Any] = [str(status) for status in where.statuses]
    for field in facets.FIELDS:
        asked = getattr(where, demands.ASKED.get(field, field))
        if asked is not None:
            several = [str(word) for word in asked] if field in demands.ASKED else [asked]
            parts.append(f"memories.{field} IN ({demands.marks(several)})")
            values += several
    if where.always_load is not None:
        parts.append("memories.always_load = ?")
        values.append(int(where.always_load))
    for circle, wanted in ((where.within, True), (where.beyond, False)):
        if circle is not None and not (circle.is_everything and wanted):
            condition, owners = _near(circle)
            parts.append(condition if wanted else f"memories.scope NOT IN ('agent', 'session') AND NOT ({condition})")
            values += owners
    for tag in where.tags or ():
        parts.append("EXISTS (SELECT 1 FROM json_each(memories.tags) AS t WHERE t.value = ?)")
        values.append(tag)
    return parts, values


def _near(circle: Circle) -> tuple[str, list[Any]]:
    """`Circle.holds` as a condition on a row. It is never null, so that its opposite is its opposite."""
    project, repo, agent = circle.project_id, circle.repo_id, circle.agent_id
    if circle.is_everything:
        return "1", []
    same_project = "coalesce(memories.project_id, ?) = ?" if project is not None else "1"
    projects = [project, project] if project is not None else []
    same_repo = (
        f"coalesce(memories.repo_id, {'?' if project is not None else 'NULL'}, '') = ?" if repo is not None else "1"
    )
    repos = ([repo, repo] if project is not None else [repo]) if repo is not None else []
    own = "coalesce(memories.agent_id, '') = ?" if agent is not None else "0"
    agents = [agent] if agent is not None else []
    near = (
        "(memories.scope = 'global' OR (CASE WHEN memories.scope IN ('agent', 'session')"
        f" THEN {own} AND {same_project} ELSE {same_project} AND {same_repo} END))"
    )
    return near, [*agents, *projects, *projects, *repos]


def order_of(connection: apsw.Connection, id: str) -> Order:
    """A memory's place in every listing: newer is greater."""
    found = connection.execute("SELECT created_at, n FROM memories WHERE id = ?", (id,)).get
    if found is None:
        raise NotFoundError("there is no such memory to go on from", where="after")
    return (found[0], found[1])


def filter_sql(where: Filter) -> tuple[str, list[Any]]:
    """The whole filter as one condition on `memories`, for a search that brings its own order."""
    parts, values = _conditions(where)
    span, spanned = _span(where, None, "memories.")
    return " AND ".join((*parts, *span)), [*values, *spanned]
