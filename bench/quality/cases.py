"""What a retrieval set is made of: items to remember in their order, and questions whose answers are known.

A `Store` is one memory: its items are added in order, then its questions are asked. A question names the items (and the
sessions) that hold its answer; some also name the outdated and the newer statement, or both sides of a contradiction,
and some have no answer at all.
"""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Item:
    """One thing to remember, as it is handed to a system."""

    id: str
    text: str
    session: str
    when: str  # ISO 8601, or empty when the set gives no date
    role: str = ""


@dataclass(frozen=True)
class Question:
    id: str
    text: str
    category: str
    gold: frozenset[str]  # item ids; empty: nothing in the store answers it
    sessions: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()
    newer: frozenset[str] = frozenset()
    sides: tuple[frozenset[str], ...] = ()
    asked: str = ""  # when the question was asked, ISO 8601

    @property
    def answerable(self) -> bool:
        return bool(self.gold)


@dataclass(frozen=True)
class Store:
    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Cases:
    """A set in one view. `by_session` asks the runner to turn ranked items into ranked sessions."""

    name: str
    stores: tuple[Store, ...] = field(repr=False)
    by_session: bool = False


def data_folder() -> Path:
    """The folder of public sets, named by COMMONPLACE_DATA; they are evaluated with, never shipped."""
    folder = os.environ.get("COMMONPLACE_DATA")
    if not folder:
        raise SystemExit(
            "Set COMMONPLACE_DATA to the folder that holds locomo/, longmemeval/, beam_100k/ and scifact/."
        )
    return Path(folder)


def lines(*parts: str) -> Iterator[dict[str, Any]]:
    with lzma.open(data_folder().joinpath(*parts), "rt", encoding="utf-8") as packed:
        yield from map(json.loads, packed)


def sessions_of(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The same memory with one item per session: its messages joined, line by line."""
    held: dict[str, list[Item]] = {}
    for item in items:
        held.setdefault(item.session, []).append(item)
    return tuple(
        Item(session, "\n".join(item.text for item in group), session, group[0].when) for session, group in held.items()
    )


def in_sessions(cases: Cases, name: str) -> Cases:
    """The session view of a set told in turns."""
    stores = tuple(
        Store(store.name, sessions_of(store.items), tuple(_about_sessions(q) for q in store.questions))
        for store in cases.stores
    )
    return Cases(name, stores)


def _about_sessions(question: Question) -> Question:
    return Question(
        question.id, question.text, question.category, question.sessions, question.sessions, asked=question.asked
    )
