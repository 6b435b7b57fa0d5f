"""`Job`: a piece of work that waits for somebody, and who is at it. `WorkReport` and `WorkStatus`: how far it has come."""

from __future__ import annotations

from datetime import datetime

from commonplace.model.base import Noun
from commonplace.model.source import IngestionEvent, JobState

EXTRACT = "extract"
"""The kind of job that turns an ingestion event into candidates. Other kinds come round again and again."""
WAITING = (JobState.PENDING, JobState.FAILED)


class Job(Noun, frozen=True, kw_only=True):
    """One piece of work. It is known from the event it is about, so losing it loses nothing."""

    id: str
    kind: str
    subject: str | None = None
    state: JobState = JobState.PENDING
    attempts: int = 0
    due_at: datetime
    lease_owner: str | None = None
    lease_until: datetime | None = None
    error: str | None = None
    created_at: datetime


class WorkReport(Noun, frozen=True, kw_only=True):
    """What one walk through the queue did."""

    done: int = 0
    failed: int = 0
    """To be tried again."""
    dead: int = 0
    """Given up; `retry` begins anew."""
    waiting: int = 0
    """Still to be done, now or later, also by others."""
    made: int = 0
    """New candidates in the inbox."""
    reinforced: int = 0
    """Said again what the book knows already."""
    echoed: int = 0
    """Only repeated what had been handed out: a use, not evidence."""
    dropped: int = 0
    """Proposals that could not show where they stand, or held what may not come in."""
    ran: tuple[str, ...] = ()
    """What came round and was done."""


class WorkStatus(Noun, frozen=True, kw_only=True):
    """What waits, who is at it, what was given up."""

    pending: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    dead: int = 0
    oldest_waiting: datetime | None = None
    next_due_at: datetime | None = None
    """When the next thing is to be done, whatever it is."""
    upkeep: dict[str, datetime] = {}
    """What comes round, and when it is due."""
    troubled: tuple[IngestionEvent, ...] = ()
    """The newest that failed or were given up, with their errors."""
