"""Facets: the index behind every filter. One tree holds, for each thing one can ask for, the memories in order.

A facet is a field that can be filtered by (or nothing, for a list without a filter). An entry is (facet, value, status,
created_at, n): so the newest of any value and status are read off in order, whatever the size of the book.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw

from commonplace.model.base import to_micros
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope

ANY = "any"
TAG = "tag"
ALWAYS_LOAD = "always_load"
STRAY = "stray"
"""Of a repository that belongs to no project: near to every project (`Circle`), and under no project's value."""
FIELDS = ("type", "scope", "kind", "trust", "project_id", "repo_id", "agent_id", "source_ref", "tenant")
# Stored in every entry: a number is never given another meaning.
CODES = {name: code for code, name in enumerate((ANY, *FIELDS, ALWAYS_LOAD, TAG, STRAY))}

_ENTRY = "status, created_at, n FROM memories WHERE n > ?"
_TAKE_IN = (
    f"INSERT INTO memory_facets SELECT {CODES[ANY]}, '', {_ENTRY}",
    *(
        f"INSERT INTO memory_facets SELECT {CODES[field]}, {field}, {_ENTRY} AND {field} IS NOT NULL"
        for field in FIELDS
    ),
    f"INSERT INTO memory_facets SELECT {CODES[ALWAYS_LOAD]}, '1', {_ENTRY} AND always_load",
    f"INSERT INTO memory_facets SELECT {CODES[STRAY]}, '1', {_ENTRY} AND scope = 'repo' AND project_id IS NULL",
    (
        f"INSERT OR IGNORE INTO memory_facets SELECT {CODES[TAG]}, t.value, status, created_at, n"
        " FROM memories, json_each(memories.tags) AS t WHERE n > ?"
    ),
)
_INSERT = "INSERT OR IGNORE INTO memory_facets VALUES (?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM memory_facets WHERE facet = ? AND value = ? AND status = ? AND created_at = ? AND n = ?"


def take_in(db: apsw.Connection, upto: int) -> None:
    """All memories behind `upto`, facet by facet: sorted as they will lie."""
    for statement in _TAKE_IN:
        db.execute(statement, (upto,))


def changed(db: apsw.Connection, n: int, before: MemoryRecord, after: MemoryRecord | None) -> None:
    """Memory `n` became another, or with `after` None is gone."""
    old = set(_entries(n, before))
    new = set(_entries(n, after)) if after else set()
    db.executemany(_DELETE, old - new)
    db.executemany(_INSERT, new - old)


def _entries(n: int, record: MemoryRecord) -> Iterator[tuple[Any, ...]]:
    place = (str(record.status), to_micros(record.created_at), n)
    yield (CODES[ANY], "", *place)
    for field in FIELDS:
        value = getattr(record, field)
        if value is not None:
            yield (CODES[field], str(value), *place)
    if record.always_load:
        yield (CODES[ALWAYS_LOAD], "1", *place)
    if record.scope is Scope.REPO and record.project_id is None:
        yield (CODES[STRAY], "1", *place)
    for tag in record.tags:
        yield (CODES[TAG], tag, *place)


def rebuild(db: apsw.Connection) -> None:
    db.execute("DELETE FROM memory_facets")
    take_in(db, 0)


def is_sound(db: apsw.Connection, upto: int) -> bool:
    """Does every memory up to there stand where its fields say, and nothing else?"""
    known = db.execute("SELECT count(*) FROM memory_facets WHERE facet = ?", (CODES[ANY],)).get
    memories = db.execute("SELECT count(*) FROM memories WHERE n <= ?", (upto,)).get
    strays = db.execute(
        "SELECT EXISTS (SELECT 1 FROM memory_facets AS f LEFT JOIN memories AS m USING (n)"
        " WHERE m.n IS NULL OR f.status <> m.status OR f.created_at <> m.created_at)"
    ).get
    return known == memories and not strays


def tally(db: apsw.Connection, facet: str, column: str, upto: int) -> dict[str, int]:
    """How many memories there are of each value (or, for `status`, of each status), the fresh ones included."""
    counted = "status" if column == "status" else "value"
    # Grouped as the entries lie: any other order would sort them all, in memory.
    grouped = f"SELECT {counted}, count(*) FROM memory_facets WHERE facet = ? GROUP BY value, status"
    rows = [
        *db.execute(grouped, (CODES[facet],)),
        *db.execute(f"SELECT {column}, count(*) FROM memories WHERE n > ? GROUP BY 1", (upto,)),
    ]
    found: dict[str, int] = {}
    for value, number in rows:
        found[str(value)] = found.get(str(value), 0) + int(number)
    return dict(sorted(found.items()))
