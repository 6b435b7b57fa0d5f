"""A contender: one memory that some stream brought up, and all that is known of how it scores."""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.forms import forms_along, forms_in, is_held


class Contender:
    """Grows through the steps of a search: streams give it scores, `fuse` a combined one, later steps move it."""

    __slots__ = (
        "_along",
        "_held",
        "_holding",
        "id",
        "passage",
        "place",
        "raw",
        "reach",
        "record",
        "relevance",
        "score",
        "scores",
    )

    def __init__(self, id: str, place: int) -> None:
        self.id, self.place = id, place
        self.passage = 0
        self.raw: dict[str, float] = {}
        """What each stream says, in its own measure."""
        self.scores: dict[str, float] = {}
        """What each component adds to the score; they sum up to it."""
        self.score = 0.0
        self.relevance = 0.0
        """How well it answers the question by itself, from 0 to 1; what thresholds are about."""
        self.reach = "near"
        self.record: MemoryRecord | None = None
        self._along: list[str] | None = None
        self._held: set[str] | None = None
        self._holding: list[str] | None = None

    # What its words are is read off once, and only if somebody asks.

    @property
    def along(self) -> list[str]:
        """The forms of its content's words, one after the other."""
        if self._along is None:
            self._along = forms_along(self.record.content) if self.record else []
        return self._along

    @property
    def held(self) -> set[str]:
        """The forms of all its words."""
        if self._held is None:
            self._held = {*self.along}
            if self.record and (self.record.title or self.record.summary):
                self._held |= forms_in(self.record.title, self.record.summary)
        return self._held

    def holding(self, words: Sequence[str]) -> list[str]:
        """Which of the question's words it holds in some form. A contender meets one question only."""
        if self._holding is None:
            held = self.held
            self._holding = [word for word in words if is_held(word, held)]
        return self._holding

    def add_up(self) -> None:
        """The score is the sum of what each component adds: nothing else, so that anybody can check it."""
        self.score = sum(self.scores.values())

    @property
    def order(self) -> tuple[float, str]:
        """Best first; ties always break the same way."""
        return (-self.score, self.id)
