"""The link stream: what stands beside a strong hit comes into view with it. Bounded: a few hits, a few neighbours each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from commonplace.model.words import Relation
from commonplace.retrieve.contender import Contender

if TYPE_CHECKING:
    from commonplace.model.link import Link
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

_STRONG = 8
_MOST = 24
# What share of a strong hit's score its neighbour is worth. Who is contradicted must be heard.
_SHARES = {
    Relation.CONTRADICTS: 0.9,
    Relation.SUPERSEDES: 0.6,
    Relation.SUPPORTS: 0.5,
    Relation.DERIVED_FROM: 0.5,
    Relation.APPLIES_TO: 0.5,
    Relation.RELATED_TO: 0.4,
}


def bring_in(view: View, ranked: Sequence[Contender], admitted: Callable[[MemoryRecord], bool]) -> list[Contender]:
    """Contenders that only a link to a strong hit brings up, with their records; and a lift for those that were there."""
    strong = {contender.id: contender for contender in ranked[:_STRONG] if contender.score > 0}
    if not strong:
        return []
    there = {contender.id: contender for contender in ranked}
    worth: dict[str, float] = {}
    for link in view.links_of([*strong]):
        for one, other in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
            if one in strong:
                worth[other] = max(worth.get(other, 0.0), strong[one].score * _SHARES[Relation(link.relation)])
    strangers = view.by_id([id for id in worth if id not in there][:_MOST])
    for id, share in worth.items():
        if id in there:
            _lift(there[id], share)
    return [_made(record, worth[record.id]) for record in strangers.values() if admitted(record)]


def _lift(contender: Contender, share: float) -> None:
    """Up to what the link is worth, never down."""
    if share > contender.score:
        contender.scores["links"] = share - contender.score
        contender.score = share


def _made(record: MemoryRecord, share: float) -> Contender:
    contender = Contender(record.id, 0)
    contender.record, contender.score = record, share
    contender.scores["links"] = share
    return contender


def linked_to(links: Sequence[Link], id: str) -> set[str]:
    """The memories on the other side of this one's links."""
    return {link.to_id if link.from_id == id else link.from_id for link in links if id in (link.from_id, link.to_id)}
