"""The plain things that pass through the seam. Apart from the promises, so that a reader need not load those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, overload

from commonplace.model.base import Noun

if TYPE_CHECKING:
    from commonplace.model.words import Entity

Order = tuple[int, int]
"""A memory's place in every listing: newer is greater."""

Edit = tuple["Entity", Noun | None, Noun | None]
"""What a thing was and what it becomes; None before it is made and after it is gone."""

Progress = Callable[[int, int], None]
"""Told now and then how much of how much is done (0 of 0 when unknown)."""


class Hit(NamedTuple):
    """A memory that a stream of the search found."""

    id: str
    place: int
    """Its number in the order in which the book learnt them."""
    score: float
    """Higher is better; comparable within one answer of one stream only."""
    passage: int
    """Which of its passages matched best; 0 where the whole was asked."""


class Hits(Sequence[Hit]):
    """What a stream found, best first, ties by id; column by column, because a search weighs hundreds and shows ten.

    As a sequence it gives them one by one, each with its id, which nobody looks up before: while its view is open.
    """

    __slots__ = ("_names", "_singly", "passages", "places", "scores")

    def __init__(
        self,
        places: list[int],
        scores: list[float],
        names: Callable[[list[int]], dict[int, str]],
        passages: list[int] | None = None,
    ) -> None:
        self.places, self.scores = places, scores
        self.passages = passages
        """None if each has but one, or if the whole was asked."""
        self._names = names
        self._singly: list[Hit] | None = None

    @classmethod
    def none(cls) -> Hits:
        return cls([], [], lambda _: {})

    def __add__(self, other: Hits) -> Hits:
        """Both, one behind the other; of the same book."""
        passages = None
        if self.passages is not None or other.passages is not None:
            passages = [*(self.passages or [0] * len(self)), *(other.passages or [0] * len(other))]
        return Hits(self.places + other.places, self.scores + other.scores, self._names, passages)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Hit]: ...
    def __getitem__(self, at: int | slice) -> Hit | Sequence[Hit]:
        if self._singly is None:
            names, passages = self._names(self.places), self.passages or [0] * len(self)
            columns = zip(self.places, self.scores, passages, strict=True)
            # Whose id cannot be read any more has none, and nobody can be told of it.
            self._singly = [Hit(names[place], place, score, of) for place, score, of in columns if place in names]
        return self._singly[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Hits({[*self]})"


made = tuple.__new__
"""`made(Strand, (owner, ...))`: a search makes hundreds of them, and the constructor takes twice as long."""


class Strand(NamedTuple):
    """What is known of a memory that was not read: whose it is, when it was observed, how long it is, what became of it."""

    owner: tuple[str | None, ...]
    at: int
    """Microseconds since 1970: when it was observed, else when it was saved."""
    length: int
    opening: str
    """How it begins."""
    scope: str = "global"
    confidence: float | None = None
    status: str = "active"


class Page(Noun, frozen=True, kw_only=True):
    """Which slice of a listing: at most `limit`, going on behind the memory `after`."""

    limit: int
    after: str | None = None


class Signature(Noun, frozen=True, kw_only=True):
    """What an operation is signed with: everything about it but what it changes."""

    id: str
    verb: str
    actor: str
    trust: str
    surface: str
    at: datetime
    reason: str | None = None
    run: str | None = None
    reverts: tuple[str, ...] = ()


class Capabilities(Noun, frozen=True, kw_only=True):
    """What a canon can hold or do. The contract tests both answers, so green always means that the promise holds."""

    keeps_journal: bool = True
    keeps_links: bool = True
    keeps_every_field: bool = True
    concurrent_writers: bool = True
    full_text: bool = True
    purge: bool = True
    held_beside: tuple[str, ...] = ()
    """The fields of a memory that the book's own files cannot hold. They are kept in the journal beside them."""
