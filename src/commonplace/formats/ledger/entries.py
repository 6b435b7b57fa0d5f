"""Which lines speak of the same memory? Those that name its id; without ids, those that say the same words.

A memory's key in the file is its id, or the fingerprint of its words where no line names an id. Neither moves when lines
are appended, and a statement that is retained again is the same entry once more, not a second one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from commonplace.formats.ledger.lines import Item, Line, Spot
from commonplace.model.fingerprint import fingerprint
from commonplace.model.hashing import sha256
from commonplace.model.retain_line import understand_line
from commonplace.model.words import Scope, Status
from commonplace.seam.format import Found


class Entry:
    """One memory as the lines tell it."""

    def __init__(self, key: str, item: Item, at: datetime | None) -> None:
        self.key, self.id = key, item.id
        self.text, self.status = item.text, item.status
        self.first = self.last = at
        self.times = 1
        self.spots: list[tuple[int, Spot]] = []

    def again(self, item: Item, at: datetime | None) -> None:
        """A later line counts: for its words, and for whether the statement is retained by now (row 30)."""
        if item.id is not None:
            self.text = item.text
        self.status = item.status if item.status is not None and self.status is not None else None
        self.last = at or self.last
        self.times += 1

    def found(self) -> Found:
        return Found(self.key, sha256(self.text.encode()), self._fields())

    def _fields(self) -> dict[str, Any]:
        fields = word_fields(self.text) | {
            "id": self.id,
            "occurrences": self.times,
            "created_at": self.first,
            "observed_at": self.last,
            "status": self.status if self.status is None or self.status in tuple(Status) else Status.INBOX,
        }
        return {name: value for name, value in fields.items() if value is not None}


class _Anything:
    """Equal to whatever it is compared with."""

    def __eq__(self, _: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


ANYTHING = _Anything()
BY_LINES = ("occurrences", "created_at", "observed_at", "status")
"""What the lines around a statement tell of it. The book knows it better: editing the words must not change it."""


def word_fields(text: str) -> dict[str, Any]:
    """What a statement's own words say of it."""
    said = understand_line(text)
    fields = {"content": text, "type": said.type, "kind": said.kind, "scope": Scope.GLOBAL, "tags": said.entities}
    return fields if said.confidence is None else {**fields, "confidence": said.confidence}


def entries_of(lines: Iterable[Line]) -> list[Entry]:
    """Every memory, in the order in which the ledger first speaks of it."""
    known: dict[str, Entry] = {}
    by_words: dict[str, Entry] = {}
    for line in lines:
        for spot, item in line.items():
            words = words_key(item.text)
            entry = known.get(item.id) if item.id else by_words.get(words)
            if entry is None:
                entry = known[item.id or words] = Entry(item.id or words, item, line.at)
            else:
                entry.again(item, line.at)
            by_words.setdefault(words, entry)
            entry.spots.append((line.number, spot))
    return [*known.values()]


def words_key(text: str) -> str:
    return f"words-{fingerprint(text).removeprefix('sha256:')[:32]}"
