"""Small real things to write into a canon: every field can be chosen, and what is not chosen is sensible."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any

from commonplace.model.fingerprint import fingerprint
from commonplace.model.ids import new_id
from commonplace.model.link import Conflict, Link
from commonplace.model.receipt import Candidate, Moment, Outcome, Receipt
from commonplace.model.record import MemoryRecord
from commonplace.model.source import Source
from commonplace.model.words import Relation, SourceKind, Status, Verb
from commonplace.seam.terms import Signature
from commonplace.testing.clocks import EPOCH

_numbers = count(1)


def a_memory(content: str | None = None, **fields: Any) -> MemoryRecord:
    """A memory, one second newer than the one made before it."""
    number = next(_numbers)
    said = f"Statement number {number}." if content is None else content
    made: dict[str, Any] = {
        "id": new_id(),
        "type": "episode",
        "scope": "global",
        "status": Status.ACTIVE,
        "content": said,
        "kind": "note",
        "created_at": EPOCH + timedelta(seconds=number),
        "updated_at": EPOCH + timedelta(seconds=number),
        "fingerprint": fingerprint(said),
    }
    return MemoryRecord(**made | fields)


def a_full_memory(**fields: Any) -> MemoryRecord:
    """A memory with something in every field."""
    everything: dict[str, Any] = {
        "type": "decision", "scope": "repo", "status": "archived", "project_id": "p", "repo_id": "r", "agent_id": "a",
        "source_kind": "document", "title": "Title \U0001f985", "summary": "Line one\r\nline two\ttab", "confidence": 0.25,
        "freshness": 0.5, "observed_at": EPOCH, "source_ref": "s-1", "evidence_ref": "file:a.md#L3", "kind": "domain-rule",
        "tags": ("one", "zwei ☃"), "slug": "title", "aliases": ("m-77", "notes/a b.md"), "always_load": True,
        "supersedes": "older", "superseded_by": "newer", "tier": "T2", "trust": "curated", "occurrences": 3,
        "anchors": ("commit:abc",), "valid_from": EPOCH, "valid_to": EPOCH + timedelta(days=1),
        "deleted_at": EPOCH + timedelta(hours=1), "tenant": "t", "scope_word": "workspace", "rationale": "because",
        "status_reason": "tidied",
    }  # fmt: skip
    return a_memory("שלום e\u0301 \u202e 'quoted' \"twice\" %_\\ 日本語", **everything | fields)


def a_link(one: MemoryRecord, relation: str, other: MemoryRecord) -> Link:
    return Link(from_id=one.id, relation=Relation(relation), to_id=other.id, evidence_ref="chat/1", created_at=EPOCH)


def a_conflict(one: MemoryRecord, other: MemoryRecord) -> Conflict:
    return Conflict(id=new_id(), left_id=one.id, right_id=other.id, reason="they disagree", created_at=EPOCH)


def a_source(**fields: Any) -> Source:
    made: dict[str, Any] = {"id": new_id(), "kind": SourceKind.DOCUMENT, "captured_at": EPOCH}
    return Source(**made | fields)


def a_signature(verb: str = Verb.SAVE, **fields: Any) -> Signature:
    made: dict[str, Any] = {
        "id": new_id(), "verb": verb, "actor": "alice", "trust": "operator", "surface": "library", "at": EPOCH,
    }  # fmt: skip
    return Signature(**made | fields)


def a_receipt(chosen: Sequence[str] = (), near_misses: Sequence[str] = (), **fields: Any) -> Receipt:
    """The receipt of a search that looked at these memories, one second later than the one made before it."""
    made: dict[str, Any] = {
        "id": new_id(), "at": EPOCH + timedelta(seconds=next(_numbers)), "moment": Moment.SEARCH, "actor": "alice",
        "surface": "library", "query": "what?", "query_hash": "0" * 64, "profile": "hybrid", "asked": {"limit": 10},
        "chosen": tuple(Candidate(memory_id=id, score=1.0, scores={"lexical": 1.0}) for id in chosen),
        "near_misses": tuple(Candidate(memory_id=id, score=0.5, scores={}, reason="less") for id in near_misses),
        "thresholds": {}, "outcome": Outcome.FOUND, "confidence": 0.5, "streams": (), "timings": {}, "models": {},
    }  # fmt: skip
    return Receipt(**made | fields)
