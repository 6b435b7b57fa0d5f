"""What was derived from a memory, and so goes with it when it is undone or destroyed.

Anybody may link anything. But a link that a lower trust drew must not take along what a higher one said: else an agent could
have the operator destroy his own words by purging the agent's.
"""

from __future__ import annotations

from commonplace.guard.trust import may_overrule
from commonplace.model.link import Link
from commonplace.model.operation import Operation
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity, Relation
from commonplace.seam.catalog import View


def derived_from(view: View, id: str) -> list[MemoryRecord]:
    """The memories that are `derived_from` this one, as far as whoever said so could have put them away himself."""
    links = [link for link in view.links(id) if link.relation is Relation.DERIVED_FROM and link.to_id == id]
    pairs = [(link, view.memory(link.from_id)) for link in links]
    return [record for link, record in pairs if record is not None and _counts(view, link, record)]


def _counts(view: View, link: Link, record: MemoryRecord) -> bool:
    drawn = next(view.operations(subject=link.id, newest_first=True), None)
    return drawn is None or may_overrule(drawn.trust, record) or record.id in made_by(drawn)


def made_by(operation: Operation) -> list[str]:
    """The memories that an operation made."""
    return [c.id for c in operation.changes if c.entity is Entity.MEMORY and c.before is None and c.after]
