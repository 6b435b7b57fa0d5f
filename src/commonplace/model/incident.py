"""What must not be written about an incident: who was there, where they live, what opens the door (A71).

A note of kind `failure-incident` is passed around and kept for long, so addresses, home folders, keys and telephone numbers
are taken out of it before it is written, whoever wrote it.
"""

from __future__ import annotations

import re
from typing import Any

from commonplace.model.fingerprint import fingerprint
from commonplace.model.record import MemoryRecord

KIND = "failure-incident"

_PATTERNS = (
    (
        "API-KEY",
        re.compile(
            r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bAKIA[0-9A-Z]{16}\b"
            r"|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[\w-]{35}|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+"
            r"|(?i:\b(?:api[_-]?key|token|secret|password)\b[ \t]*[:=][ \t]*)(?!\[REDACTED)[^\s'\",;]{12,}"
        ),
    ),
    ("EMAIL", re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+")),
    ("HOME-PATH", re.compile(r"(?:/home/|/Users/|\b[A-Za-z]:\\Users\\)[^/\\\s'\"`:;,)\]}>]+|(?<![\w/])/root(?![\w-])")),
    ("PHONE", re.compile(r"(?<![\w.-])(?:\+?1[ .-]?)?(?:\(\d{3}\)[ ]?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])")),
)
FIELDS = ("content", "title", "summary", "rationale", "evidence_ref", "status_reason")


def scrub(text: str) -> str:
    for name, pattern in _PATTERNS:
        text = pattern.sub(f"[REDACTED-{name}]", text)
    return text


def scrubbed(record: MemoryRecord) -> MemoryRecord:
    """The memory as it may be written. Only incidents are changed, and only where there is something to take out."""
    if record.kind != KIND:
        return record
    texts = {field: text for field in FIELDS if (text := getattr(record, field))}
    clean: dict[str, Any] = {field: said for field, text in texts.items() if (said := scrub(text)) != text}
    if "content" in clean:
        clean["fingerprint"] = fingerprint(clean["content"])
    return record.with_(**clean) if clean else record
