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
_AT_THE_DOOR = 16
"""So many of the unlinked ones are looked at: whoever stands behind those is no guest."""
_AHEAD = 0.1
"""By so much must an unlinked stranger be more relevant than the best that is near: it comes when there is no answer at home."""


class Strangers:
    """Those of the ranked that are not near, and whom their links lead to."""

    def __init__(self, view: View, circle: Circle, ranked: Sequence[Contender]) -> None:
        self._view, self._circle = view, circle
        self.all = [one for one in ranked if one.reach != str(Reach.NEAR)]
        self._links = view.links_of([one.id for one in self.all]) if self.all else []
        linked = {id for link in self._links for id in (link.from_id, link.to_id)}
        unlinked = [one for one in self.all if one.id not in linked][:_AT_THE_DOOR]
        self.seen = [one for one in self.all if one.id in linked] + unlinked

    def judge(self, near: Sequence[Contender]) -> dict[str, str]:
        """Say of each how it may come in (its `reach`); returns the reasons of those that may not."""
        at_home = max((one.relevance for one in near), default=0.0)
        ends = self._view.by_id([*{id for one in self.seen for id in linked_to(self._links, one.id)}])
        seen = {one.id for one in self.seen}
        lost: dict[str, str] = {}
        unlinked = 0
        for stranger in self.all:
            if stranger.id not in seen:
                lost[stranger.id] = "of another project, not linked: others scored higher"
                continue
            linked = any(self._circle.holds(ends[id]) for id in linked_to(self._links, stranger.id) if id in ends)
            strong = max(settings.STRONG_THRESHOLD, min(at_home + _AHEAD, 1.01))
            needed = settings.LINKED_THRESHOLD if linked else strong
            stranger.reach = str(Reach.LINKED if linked else Reach.STRONG)
            if stranger.relevance < needed:
                how = "linked" if linked else "not linked"
                lost[stranger.id] = (
                    f"of another project, {how}: relevance {stranger.relevance:.2f} is below {needed:.2f}"
                )
            elif not linked:
                unlinked += 1
                if unlinked > _GUESTS:
                    lost[stranger.id] = f"of another project, not linked: {_GUESTS} such are enough"
        return lost
