"""A contender: one memory that some stream brought up, and all that is known of how it scores."""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.forms import is_said


class Contender:
    """Grows through the steps of a search: streams give it scores, `fuse` a combined one, later steps move it."""

    __slots__ = (
        "_holding",
        "_said",
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
        self._said: str | None = None
        self._holding: list[str] | None = None

    # What its words are is read off once, and only if somebody asks.

    @property
    def said(self) -> str:
        """All its words, in lower case."""
        if self._said is None:
            record = self.record
            texts = (record.content, record.title, record.summary) if record else ()
            self._said = " ".join([text for text in texts if text]).lower()
        return self._said

    def holding(self, words: Sequence[str]) -> list[str]:
        """Which of the question's words it holds in some form. A contender meets one question only."""
        if self._holding is None:
            said = self.said
            self._holding = [word for word in words if is_said(word, said)]
        return self._holding

    def add_up(self) -> None:
        """The score is the sum of what each component adds: nothing else, so that anybody can check it."""
        self.score = sum(self.scores.values())

    @property
    def order(self) -> tuple[float, str]:
        """Best first; ties always break the same way."""
        return (-self.score, self.id)
