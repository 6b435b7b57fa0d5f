"""The queue in SQLite: jobs, and the questions a worker asks about events. Who may take what is decided in `ingest.queue`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw
import msgspec

from commonplace.catalog.sqlite.rows import Table, table_of
from commonplace.model.base import to_micros
from commonplace.model.job import Job
from commonplace.model.source import IngestionEvent, Source
from commonplace.model.words import Entity

_JOBS = Table("jobs", Job)
_KEEP = _JOBS.insert.replace("INSERT", "INSERT OR REPLACE", 1)


def keep(db: apsw.Connection, job: Job) -> None:
    db.execute(_KEEP, _JOBS.row(job))


def one(db: apsw.Connection, id: str) -> Job | None:
    row = db.execute(f"SELECT {_JOBS.select} FROM jobs WHERE id = ?", (id,)).fetchone()
    return _JOBS.from_row(row) if row else None


def several(
    db: apsw.Connection, states: Iterable[str], due_by: datetime | None, due_after: datetime | None, limit: int
) -> list[Job]:
    """Jobs in these states, the one that is due longest first."""
    found: list[Job] = []
    for state in states:
        asked: list[Any] = [str(state), _micros(due_by, 1 << 62), _micros(due_after, -(1 << 62)), limit]
        rows = db.execute(
            f"SELECT {_JOBS.select} FROM jobs WHERE state = ? AND due_at <= ? AND due_at > ? ORDER BY due_at, id LIMIT ?",
            asked,
        )
        found += [*_JOBS.readable(rows)]
    return sorted(found, key=lambda job: (job.due_at, job.id))[:limit]


def _micros(moment: datetime | None, otherwise: int) -> int:
    return otherwise if moment is None else to_micros(moment)


def unqueued(db: apsw.Connection, limit: int) -> list[IngestionEvent]:
    """Events that are to be worked and have no job: of another book, or of a version without a queue."""
    table = table_of(Entity.EVENT)
    rows = db.execute(
        f"SELECT {table.select} FROM ingestion_events WHERE state IN ('pending', 'running', 'failed')"
        " AND NOT EXISTS (SELECT 1 FROM jobs WHERE subject = ingestion_events.id) ORDER BY created_at, id LIMIT ?",
        (limit,),
    )
    return [*table.readable(rows)]


def events(db: apsw.Connection, states: Sequence[str], source_ref: str | None, limit: int) -> list[IngestionEvent]:
    """Events in these states (all states if none is named), of one source or of any; the newest first."""
    table = table_of(Entity.EVENT)
    rows = db.execute(
        f"SELECT {table.select} FROM ingestion_events WHERE (?1 = '[]' OR state IN (SELECT value FROM json_each(?1)))"
        " AND (?2 IS NULL OR source_ref = ?2) ORDER BY created_at DESC, id DESC LIMIT ?3",
        (msgspec.json.encode([str(state) for state in states]).decode(), source_ref, limit),
    )
    return [*table.readable(rows)]


def source_like(db: apsw.Connection, fingerprint: str) -> Source | None:
    table = table_of(Entity.SOURCE)
    rows = db.execute(
        f"SELECT {table.select} FROM sources WHERE fingerprint = ? AND body IS NOT NULL ORDER BY id LIMIT 1",
        (fingerprint,),
    )
    return next(iter(table.readable(rows)), None)


def counts(db: apsw.Connection) -> dict[str, int]:
    """How many events there are in which state, as the events themselves say."""
    rows = db.execute("SELECT state, count(*) FROM ingestion_events GROUP BY state")
    return {str(row[0]): int(row[1]) for row in rows}
