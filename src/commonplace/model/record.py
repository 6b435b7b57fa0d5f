"""`MemoryRecord`: one self-contained statement, where it came from, whose it is, what became of it."""

from __future__ import annotations

from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

import msgspec

from commonplace.errors import InvalidError
from commonplace.model.base import Noun, set_once, utc
from commonplace.model.words import Scope, SourceKind, Status, Tier, Trust, Type


class MemoryRecord(Noun, frozen=True, kw_only=True):
    """One memory. Made once, never changed in place: a change makes a new record and one operation in the journal.

    The first nineteen fields are the RFC's (rfc 29); all keys are always present in JSON, null where unknown (R-d).
    """

    id: str
    type: Type
    scope: Scope
    status: Status
    content: str
    project_id: str | None = None
    repo_id: str | None = None
    agent_id: str | None = None
    source_kind: SourceKind = SourceKind.MANUAL
    title: str | None = None
    summary: str | None = None
    confidence: float | None = None
    freshness: float | None = None
    created_at: datetime
    updated_at: datetime
    observed_at: datetime | None = None
    source_ref: str | None = None
    evidence_ref: str | None = None

    kind: str
    """Open, kebab-case; routes storage and recall budgets (A9)."""
    tags: tuple[str, ...] = ()
    slug: str = ""
    aliases: tuple[str, ...] = ()
    """Other names it answers to: `m-4`, a vault path."""
    always_load: bool = False
    supersedes: str | None = None
    superseded_by: str | None = None
    tier: Tier = Tier.T3
    trust: Trust = Trust.AGENT
    fingerprint: str
    occurrences: int = 1
    anchors: tuple[str, ...] = ()
    """What it is true of: `file:src/app.py@sha256:…`, `commit:…`."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    deleted_at: datetime | None = None
    tenant: str | None = None
    scope_word: str | None = None
    """The surface's own word for the scope, kept verbatim (X-11)."""
    rationale: str | None = None
    """Why it was decided or believed; a decision needs one to become active (rfc 21)."""
    status_reason: str | None = None
    """Why it has the status it has: why it waits in the inbox, why it was superseded or archived."""

    def __post_init__(self) -> None:
        # What comes from a file or a row has the right classes already; one look at all of them is enough to see it.
        if tuple(map(type, _closed_of(self))) != _CLOSED_CLASSES:
            for field, words in _CLOSED:
                set_once(self, field, words.of(getattr(self, field), field))
        if any(moment is not None and getattr(moment, "tzinfo", None) is not UTC for moment in _times_of(self)):
            for field in _TIMES:
                if getattr(self, field) is not None:
                    set_once(self, field, utc(getattr(self, field), field))
        if tuple(map(type, _lists_of(self))) != _LIST_CLASSES:
            for field in _LISTS:
                set_once(self, field, tuple(getattr(self, field)))
        self._check()

    def _check(self) -> None:
        if not (self.id and self.content and self.kind):
            raise InvalidError("id, content and kind must not be empty", where="content" if self.id else "id")
        if not 0 < self.occurrences < 2**53:
            raise InvalidError("occurrences: must be at least 1", where="occurrences")
        if self.confidence is not None and not 0.0 <= self.confidence <= 1.0:
            raise InvalidError("confidence: must be between 0 and 1", where="confidence")
        owner = _OWNERS.get(self.scope)
        if owner and not getattr(self, owner):
            raise InvalidError(
                f"scope {self.scope} needs {owner}", hint=f"Give {owner}, or another scope.", where=owner
            )
        if self.valid_from and self.valid_to and self.valid_to < self.valid_from:
            raise InvalidError("valid_to: lies before valid_from", where="valid_to")

    def with_(self, **changes: Any) -> MemoryRecord:
        """This record with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def is_live(self, now: datetime) -> bool:
        """Does it still stand: believed or waiting, and not past its time?"""
        return self.status in LIVE and (self.valid_to is None or self.valid_to > now)


# Who must be named for a scope to make sense (R-d). A session belongs to no table of ours, so nothing is asked of it.
_OWNERS = {Scope.PROJECT: "project_id", Scope.REPO: "repo_id", Scope.AGENT: "agent_id"}
_CLOSED = (
    ("type", Type),
    ("scope", Scope),
    ("status", Status),
    ("source_kind", SourceKind),
    ("tier", Tier),
    ("trust", Trust),
)
_TIMES = ("created_at", "updated_at", "observed_at", "valid_from", "valid_to", "deleted_at")
_LISTS = ("tags", "aliases", "anchors")
_closed_of, _times_of, _lists_of = (attrgetter(*fields) for fields in ([field for field, _ in _CLOSED], _TIMES, _LISTS))
_CLOSED_CLASSES = tuple(words for _, words in _CLOSED)
_LIST_CLASSES = (tuple,) * len(_LISTS)
LIVE = (Status.ACTIVE, Status.INBOX)
