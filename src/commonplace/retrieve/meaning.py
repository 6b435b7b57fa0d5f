"""Questions as vectors: each made once, and never waited for twice when the embedder is down."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from commonplace.errors import CommonplaceError, UnavailableError
from commonplace.retrieve.understand import is_common

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commonplace.seam.embedder import Models, Reranker, Vector, Vectors

# Who was just asked in vain is not asked again so soon: a search must not wait each time for a server that is down.
_REST_SECONDS = 30.0
_KEPT = 64
ORDINARY = (0.75, 0.03)
"""Mean and spread of the nearness of anything to a question, by a model that does not tell its own. In a book of a handful of
memories nobody can say what is ordinary; there this is."""


class Asked(NamedTuple):
    """A question as a vector, and the model that made it; each of its words too, if that model can."""

    model: str
    vector: Vector
    words: Sequence[str] = ()
    states: Vectors | None = None
    ordinary: tuple[float, float] = ORDINARY

    @property
    def telling(self) -> list[int]:
        """Which of its words say what it asks for."""
        return [at for at, word in enumerate(self.words) if word.isalnum() and not is_common(word)]


class Meaning:
    """The models of one opened book, as a search uses them."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._known: OrderedDict[str, Asked] = OrderedDict()
        self._failed: tuple[float, str] | None = None

    def model(self) -> str | None:
        """Which model would be asked; None if there is none. Raises if the settings name one that cannot be."""
        embedder = self._models.embedder()
        return embedder.model if embedder else None

    def of(self, text: str) -> Asked:
        """The question's vector. Raises `UnavailableError` when it cannot be made now."""
        known = self._known.pop(text, None)
        if known is not None:  # out and in again: it is the newest now, and another thread cannot find it half gone
            self._known[text] = known
            return known
        made = self._known[text] = self._made(text)
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return made

    def answers(self) -> bool:
        """Is the embedder there? For who wants to hand it more while somebody waits: who hangs is waited for once."""
        try:
            self._made("is anybody there?")
        except CommonplaceError:
            return False
        return True

    def _made(self, text: str) -> Asked:
        self._check_rested()
        embedder = self._models.embedder()
        if embedder is None:
            raise UnavailableError("there is no embedder", code="no_model")
        try:
            ordinary = getattr(embedder, "ordinary", ORDINARY)
            if by_words := getattr(embedder, "query_by_words", None):
                vector, words, states = by_words(text)
                return Asked(embedder.model, vector, words, states, ordinary)
            return Asked(embedder.model, embedder.query(text), ordinary=ordinary)
        except CommonplaceError as cause:
            if cause.code != "refused":  # one question that it does not take says nothing about the others
                self._failed = (time.monotonic(), cause.message)
            raise

    def reranker(self) -> Reranker | None:
        return self._models.reranker()

    def _check_rested(self) -> None:
        if self._failed and time.monotonic() - self._failed[0] < _REST_SECONDS:
            raise UnavailableError(f"the embedder failed a moment ago: {self._failed[1]}")
        self._failed = None
