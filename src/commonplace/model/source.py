"""`Source`: raw material that somebody captured on purpose. `IngestionEvent`: one time it was taken in."""

from __future__ import annotations

from datetime import datetime

from commonplace.model.base import Closed, Noun
from commonplace.model.words import Scope, SourceKind


class Trigger(Closed):
    """The only four ways in (rfc 8)."""

    MANUAL_WRITE = "manual_write"
    SESSION_CLOSE = "session_close"
    CONVERSATION_CAPTURE = "conversation_capture"
    SCHEDULED_MAINTENANCE = "scheduled_maintenance"


class JobState(Closed):
    """How far a queued piece of work has come (R-i)."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DEAD = "dead"


class CaptureMode(Closed):
    """In what form a conversation was captured (R-i)."""

    TRANSCRIPT = "transcript"
    NOTES = "notes"
    SUMMARY = "summary"


class Source(Noun, frozen=True, kw_only=True):
    """Where a memory comes from. A manual write has a source without a body: it says who wrote through which surface."""

    id: str
    kind: SourceKind
    title: str | None = None
    uri: str | None = None
    body: str | None = None
    fingerprint: str | None = None
    captured_at: datetime
    observed_at: datetime | None = None
    actor: str | None = None
    format: str | None = None
    """Which reader understood it; `text` when none did."""
    outline: str | None = None
    """Who speaks where in the body, as `ingest.outline` writes it: kept apart, so that no text can pretend to be a speaker."""


class IngestionEvent(Noun, frozen=True, kw_only=True):
    """One capture and how far its work has come; a failed one stays retryable (rfc 24, 33)."""

    id: str
    trigger: Trigger
    source_ref: str
    requested_scope: Scope
    state: JobState = JobState.PENDING
    created_at: datetime
    updated_at: datetime
    outcome: str | None = None
    retry_count: int = 0
    error: str | None = None
    project_id: str | None = None
    repo_id: str | None = None
    agent_id: str | None = None
    """Whose it is: what comes of it belongs to the same."""
    mode: CaptureMode | None = None


class Project(Noun, frozen=True, kw_only=True):
    """Something memories can belong to; known as soon as one does."""

    id: str
    name: str | None = None
    created_at: datetime


class Repo(Noun, frozen=True, kw_only=True):
    """A repository memories can belong to."""

    id: str
    project_id: str | None = None
    name: str | None = None
    created_at: datetime
