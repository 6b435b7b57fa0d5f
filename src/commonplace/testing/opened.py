"""An opened catalog and how to write into it: what every class of contract tests stands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commonplace.model.base import Noun
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Entity
from commonplace.seam.canon import Canon
from commonplace.testing.makers import a_signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENTITIES = {"MemoryRecord": Entity.MEMORY, "Link": Entity.LINK, "Conflict": Entity.CONFLICT, "Source": Entity.SOURCE}


class OpenedCatalog:
    """Subclass, provide `open_catalog`, and ask."""

    def open_catalog(self, where: Path) -> Canon:
        raise NotImplementedError

    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Iterator[Canon]:
        opened = self.open_catalog(tmp_path)
        yield opened
        opened.close()

    @staticmethod
    def put(catalog: Canon, *nouns: Noun) -> None:
        """Write these things, one operation each."""
        with catalog.writing(5) as draft:
            for noun in nouns:
                draft.commit(a_signature(), [(ENTITIES[type(noun).__name__], None, noun)])

    @staticmethod
    def change(catalog: Canon, before: Noun, after: Noun | None, verb: str = "archive") -> None:
        with catalog.writing(5) as draft:
            draft.commit(a_signature(verb), [(ENTITIES[type(before).__name__], before, after)])

    @staticmethod
    def embed(
        catalog: Canon, records: Sequence[MemoryRecord], vectors: Sequence[NDArray[np.float32]], model: str = "m"
    ) -> None:
        """Keep these vectors, as made of the words the records have."""
        with catalog.writing(5) as draft:
            draft.keep_vectors(model, [(r.id, r.fingerprint, v) for r, v in zip(records, vectors, strict=True)])
