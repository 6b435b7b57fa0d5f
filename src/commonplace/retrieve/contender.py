"""A contender: one memory that some stream brought up, and all that is known of how it scores."""

from __future__ import annotations

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.forms import forms_in


class Contender:
    """Grows through the steps of a search: streams give it scores, `fuse` a combined one, later steps move it."""

    __slots__ = ("_held", "id", "passage", "place", "raw", "reach", "record", "relevance", "score", "scores")

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
        self._held: set[str] | None = None

    @property
    def held(self) -> set[str]:
        """The forms of its words: read off once, and only if somebody asks."""
        if self._held is None:
            record = self.record
            self._held = forms_in(record.title, record.summary, record.content) if record else set()
        return self._held

    def add_up(self) -> None:
        """The score is the sum of what each component adds: nothing else, so that anybody can check it."""
        self.score = sum(self.scores.values())

    @property
    def order(self) -> tuple[float, str]:
        """Best first; ties always break the same way."""
        return (-self.score, self.id)
