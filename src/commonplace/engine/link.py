"""`link` and `unlink`: say, or take back, how one memory stands to another."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from commonplace.engine.scribe import Request, Scribe, harmless, must_find
from commonplace.errors import DeniedError, NotFoundError
from commonplace.guard.entry import admit
from commonplace.model.base import set_once
from commonplace.model.link import Link
from commonplace.model.words import Entity, Relation, Verb


class MakeLink(Request, frozen=True, kw_only=True):
    """`from_id` relation `to_id`."""

    from_id: Annotated[str, Meta(description="the memory that stands")]
    relation: Annotated[Relation, Meta(description="how")]
    to_id: Annotated[str, Meta(description="to which other")]
    evidence_ref: Annotated[str | None, Meta(description="where the evidence lies")] = None

    def __post_init__(self) -> None:
        set_once(self, "relation", Relation.of(self.relation, "relation"))


class Unlink(Request, frozen=True, kw_only=True):
    """The link to take back."""

    from_id: Annotated[str, Meta(description="the memory that stands")]
    relation: Annotated[Relation, Meta(description="how")]
    to_id: Annotated[str, Meta(description="to which other")]
    reason: Annotated[str | None, Meta(description="why it is taken back")] = None

    def __post_init__(self) -> None:
        set_once(self, "relation", Relation.of(self.relation, "relation"))


def link(scribe: Scribe, asked: MakeLink) -> Link:
    """Linking twice is linking once."""
    admit({"evidence_ref": asked.evidence_ref})
    with scribe.writing() as pen:
        ends = [must_find(pen.view, id).id for id in (asked.from_id, asked.to_id)]
        made = Link(
            from_id=ends[0], relation=asked.relation, to_id=ends[1], evidence_ref=asked.evidence_ref, created_at=pen.now
        )
        there = pen.view.noun(Entity.LINK, made.id)
        if isinstance(there, Link):
            return there
        pen.write(Entity.LINK, None, made)
        pen.sign(Verb.LINK)
        return made


def unlink(scribe: Scribe, asked: Unlink) -> Link:
    admit({"reason": asked.reason})
    with scribe.writing() as pen:
        ends = [end.id if (end := pen.view.memory(id)) else id for id in (asked.from_id, asked.to_id)]
        found = pen.view.noun(Entity.LINK, f"{ends[0]}>{asked.relation}>{ends[1]}")
        if not isinstance(found, Link):
            raise NotFoundError(
                "there is no such link", where=harmless(f"{asked.from_id} {asked.relation} {asked.to_id}")
            )
        for maker in pen.view.operations(subject=found.id, newest_first=True):
            if maker.trust.outranks(scribe.trust):
                raise DeniedError(f"unlink: the {maker.trust} made this link", where=found.id)
            break
        pen.write(Entity.LINK, found, None)
        pen.sign(Verb.UNLINK, asked.reason)
        return found
