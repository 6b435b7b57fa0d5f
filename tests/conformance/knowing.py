"""What Schemathesis must be told about our requests: ids of memories that are there, and how an import is written.

Without an id that is known nearly every verb would end at "there is no such memory", and what comes after stay untried.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import schemathesis

KNOWN = os.environ["COMMONPLACE_KNOWN"].split()
IDS = ("id", "from_id", "to_id", "other_id", "into", "loser", "supersedes", "memory")


@schemathesis.serializer("application/x-ndjson")
def lines(ctx: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.hook
def map_body(ctx: schemathesis.HookContext, body: Any) -> Any:
    return with_known(body) if isinstance(body, dict) else body


@schemathesis.hook
def map_query(ctx: schemathesis.HookContext, query: Any) -> Any:
    return with_known(query) if query else query


def with_known(fields: dict[str, Any]) -> dict[str, Any]:
    """Two texts of three are replaced by a known id, the same ones each time."""
    found = dict(fields)
    for name in IDS:
        if isinstance(found.get(name), str) and (chosen := zlib.crc32(repr((name, fields)).encode())) % 3:
            found[name] = KNOWN[chosen % len(KNOWN)]
    return found
