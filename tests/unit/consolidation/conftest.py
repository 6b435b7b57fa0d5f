"""What these tests share: ways to say something through each channel, and to look at everything but when it was touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from commonplace import Book
from commonplace.model.base import Noun
from commonplace.model.record import MemoryRecord
from commonplace.testing.makers import a_memory, a_signature
from commonplace.testing.opened import ENTITIES
from commonplace.testing.state import nouns_of

Say = Callable[..., MemoryRecord]
STATEMENT: dict[str, Any] = {"type": "project", "project_id": "p", "scope": "project"}


def keep(book: Book, *nouns: Noun) -> None:
    """Put these into the book behind its verbs' back, as an extraction or an older version may have left them."""
    with book._scribe.canon.writing(5) as draft:
        for noun in nouns:
            draft.commit(a_signature(), [(ENTITIES[type(noun).__name__], None, noun)])


@pytest.fixture
def heard(book: Book) -> Say:
    """A candidate in the inbox, heard in some session."""

    def say(content: str, source: str = "session-1", **fields: Any) -> MemoryRecord:
        told: dict[str, Any] = {**STATEMENT, "status": "inbox", "trust": "extracted", "source_ref": source, **fields}
        record = a_memory(content, **told)
        keep(book, record)
        return record

    return say


@pytest.fixture
def known(book: Book) -> Say:
    """Something the operator said."""
    return lambda content, **fields: book.save(content, **{**STATEMENT, **fields})


@pytest.fixture
def looks() -> Callable[[Book], dict[str, Any]]:
    """What the book holds, but for when it was last touched: a revert is a touch too."""

    def look(book: Book) -> dict[str, Any]:
        with book._scribe.canon.reading() as view:
            held = nouns_of(view)
        for record in held["memory"]:
            record["updated_at"] = None
        return held

    return look
