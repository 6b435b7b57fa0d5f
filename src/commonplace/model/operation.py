"""`Operation`: one change to a book, as the journal keeps it, and the hash chain that makes tampering visible.

An entry's hash covers its header, the salted hash of its payload, and the hash of the entry before it. The payload itself
(the reason, and each change's before and after) is not in the chain: `purge` can destroy it, salt and all, and the
chain still verifies, while the hash that stays behind cannot be used to guess what was there.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from commonplace.model.base import Noun, taken_apart, to_micros
from commonplace.model.chance import chance
from commonplace.model.hashing import sha256
from commonplace.model.words import Entity, Trust, Verb

GENESIS = bytes(32)
SALT_BYTES = 16
NOTHING = msgspec.Raw(b"null")
_encode = msgspec.json.Encoder(order="deterministic").encode


class Change(Noun, frozen=True, kw_only=True, array_like=True):
    """What happened to one thing: only the fields that differ; `before` is null when it was made, `after` when it went."""

    entity: Entity
    id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None

    @property
    def is_gone(self) -> bool:
        """Only the name is left: a purge destroyed what it said."""
        return self.before is None and self.after is None

    def mentions(self) -> list[str]:
        """The memories that a link or a conflict is about."""
        if self.entity not in _ENDS:
            return []
        said = self.after or self.before or {}
        return [said[end] for end in _ENDS[self.entity] if end in said]


_ENDS = {Entity.LINK: ("from_id", "to_id"), Entity.CONFLICT: ("left_id", "right_id")}


class Payload(Noun, frozen=True, kw_only=True, omit_defaults=True):
    """The part of an operation that can hold content, and that `purge` destroys."""

    reason: str | None = None
    changes: tuple[Change, ...] = ()
    kept: dict[str, str] = {}
    """Only in a purge: for each entry whose payload it destroyed, the hash of what stays of it (names, what it did to others)."""
    about: tuple[str, ...] = ()
    """Only in what a purge left of an entry: the memories that links and conflicts were about which are gone."""
    reverts: tuple[str, ...] = ()
    """Only in a revert: the operations it undid."""


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
    about: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()
    hash: str = ""

    def subjects(self) -> list[str]:
        """The ids of all things it changed."""
        return [change.id for change in self.changes]

    def names(self) -> list[str]:
        """The ids it can be found by: of what it changed, and of the memories that a link or conflict it changed is about."""
        mentioned = (id for change in self.changes for id in change.mentions())
        return [*dict.fromkeys((*self.subjects(), *mentioned, *self.about))]


class Entry(Noun, frozen=True, kw_only=True):
    """One link of the chain exactly as it is stored: what `verify` checks, `export` writes and `import` brings back."""

    seq: int
    id: str
    run: str | None
    verb: str
    actor: str
    trust: str
    surface: str
    at: datetime
    salt: bytes | None
    payload: msgspec.Raw
    """The stored bytes, verbatim. JSON null after a purge; then `kept` holds what the entry did to things that stay."""
    kept: msgspec.Raw = NOTHING
    payload_hash: bytes
    prev: bytes
    hash: bytes

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(self.to_json())
        return plain

    @property
    def is_purged(self) -> bool:
        return bytes(self.payload) == b"null"

    def header(self) -> tuple[Any, ...]:
        return (self.seq, self.id, self.run, self.verb, self.actor, self.trust, self.surface, to_micros(self.at))

    def is_sound(self) -> bool:
        """Is it what was written: do payload and header still give the hashes they gave then, and stands nothing beside?"""
        if not self.is_purged:
            is_told = payload_hash(self.salt or b"", bytes(self.payload)) == self.payload_hash
            if not is_told or bytes(self.kept) != b"null":  # only a purge leaves something beside a payload
                return False
        return chain_hash(self.prev, self.header(), self.payload_hash) == self.hash

    def operation(self) -> Operation:
        """The entry as people see it. Raises ValueError if its payload cannot be read."""
        payload = decode_payload(self.kept if self.is_purged else self.payload) or Payload()
        return Operation(
            seq=self.seq,
            id=self.id,
            run=self.run,
            verb=Verb(self.verb),
            actor=self.actor,
            trust=Trust(self.trust),
            surface=self.surface,
            at=self.at,
            reason=payload.reason,
            changes=payload.changes,
            kept=payload.kept,
            about=payload.about,
            reverts=payload.reverts,
            purged=self.is_purged,
            hash=self.hash.hex(),
        )


encode_payload = _encode
decode_payload = msgspec.json.Decoder(taken_apart(Payload | None)).decode


def new_salt() -> bytes:
    return chance(SALT_BYTES)


def payload_hash(salt: bytes, payload: bytes) -> bytes:
    return sha256(salt + payload)


def chain_hash(prev: bytes, header: tuple[Any, ...], payload_digest: bytes) -> bytes:
    """The hash of an entry. `header` is (seq, id, run, verb, actor, trust, surface, at as text)."""
    return sha256(prev + payload_digest + _encode(header))


def change_of(entity: Entity, before: Noun | None, after: Noun | None) -> Change:
    """The change from one state of a thing to the next."""
    old, new = difference(before, after)
    return Change(entity=entity, id=(after or before).id, before=old, after=new)  # type: ignore[union-attr]


def difference(before: Noun | None, after: Noun | None) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The two sides of a change: everything when a thing is made or goes, only what differs when it changes."""
    if before is None or after is None:
        return (before.to_dict() if before else None), (after.to_dict() if after else None)
    old, new = before.to_dict(), after.to_dict()
    changed = [field for field in new if new[field] != old[field]]
    return {field: old[field] for field in changed}, {field: new[field] for field in changed}
