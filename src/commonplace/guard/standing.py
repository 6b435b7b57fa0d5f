"""May a statement stand at once, or does it need a second look? The same answer on every way in (X-7)."""

from __future__ import annotations

import re

from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status, Trust, Type

_WHY = re.compile(
    r"\b(because|since|so that|in order to|due to|rationale|reason|why|as it|to avoid|therefore|weil|damit|parce que|porque)\b",
    re.IGNORECASE,
)


def has_rationale(record: MemoryRecord) -> bool:
    """Does it say why, in a field of its own or in its words?"""
    return bool(record.rationale) or any(text and _WHY.search(text) for text in (record.content, record.summary))


def is_grounded(record: MemoryRecord) -> bool:
    """A decision needs its rationale or a source before it is active (rfc 21, R-f); other statements do not."""
    return record.type is not Type.DECISION or bool(record.evidence_ref) or has_rationale(record)


def why_it_waits(record: MemoryRecord) -> str | None:
    """Why it must wait in the inbox; None if it may stand at once: an explicit structured write is active."""
    if not is_grounded(record):
        return "a decision needs its rationale or a source before it is active"
    if record.type is Type.PROFILE and not record.trust.outranks(Trust.AGENT):
        return "a fact about the person, said by an agent, needs the person's confirmation"
    if record.trust in (Trust.EXTRACTED, Trust.EXTERNAL):
        return f"it came through the {record.trust} channel and needs a second look"
    return None


def in_its_place(record: MemoryRecord) -> MemoryRecord:
    """The record, waiting in the inbox if it may not stand yet."""
    why = why_it_waits(record) if record.status is Status.ACTIVE else None
    return record.with_(status=Status.INBOX, status_reason=why) if why else record
