"""What Schemathesis must be told about our requests: ids that are there, texts that say something, how an import is written.

Without them nearly every verb would end at "there is no such memory", and what comes after stay untried.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import schemathesis

KNOWN = os.environ["COMMONPLACE_KNOWN"].split()
IDS = ("id", "from_id", "to_id", "other_id", "into", "loser", "supersedes", "memory")
TEXTS = {
    "content": "Ann reviews maps.",
    "source": "User: who reviews?\nAssistant: Ann does.",
    "reason": "she said so",
    "subject": "editor",
    "book": "default",
}


@schemathesis.serializer("application/x-ndjson")
def lines(ctx: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.hook
def before_call(ctx: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """Two of three that fit the schema are made to say something; the others, and all that do not fit, stay as they are."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if zlib.crc32(repr((case.method, case.path, case.body, case.query)).encode()) % 3:
        case.query = _saying(dict(case.query)) if case.query else case.query
        case.body = _saying(case.body) if isinstance(case.body, dict) else case.body


def _saying(fields: dict[str, Any]) -> dict[str, Any]:
    """With ids that are known, and without texts that are blank."""
    known = {name: _known(name, value, fields) for name, value in fields.items() if isinstance(value, str)}
    return {name: known.get(name, value) for name, value in fields.items() if known.get(name) != ""}


def _known(name: str, value: str, fields: dict[str, Any]) -> str:
    at = zlib.crc32(repr((name, fields)).encode()) % len(KNOWN)
    return KNOWN[at] if name in IDS else TEXTS.get(name, value)
