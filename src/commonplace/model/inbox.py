"""`InboxItem`: what waits for a person's word, with what that person needs to decide."""

from __future__ import annotations

from commonplace.model.base import Noun
from commonplace.model.record import MemoryRecord
from commonplace.model.result import Evidence


class InboxItem(Noun, frozen=True, kw_only=True):
    """A memory in the inbox: why it waits, what speaks for it, and what accepting it would change."""

    record: MemoryRecord
    reason: str
    evidence: Evidence | None
    change: str
    """The change it proposes, as a diff: against the memory it would replace, or from nothing."""
    replaces: str | None = None
    deferred_until: str | None = None


class InboxReport(Noun, frozen=True, kw_only=True):
    """What a policy did to the inbox."""

    run: str | None
    accepted: tuple[str, ...]
    left: int
    refused: dict[str, str] = {}
    """Those that a rule would accept and the guard does not, and why."""
    dry_run: bool = False
