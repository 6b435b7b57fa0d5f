"""The plain things that pass through the seam. Apart from the promises, so that a reader need not load those."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

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


made = tuple.__new__
"""`made(Hit, (id, place, score, passage))`: a search makes hundreds of hits, and the constructor takes twice as long."""


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
