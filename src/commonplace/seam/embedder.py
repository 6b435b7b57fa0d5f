"""What is promised by whatever turns text into vectors, and by whatever reads a question and a passage together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from commonplace.seam.terms import Progress

    Vector = npt.NDArray[np.float32]
    """One row of numbers, of length one."""

    Vectors = npt.NDArray[np.float32]
    """One such row for each text, in the order of the texts."""


class Embedder(Protocol):
    """Turns text into vectors whose product is nearness.

    Asking for `model` is free. The first vector may be dear: only then is a model loaded or a server called. Any text is
    legal, the empty one too; what is longer than `max_tokens` is cut. Safe to use from several threads. What cannot be
    done raises `UnavailableError` in bounded time: there is never a made-up vector.
    """

    @property
    def model(self) -> str:
        """Which model in which variant: kept with every vector, because vectors of different models must not be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has. A server that was not told may be asked for it, once."""
        ...

    @property
    def max_tokens(self) -> int:
        """How much of a text is read, in the model's own word pieces."""
        ...

    def documents(self, texts: Sequence[str]) -> Vectors:
        """What is to be found: one unit row for each text."""
        ...

    def query(self, text: str) -> Vector:
        """What is asked: one unit vector. Several models treat a question otherwise than a document."""
        ...


class ByWords(Embedder, Protocol):
    """An embedder that can also say what each word of a question means in it. Who cannot is not asked."""

    def query_by_words(self, text: str) -> tuple[Vector, list[str], Vectors]:
        """`query`; the question's words in lower case, marks too; one unit row for each of them."""
        ...


class Reranker(Protocol):
    """Reads a question and a passage together and says how well the one answers the other. The same promises hold."""

    @property
    def model(self) -> str:
        """Which model in which variant."""
        ...

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One raw number for each passage, higher is better; it depends on the question and that passage alone."""
        ...


class Judge(Reranker, Protocol):
    """A reranker of ours that also knows when it knows. Of one that says nothing of it, and of one that a caller brings, the
    usual is assumed."""

    @property
    def least(self) -> float:
        """What it answers with less than this is no worse than any other passage that does not fit."""
        ...

    @property
    def knows_absence(self) -> bool:
        """Does its best answer tell whether there is an answer at all? Then a yes is above nought, and a no below."""
        ...


class Models(Protocol):
    """The models a book may use. Asking for one never waits for a network, and None means that everything works on words."""

    def embedder(self) -> Embedder | None: ...

    def reranker(self) -> Reranker | None: ...

    def fetch(self, progress: Progress | None = None) -> bool:
        """Bring the default models here if there are none and the settings allow it. False if that was not asked for."""
        ...
