"""A `Filter` becomes ordered walks along indexes, merged: a page costs what it holds, not what the book holds.

One field leads: its index gives the rows already in order, for one value and one status at a time. The other fields are
checked row by row; a unary plus keeps SQLite from preferring an index that would need a sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Any

import apsw

from commonplace.catalog.sqlite.rows import MEMORIES
from commonplace.errors import NotFoundError
from commonplace.model.base import to_micros
from commonplace.model.filter import Filter
from commonplace.model.record import MemoryRecord
from commonplace.seam.catalog import Order, Page

# From the narrowest to the widest in practice: the first that is asked for leads.
_LEADS = ("repo_id", "project_id", "agent_id", "source_ref", "tenant", "kind", "type", "scope", "trust")
_COLUMNS = f"{MEMORIES.select}, memories.created_at, memories.n"
_HAS_TAG = "EXISTS (SELECT 1 FROM memory_tags AS o WHERE o.tag = ? AND o.created_at = memories.created_at AND o.n = memories.n)"
_MANY = {"kind": "kinds", "type": "types", "scope": "scopes", "trust": "trusts"}


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
    conditions, values = _checks(where)
    if below:
        conditions.append("(created_at, n) < (?, ?)")
        values += below
    walks = [
        (
            row
            for row in connection.execute(sql, (*leading, *values, -1 if limit is None else limit))
            if isinstance(row[-2], int)
        )
        for sql, leading in _walks(where, _lead(where), columns, conditions)
    ]
    return walks[0] if len(walks) == 1 else merge(*walks, key=lambda row: (-row[-2], -row[-1]))


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
    where: Filter, lead: str | None, columns: str, conditions: list[str]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """One statement per status and per value of the leading field, each in order."""
    checks = "".join(f" AND {condition}" for condition in conditions)
    source, led, order = _source(lead)
    sql = f"SELECT {columns} FROM {source} WHERE {led}{checks} ORDER BY {order} LIMIT ?"
    if lead == "tag":
        sql = sql.replace("(created_at, n)", "(t.created_at, t.n)")
    for status in dict.fromkeys(where.statuses):
        for value in _values(where, lead):
            yield sql, ((value, str(status)) if lead else (str(status),))


def _source(lead: str | None) -> tuple[str, str, str]:
    """Where a walk begins: the table, the leading condition, and the order that its index gives for nothing."""
    if lead == "tag":
        return (
            "memory_tags AS t CROSS JOIN memories USING (n)",
            "t.tag = ? AND +status = ?",
            "t.created_at DESC, t.n DESC",
        )
    led = f"{lead} = ? AND status = ?" if lead else "status = ?"
    if lead == "source_ref":
        led += " AND substr(source_ref, 1, 7) <> 'manual-'"  # what the index covers
    return "memories", led, "created_at DESC, n DESC"


def _lead(where: Filter) -> str | None:
    if where.tags:
        return "tag"
    for field in _LEADS:
        if field == "source_ref" and (where.source_ref or "manual-").startswith("manual-"):
            continue  # hand-written memories share a source per writer: too wide to be worth an index
        if getattr(where, _MANY.get(field, field)) is not None:
            return field
    return "always_load" if where.always_load else None


def _values(where: Filter, lead: str | None) -> tuple[Any, ...]:
    if lead is None:
        return (None,)
    if lead == "tag":
        assert where.tags
        return where.tags[:1]
    asked = getattr(where, _MANY.get(lead, lead))
    return tuple(str(word) for word in dict.fromkeys(asked)) if lead in _MANY else (asked,)


def _checks(where: Filter) -> tuple[list[str], list[Any]]:
    """Every condition but the leading one, as SQL; the leading one may stand here twice without harm."""
    conditions: list[str] = []
    values: list[Any] = []
    lead = _lead(where)
    for field in (*_LEADS, "always_load"):
        asked = getattr(where, _MANY.get(field, field))
        if asked is None or field == lead:
            continue
        several = [str(word) for word in asked] if field in _MANY else [asked]
        conditions.append(f"+memories.{field} IN ({', '.join('?' * len(several))})")
        values += several
    for tag in (where.tags or ())[1:]:
        conditions.append(_HAS_TAG)
        values.append(tag)
    for field, sign in (("since", ">="), ("until", "<")):
        if getattr(where, field) is not None:
            conditions.append(f"memories.created_at {sign} ?")
            values.append(to_micros(getattr(where, field)))
    return conditions, values


def order_of(connection: apsw.Connection, id: str) -> Order:
    """A memory's place in every listing: newer is greater."""
    found = connection.execute("SELECT created_at, n FROM memories WHERE id = ?", (id,)).get
    if found is None:
        raise NotFoundError("there is no such memory to go on from", where=id)
    return (found[0], found[1])


def filter_sql(where: Filter) -> tuple[str, list[Any]]:
    """The whole filter as one condition on `memories`, for a search that brings its own order."""
    conditions, values = _checks(where)
    lead = _lead(where)
    marks = ", ".join("?" * len(where.statuses))
    conditions.append(f"+memories.status IN ({marks})")
    values += [str(status) for status in where.statuses]
    if lead == "tag":
        assert where.tags
        conditions.append(_HAS_TAG)
        values.append(where.tags[0])
    elif lead:
        several = _values(where, lead)
        conditions.append(f"+memories.{lead} IN ({', '.join('?' * len(several))})")
        values += several
    return " AND ".join(conditions), values
