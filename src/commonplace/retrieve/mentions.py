"""Mentions: `@Name` in a memory says whom it is about. Who is named in a strong hit brings up what else names them. Bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from commonplace.retrieve.contender import Contender

if TYPE_CHECKING:
    from commonplace.model.filter import Filter
    from commonplace.model.record import MemoryRecord
    from commonplace.seam.catalog import View

MENTION = re.compile(r"(?<![\w@.])@([^\W\d_][\w-]{0,63})")
STRONG = 5
_NAMES = 3
_EACH = 8
_SHARE = 0.35
"""What share of a strong hit's score another memory about the same is worth."""


def bring_in(
    view: View, ranked: Sequence[Contender], near: Filter, admitted: Callable[[MemoryRecord], bool]
) -> list[Contender]:
    """Memories that mention whom a strong hit mentions, and that no other stream brought up."""
    worth = _named(ranked[:STRONG])
    there = {contender.id for contender in ranked}
    shares = {
        hit.id: share
        for name, share in worth.items()
        for hit in view.lexical([(name,)], near, _EACH)
        if hit.id not in there
    }
    found = view.by_id([*shares]) if shares else {}
    return [
        _made(record, shares[record.id])
        for record in found.values()
        if admitted(record) and _names(record) & worth.keys()
    ]


def _named(strong: Sequence[Contender]) -> dict[str, float]:
    """Whom the strong hits mention, and what that is worth."""
    worth: dict[str, float] = {}
    for contender in strong:
        for name in sorted(_names(contender.record)) if contender.record and contender.score > 0 else ():
            worth.setdefault(name, _SHARE * contender.score)
    return dict([*worth.items()][:_NAMES])


def _names(record: MemoryRecord) -> set[str]:
    return {name.lower() for name in MENTION.findall(record.content)} if "@" in record.content else set()


def _made(record: MemoryRecord, share: float) -> Contender:
    contender = Contender(record.id, 0)
    contender.record = record
    contender.scores["mentions"] = share
    contender.add_up()
    return contender
