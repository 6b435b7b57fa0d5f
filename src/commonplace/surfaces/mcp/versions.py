"""Which version of the protocol is spoken, and what that changes.

The older ones begin with a handshake; 2026-07-28 has none: each request says which version it is of, and each result says whether
it is complete and how long it may be kept.
"""

from __future__ import annotations

from typing import Any

from commonplace.surfaces.mcp.envelope import INVALID_PARAMS, Call, ProtocolError

HANDSHAKES = ("2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
VERSIONS = (*HANDSHAKES, STATELESS)
LATEST_HANDSHAKE = HANDSHAKES[-1]
WITH_BATCHES = "2025-03-26"
"""The only version in which several messages may come as one list."""

UNSUPPORTED_VERSION = -32022
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_SERVER_KEY = "io.modelcontextprotocol/serverInfo"
_CACHEABLE = (
    "server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list",
)  # fmt: skip


def offered(wanted: object) -> str:
    """What a handshake is answered with: the version that was asked for, else the newest that has a handshake."""
    return wanted if isinstance(wanted, str) and wanted in HANDSHAKES else LATEST_HANDSHAKE


def version_of(call: Call, agreed: str) -> str:
    """The version this call is of: what it says itself, else what was agreed."""
    meta = call.params.get("_meta")
    named = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
    if named is None and agreed != STATELESS:
        return agreed
    if not isinstance(meta, dict) or not isinstance(named, str):
        raise ProtocolError(INVALID_PARAMS, f"_meta: must hold {VERSION_KEY}")
    if named in HANDSHAKES:
        return named
    if named != STATELESS:
        raise unsupported(named)
    if not isinstance(meta.get(_CAPABILITIES_KEY), dict):
        raise ProtocolError(INVALID_PARAMS, f"_meta: must hold {_CAPABILITIES_KEY}")
    return STATELESS


def unsupported(named: str) -> ProtocolError:
    """Says which versions there are, and repeats the one that was asked for only if it looks like one."""
    requested = named if len(named) <= 32 and named.isascii() and named.isprintable() else ""
    return ProtocolError(
        UNSUPPORTED_VERSION, "unsupported protocol version", {"supported": [*VERSIONS], "requested": requested}
    )


def dressed(method: str, result: dict[str, Any], version: str, server: dict[str, str]) -> dict[str, Any]:
    """The result with what its version wants around it. Memories change at any time, and are one person's: nothing is kept."""
    if version != STATELESS:
        return result
    worn = {**result, "resultType": "complete", "_meta": {_SERVER_KEY: server}}
    return {**worn, "ttlMs": 0, "cacheScope": "private"} if method in _CACHEABLE else worn
