"""A small book with every sort of thing in it, and what must be true of a book after any fault."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import commonplace
from commonplace import Book, CommonplaceError

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "iris",
    "juniper",
    "kelp",
    "lichen",
    "maple",
    "north",
    "otter",
    "pine",
    "quartz",
]


def open_book(where: Path | str, **options: Any) -> Book:
    """The book in this folder."""
    return commonplace.open(f"sqlite:{Path(where) / 'book.sqlite'}", **options)


@dataclass(frozen=True)
class Template:
    """A closed book, the truth about it, and an export of another one to import."""

    folder: Path
    truth: dict[str, dict[str, Any]]
    ids: list[str]
    operation: str
    """What made the first memory."""
    operations: int
    other_export: Path

    @classmethod
    def make(cls, where: Path) -> Template:
        folder = where / "book"
        folder.mkdir()
        with open_book(folder) as book:
            ids = furnish(book, 24)
            operation = book.history(ids[0])[0].id
            book.search("valley")  # so that nothing waits to be taken into the index
            truth, operations = every_memory(book), book.stats().operations
        return cls(folder, truth, ids, operation, operations, _other_export(where))

    def copy(self, where: Path) -> Path:
        shutil.copytree(self.folder, where, dirs_exist_ok=True)
        return where


def furnish(book: Book, number: int) -> list[str]:
    """Memories of several types with links, a chain, an archive, a conflict and something forgotten. The first few are plain."""
    ids = [
        book.save(
            f"Finding {n}: {WORDS[n % 17]} goes before {WORDS[(n * 7 + 3) % 17]} in the valley.",
            type="project",
            project_id="atlas",
            title=f"finding {n}",
            tags=(WORDS[n % 17], "field"),
            idempotency_key=f"furnish-{n}",
        ).id
        for n in range(number)
    ]
    newer = book.evolve(ids[-1], "It turned out to be the other way round.", reason="measured again").id
    book.link(ids[-2], ids[-3], "supports", evidence_ref="page 7")
    book.contradict(ids[-4], ids[-5], reason="they disagree on the order")
    book.archive(ids[-6], reason="done")
    book.forget(ids[-7], reason="mistaken")
    return [*ids, newer]


def _other_export(where: Path) -> Path:
    target = where / "other.jsonl"
    with open_book(where / "other-book") as book:
        for n in range(12):
            book.save(f"From elsewhere {n}: the {WORDS[n]} was seen twice.", type="episode")
        book.export(str(target))
    return target


def every_memory(book: Book) -> dict[str, dict[str, Any]]:
    """Everything a reader can see, by id."""
    found: dict[str, dict[str, Any]] = {}
    after = None
    while page := book.list(statuses="all", limit=500, after=after):
        found |= {record.id: record.to_dict() for record in page}
        after = page[-1].id
    return found


def what_is_wrong(book: Book) -> list[str]:
    """The findings of `verify` and of the structure check, as text."""
    found = [*book.verify().findings, *book.doctor().findings]
    return [f"{one.code}: {one.message} ({one.where})" for one in found if one.severity == "error"]


def kind_of(cause: CommonplaceError) -> str:
    return cause.kind if cause.code == cause.kind else f"{cause.kind}/{cause.code}"
