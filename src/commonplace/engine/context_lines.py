"""One memory, one line: id, sort, age, trust, source, and what it says, made harmless (R10, G18)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from commonplace.guard.quoting import carries_link, gives_orders, on_one_line
from commonplace.guard.secrets import has_secret
from commonplace.model.record import MemoryRecord
from commonplace.model.result import RetrievalResult
from commonplace.model.words import Type
from commonplace.retrieve.ages import age
from commonplace.retrieve.budgets import MAX_SAID_CHARS, MAX_SOURCE_CHARS, UNSURE_BELOW

COLUMNS = "id | sort | age | trust | source | text"
COLUMNS_WITHOUT_AGE = "id | sort | trust | source | text"
SORTS = {Type.PROFILE: "profile", Type.DECISION: "decision", Type.EPISODE: "episode"}
"""The group of each type in a bundle; all others are facts."""


def sort_of(record: MemoryRecord) -> str:
    return SORTS.get(record.type, "fact")


def line_of(result: RetrievalResult, labels: Sequence[str], now: datetime | None) -> str | None:
    """The line; None if it would show a secret. Without `now` it says no age, and is the same every day."""
    record = result.record
    said = _said(result)
    cells = [cell_of(record.id), " ".join((sort_of(record), *labels, *_signs(record)))]
    if now is not None:
        cells.append(age(record.observed_at or record.created_at, now))
    cells += [str(record.trust), cell_of(source_of(record), MAX_SOURCE_CHARS), on_one_line(said)]
    line = "- " + " | ".join(cells)
    raw = (record.title, record.summary, record.content, record.rationale, record.evidence_ref, record.source_ref)
    if has_secret("\n\n".join(text for text in raw if text)) or has_secret(line):
        return None
    return line


def source_of(record: MemoryRecord) -> str:
    """Where to look it up: the evidence it names, else the source it came from, else how it came to be known."""
    if record.evidence_ref:
        return record.evidence_ref
    named = record.source_ref and not record.source_ref.startswith("manual-")
    return f"{record.source_kind} {record.source_ref}" if named else str(record.source_kind)


def citation_of(record: MemoryRecord) -> str:
    return f"{cell_of(record.id)} {on_one_line(record.evidence_ref or record.source_ref or str(record.source_kind))}"


def _said(result: RetrievalResult) -> str:
    record = result.record
    said = _short(result)
    if record.title and record.title.casefold() not in said.casefold():
        said = f"{record.title}: {said}"
    why = record.rationale
    if record.type is Type.DECISION and why and len(said) + len(why) <= MAX_SAID_CHARS:
        said = f"{said} (why: {why})"
    return said


def _short(result: RetrievalResult) -> str:
    """The whole if it is short; else its summary; else the part that answers the question."""
    record, room = result.record, MAX_SAID_CHARS
    if len(record.content) <= room:
        return record.content
    if record.summary and len(record.summary) <= room:
        return record.summary
    quoted = result.evidence if result.evidence and result.evidence.quoted_from == "memory" else None
    start = max(0, min(quoted.start - room // 4, len(record.content) - room)) if quoted else 0
    cut = record.content[start : start + room].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + room < len(record.content) else ''}"


def _signs(record: MemoryRecord) -> list[str]:
    """What a reader should know before believing it."""
    signs = [] if record.confidence is None or record.confidence >= UNSURE_BELOW else ["unsure"]
    seen = on_one_line(" ".join(text for text in (record.title, record.content, record.summary) if text))
    if gives_orders(seen):
        signs.append("gives-orders")
    if carries_link(seen):
        signs.append("link")
    return signs


def cell_of(text: str, most: int = 200) -> str:
    """A column that cannot pass for two."""
    plain = on_one_line(text).replace("|", "/")
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
