"""`inbox apply`: accept by policy. A file says what may be accepted unseen; the guard has the last word, and a revert undoes it.

[[accept]]
types = ["project", "artifact"]
kinds = ["convention"]
trusts = ["agent"]
projects = ["falcon"]
min_confidence = 0.9
min_occurrences = 2
"""

from __future__ import annotations

from collections import deque
from typing import Annotated

import msgspec
from msgspec import Meta

from commonplace import settings
from commonplace.engine.confirm import Confirm, accept, review
from commonplace.engine.inbox import deferral
from commonplace.engine.scribe import Pen, Request, Scribe, harmless
from commonplace.errors import CommonplaceError, InvalidError
from commonplace.model.base import Noun, taken_apart, understand
from commonplace.model.filter import Filter
from commonplace.model.ids import new_id
from commonplace.model.inbox import InboxReport
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Status, Trust, Type, Verb


class InboxApply(Request, frozen=True, kw_only=True):
    """By which policy."""

    policy: Annotated[str, Meta(description="a TOML file with [[accept]] rules")]
    dry_run: Annotated[bool, Meta(description="only say what would be accepted")] = False


class Rule(Noun, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be accepted unseen. All that is named must hold; a rule that names nothing accepts nothing."""

    types: tuple[Type, ...] = ()
    kinds: tuple[str, ...] = ()
    trusts: tuple[Trust, ...] = ()
    projects: tuple[str, ...] = ()
    min_confidence: float = 0.0
    min_occurrences: int = 1

    def accepts(self, record: MemoryRecord) -> bool:
        asked = (
            (self.types, record.type),
            (self.kinds, record.kind),
            (self.trusts, record.trust),
            (self.projects, record.project_id),
        )
        return (
            any(named for named, _ in asked)
            and all(not named or value in named for named, value in asked)
            and (record.confidence or 0.0) >= self.min_confidence
            and record.occurrences >= self.min_occurrences
        )


class Policy(Noun, frozen=True, kw_only=True, forbid_unknown_fields=True):
    accept: tuple[Rule, ...] = ()


def inbox_apply(scribe: Scribe, asked: InboxApply) -> InboxReport:
    """All that the policy accepts, as one run."""
    policy = read_policy(asked.policy)
    with scribe.reading() as view:
        waiting = view.counts()["status"].get(str(Status.INBOX), 0)
        fitting = (one for one in view.memories(Filter(statuses=(Status.INBOX,))) if _accepts(policy, one))
        wanted = [*deque(fitting, maxlen=settings.MAX_LIST_LIMIT)]  # listings come newest first: the oldest are kept
    if asked.dry_run or not wanted:
        ids = tuple(one.id for one in wanted)
        return InboxReport(run=None, accepted=ids, left=waiting - len(ids), dry_run=asked.dry_run)
    return _accept_all(scribe, wanted, waiting)


def _accepts(policy: Policy, record: MemoryRecord) -> bool:
    return not deferral(record) and any(rule.accepts(record) for rule in policy.accept)


def _accept_all(scribe: Scribe, wanted: list[MemoryRecord], waiting: int) -> InboxReport:
    run, accepted = new_id(), []
    refused: dict[str, str] = {}
    with scribe.writing() as pen:
        for record in wanted:
            try:
                _accept_one(scribe, pen, record, run)
                accepted.append(record.id)
            except CommonplaceError as cause:
                refused[record.id] = cause.message
    return InboxReport(
        run=run if accepted else None, accepted=tuple(accepted), left=waiting - len(accepted), refused=refused
    )


def _accept_one(scribe: Scribe, pen: Pen, record: MemoryRecord, run: str) -> None:
    present = pen.view.memory(record.id)
    if present != record:
        raise InvalidError("it changed meanwhile")
    review(scribe, record, "accept")
    accept(scribe, pen, record, Confirm(id=record.id, reason="accepted by policy"))
    pen.sign(Verb.PROMOTE, "accepted by policy", run=run)


def read_policy(path: str) -> Policy:
    import tomllib

    try:
        with open(path, "rb") as file:
            plain = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as cause:
        raise InvalidError(
            "the policy cannot be read", where=harmless(path), hint="It is a TOML file with [[accept]] rules."
        ) from cause
    read: Policy = understand(lambda: msgspec.convert(plain, taken_apart(Policy)), Policy)
    return read
