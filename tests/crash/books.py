"""A small book with every sort of thing in it, on any canon, and what must be true of a book after any fault.

Which canon is asked for is set once per test (`use`): the faults themselves know nothing of it. Children are forked, so they
ask for the same one.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace import Book, CommonplaceError
from commonplace.catalog.sqlite.derived import CatalogHome
from commonplace.storage.atomic_write import is_partial

IN_FILES = ("jsonl", "ledger", "vault")
CANONS = ("sqlite", *IN_FILES)
_asked = {"scheme": "sqlite"}

on_every_canon = pytest.mark.parametrize("scheme", CANONS, indirect=True)
on_file_canons = pytest.mark.parametrize("scheme", IN_FILES, indirect=True)

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


def on_each(name: str, *, sqlite: Any, files: Any) -> pytest.MarkDecorator:
    """Every canon, with one size for the database and another for each canon of files."""
    sizes = [("sqlite", sqlite), *((scheme, files) for scheme in IN_FILES)]
    return pytest.mark.parametrize(("scheme", name), sizes, indirect=["scheme"])


def use(scheme: str) -> None:
    """From here on books are of this canon."""
    _asked["scheme"] = scheme


def in_files() -> bool:
    return _asked["scheme"] != "sqlite"


def book_in(where: Path | str) -> Path:
    """What the book in this folder is: a file, or a folder of files."""
    return Path(where) / ("book" if in_files() else "book.sqlite")


def url_in(where: Path | str) -> str:
    return f"{_asked['scheme']}:{book_in(where)}"


def open_book(where: Path | str, **options: Any) -> Book:
    """The book in this folder."""
    return commonplace.open(url_in(where), **options)


def open_warm(where: Path | str, **options: Any) -> Book:
    """The same, with a catalog that has caught up: what is done next does only its own work."""
    book = open_book(where, **options)
    if in_files():
        book.list(limit=1)
    return book


def keep_catalogs_in(folder: Path) -> None:
    """On which disk the catalogs of file books lie; the test's own fixture puts them back."""
    os.environ["XDG_CACHE_HOME"] = str(folder)


def forget_catalog(where: Path | str) -> None:
    """Another book is about to stand where one stood."""
    books = os.path.join(os.environ["XDG_CACHE_HOME"], "commonplace", "books")
    shutil.rmtree(CatalogHome(books, str(book_in(where)), 1.0).place, ignore_errors=True)


def remove(where: Path) -> None:
    """The book and all that belongs to it, also a copy that was made of it."""
    shutil.rmtree(where, ignore_errors=True)
    forget_catalog(where)
    forget_catalog(where / "copy")


@dataclass(frozen=True)
class Template:
    """A closed book, the truth about it, and an export of another one to import."""

    folder: Path
    truth: dict[str, dict[str, Any]]
    ids: list[str]
    operation: str
    """What made the first memory."""
    operations: tuple[str, ...]
    """The journal, by the ids of its entries."""
    waiting: list[str]
    """What agents proposed, and nobody has answered yet."""
    conflict: str
    other_export: Path

    @classmethod
    def make(cls, where: Path) -> Template:
        folder = where / "book"
        folder.mkdir()
        waiting = _propose(folder)
        with open_book(folder) as book:
            ids = furnish(book, 24)
            _say_of_the_person(book, folder)
            operation = book.history(ids[0])[0].id
            book.search("valley")  # so that nothing waits to be taken into the index
            truth, conflict = every_memory(book), book.conflicts()[0].id
            operations = tuple(one.id for one in book.journal())
        return cls(folder, truth, ids, operation, operations, waiting, conflict, _other_export(where))

    def copy(self, where: Path) -> Path:
        forget_catalog(where)
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


def _propose(folder: Path) -> list[str]:
    """What an agent says of the person waits for the person's word."""
    with open_book(folder, actor="agent:scout") as book:
        return [
            book.save(f"The person likes {word} best.", type="profile", evidence_ref=f"page {n}").id
            for n, word in enumerate(WORDS[:4])
        ]


def _say_of_the_person(book: Book, folder: Path) -> None:
    """A page, a fact, and in a vault a note that is the person's own."""
    book.retain(["N The harbour is closed on Sundays."], digest="# Where we are\n\nAt the harbour.", project_id="atlas")
    book.upsert_profile_fact("editor", "The person writes with a pencil.")
    if _asked["scheme"] == "vault":
        note = book_in(folder) / "Diary" / "Monday.md"
        note.parent.mkdir()
        note.write_text("---\nmood: fine # a comment\n---\n# Monday\n\nSunny.\n")
        book.get("Diary/Monday")


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


def left_unnamed(where: Path, book: Book) -> list[str]:
    """Unfinished files that doctor does not tell of; and copies of our own that nobody else was in the way of."""
    named = " ".join(str(one.where) for one in book.doctor().findings)
    files = [path for path in book_in(where).rglob("*") if path.is_file()] if in_files() else []
    unnamed = [f"left and not named: {path.name}" for path in files if is_partial(path.name) and path.name not in named]
    return unnamed + [f"a copy of nobody's: {path.name}" for path in files if "conflicted copy" in path.name]


def kind_of(cause: CommonplaceError) -> str:
    return cause.kind if cause.code == cause.kind else f"{cause.kind}/{cause.code}"
