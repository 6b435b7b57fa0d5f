"""Links that stand in a text are drawn: what it names is found, and remembered by its name if it is not there yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from commonplace.model.link import Link
from commonplace.model.words import Entity, Relation
from commonplace.seam.terms import Edit, Signature

if TYPE_CHECKING:
    from commonplace.seam.catalog import Draft

_UNKNOWN = "[["


class Drawing:
    """The links that texts name: made where they are new, ended where a text no longer names them.

    Links that somebody made by hand are not in the text, and are left alone.
    """

    def __init__(self, draft: Draft, made: Collection[str] = (), among: dict[str, str] | None = None) -> None:
        """`made` are relations that whoever wrote these texts has made or ended already, as far as they are true. `among` are
        all the names there are, where that is known, and no link is there yet."""
        self._draft, self._inventory, self._made = draft, draft.inventory(), made
        self._among = among
        self._edits: list[tuple[str, str, str, bool]] = []
        self.drawn: dict[str, set[tuple[str, str]]] = {}

    def draw(self, memory_id: str, links: Iterable[tuple[str, str]], *, new: bool = False) -> None:
        before = set() if new else self._inventory.drawn(memory_id)
        after = {self._resolved(memory_id, *link) for link in links}
        if before != after:
            self.drawn[memory_id] = after
            self._edits += [(memory_id, *link, True) for link in sorted(after - before) if link[0] not in self._made]
            self._edits += [(memory_id, *link, False) for link in sorted(before - after) if link[0] not in self._made]
            self._inventory.draw(memory_id, after)

    def mark(self, memory_id: str, links: Iterable[tuple[str, str]]) -> None:
        """Another book's journal has said what there is to say of this text: it counts as drawn as it is."""
        self.drawn[memory_id] = {self._resolved(memory_id, *link) for link in links}
        self._inventory.draw(memory_id, self.drawn[memory_id])

    def draw_waiting(self, names: Iterable[str], but: Collection[str]) -> None:
        """These names are there now: whoever named them before is led to them."""
        for memory_id in self._inventory.waiting_for([_UNKNOWN + name for name in names]):
            if memory_id not in but:
                self._draw_again(memory_id)

    def _draw_again(self, memory_id: str) -> None:
        """What led nowhere may lead somewhere now."""
        self.draw(memory_id, [(kind, other.removeprefix(_UNKNOWN)) for kind, other in self._inventory.drawn(memory_id)])

    def _resolved(self, memory_id: str, relation: str, target: str) -> tuple[str, str]:
        """The relation and the memory it leads to; what leads nowhere yet is remembered by the name it was given."""
        named = self._inventory.named if self._among is None else self._among.get
        other = named(target) or named(target.casefold())
        return (
            (relation, other) if other is not None and other != memory_id else (relation, _UNKNOWN + target.casefold())
        )

    def commit(self, signature: Signature) -> None:
        """All of them as one operation."""
        edits = [
            edit
            for memory_id, relation, other, made in self._edits
            if (edit := self._edit(memory_id, relation, other, made, signature.at))
        ]
        if edits:
            self._draft.commit(signature, edits)

    def _edit(self, memory_id: str, relation: str, other: str, made: bool, now: datetime) -> Edit | None:
        if other.startswith(_UNKNOWN):
            return None
        link = Link(from_id=memory_id, relation=Relation(relation), to_id=other, created_at=now)
        there = self._draft.noun(Entity.LINK, link.id) if self._among is None else None
        if made:
            return None if there is not None else (Entity.LINK, None, link)
        return None if there is None else (Entity.LINK, there, None)
