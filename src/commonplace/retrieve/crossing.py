"""Crossing over: when may another project's memory come up? Linked and relevant, or unlinked and strongly relevant (R-a)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace import settings
from commonplace.model.result import Reach
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.links import linked_to

if TYPE_CHECKING:
    from commonplace.model.filter import Circle
    from commonplace.seam.catalog import View


_GUESTS = 3
"""So many unlinked strangers at most: they are guests, and must not fill the house."""
_AHEAD = 0.1
"""By so much must an unlinked stranger be more relevant than the best that is near: it comes when there is no answer at home."""


def judge(view: View, circle: Circle, strangers: Sequence[Contender], near: Sequence[Contender]) -> dict[str, str]:
    """Say of each stranger how it may come in (its `reach`); returns the reasons of those that may not."""
    if not strangers:
        return {}
    at_home = max((one.relevance for one in near), default=0.0)
    links = view.links_of([stranger.id for stranger in strangers])
    ends = view.by_id([*{id for stranger in strangers for id in linked_to(links, stranger.id)}])
    lost: dict[str, str] = {}
    unlinked = 0
    for stranger in strangers:
        linked = any(circle.holds(ends[id]) for id in linked_to(links, stranger.id) if id in ends)
        needed = settings.LINKED_THRESHOLD if linked else max(settings.STRONG_THRESHOLD, min(at_home + _AHEAD, 1.01))
        stranger.reach = str(Reach.LINKED if linked else Reach.STRONG)
        if stranger.relevance < needed:
            how = "linked" if linked else "not linked"
            lost[stranger.id] = f"of another project, {how}: relevance {stranger.relevance:.2f} is below {needed:.2f}"
        elif not linked:
            unlinked += 1
            if unlinked > _GUESTS:
                lost[stranger.id] = f"of another project, not linked: {_GUESTS} such are enough"
    return lost
