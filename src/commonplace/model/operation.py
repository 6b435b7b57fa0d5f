"""`Operation`: one change to a book, as the journal keeps it, and the hash chain that makes tampering visible.

An entry's hash covers its header, the salted hash of its payload, and the hash of the entry before it. The payload itself
(the reason, and each change's before and after) is not in the chain: `purge` can destroy it, salt and all, and the
chain still verifies, while the hash that stays behind cannot be used to guess what was there.
"""

from __future__ import annotations

import os
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from commonplace.model.base import Noun
from commonplace.model.words import Entity, Trust, Verb

GENESIS = bytes(32)
SALT_BYTES = 16
_encode = msgspec.json.Encoder(order="deterministic").encode


class Change(Noun, frozen=True, kw_only=True, array_like=True):
    """What happened to one thing: only the fields that differ; `before` is null when it was made, `after` when it went."""

    entity: Entity
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class Payload(Noun, frozen=True, kw_only=True, omit_defaults=True):
    """The part of an operation that can hold content, and that `purge` destroys."""

    reason: str | None = None
    changes: tuple[Change, ...] = ()
    kept: dict[str, str] = {}
    """Only in a purge: for each entry whose payload it destroyed, the hash of what stays of it (what it did to others)."""


class Operation(Noun, frozen=True, kw_only=True):
    """One entry of the journal: who did what, when, why, through which surface, from what to what."""

    seq: int
    id: str
    run: str | None
    """Operations of one run (an import, a consolidation) are reverted together."""
    verb: Verb
    actor: str
    trust: Trust
    surface: str
    at: datetime
    reason: str | None = None
    changes: tuple[Change, ...] = ()
    purged: bool = False
    """Its payload was destroyed by a later `purge`."""
    kept: dict[str, str] = {}
    hash: str = ""

    def subjects(self) -> list[str]:
        """The ids of all things it changed."""
        return [change.id for change in self.changes]


def encode_payload(reason: str | None, changes: tuple[Change, ...], kept: dict[str, str] | None = None) -> bytes:
    return _encode(Payload(reason=reason, changes=changes, kept=kept or {}))


decode_payload = msgspec.json.Decoder(Payload).decode


def new_salt() -> bytes:
    return os.urandom(SALT_BYTES)


def payload_hash(salt: bytes, payload: bytes) -> bytes:
    return sha256(salt + payload).digest()


def chain_hash(prev: bytes, header: tuple[Any, ...], payload_digest: bytes) -> bytes:
    """The hash of an entry. `header` is (seq, id, run, verb, actor, trust, surface, at as text)."""
    return sha256(prev + payload_digest + _encode(header)).digest()


def difference(before: Noun | None, after: Noun | None) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The two sides of a change: everything when a thing is made or goes, only what differs when it changes."""
    if before is None or after is None:
        return (before.to_dict() if before else None), (after.to_dict() if after else None)
    old, new = before.to_dict(), after.to_dict()
    changed = [field for field in new if new[field] != old[field]]
    return {field: old[field] for field in changed}, {field: new[field] for field in changed}
