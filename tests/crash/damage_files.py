"""Damage to a book in files: which bytes can be hit, and what a reader is told afterwards.

In a file that people edit, a flipped byte cannot be told from a person's edit. So it is honoured as one: the memory says
what the file says, the journal tells of an edit, and what was there before can be seen and brought back. Bytes of the
journal are ours alone: there damage is found. The catalog is derived: it is made anew, and all answers are the same.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from commonplace import Book, CommonplaceError
from commonplace.catalog.sqlite.derived import CatalogHome

from . import children
from .books import book_in, forget_catalog, open_book
from .children import Say

Truth = dict[str, dict[str, Any]]


@dataclass
class FileVerdict:
    """What a damaged book in files answered."""

    refused: str | None = None
    wrong: list[str] = field(default_factory=list)
    """Other content than was saved, and the journal tells of no edit that made it so."""
    told: list[str] = field(default_factory=list)
    """Other content, as the journal tells; what was there before can still be had."""
    missing: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)

    @property
    def is_noticed(self) -> bool:
        return bool(self.refused or self.errors or self.findings or self.verified)


def own_files(folder: Path) -> dict[str, bytes]:
    """What the format itself keeps, and people edit."""
    book = book_in(folder)
    found = (path for path in sorted(book.rglob("*")) if path.is_file() and ".commonplace" not in path.parts)
    return {str(path.relative_to(book)): path.read_bytes() for path in found}


def journal_in(folder: Path) -> Path:
    return next((book_in(folder) / ".commonplace").glob("journal-*.jsonl"))


def catalog_of(folder: Path) -> Path:
    books = os.path.join(os.environ["XDG_CACHE_HOME"], "commonplace", "books")
    return Path(CatalogHome(books, str(book_in(folder)), 1.0).path)


def any_byte(paths: Iterable[Path], rng: random.Random) -> tuple[Path, int]:
    """One byte of one of these files, each byte as likely as any other."""
    sizes = [(path, path.stat().st_size) for path in sorted(paths)]
    offset = rng.randrange(sum(size for _, size in sizes))
    for path, size in sizes:
        if offset < size:
            return path, offset
        offset -= size
    raise AssertionError("there are fewer bytes than were counted")


def flip(path: Path, offset: int, bits: int) -> str:
    data = bytearray(path.read_bytes())
    data[offset] ^= bits
    path.write_bytes(data)
    return f"{path.name}: byte {offset} ^ {bits}"


def cut(path: Path, offset: int) -> str:
    with path.open("r+b") as file:
        file.truncate(offset)
    return f"{path.name}: cut at {offset}"


def let_settle(folder: Path) -> None:
    """Damage is seldom found in the second in which it happens: an unfinished last line would still be waited for."""
    for name in own_files(folder):
        path = book_in(folder) / name
        found = path.stat()
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns - 60 * 10**9))


def look(folder: Path, truth: Truth, whole: dict[str, bytes] | None = None) -> FileVerdict:
    """As a reader would, in a process of its own. What became `whole` again, to the last byte, was mended, not touched: the end
    of the last change, which may as well have been torn off when it was written."""
    before = own_files(folder)
    said = children.run(lambda say: _look(folder, truth, say))
    after = own_files(folder)
    changed = (name for name in {*before, *after} if before.get(name) != after.get(name))
    touched = sorted(name for name in changed if not whole or whole.get(name) != after.get(name))
    verdict = FileVerdict(troubles=children.troubles(said), touched=touched)
    for line in said:
        for name, value in line.items():
            if hasattr(verdict, name):
                setattr(verdict, name, value)
    return verdict


def _look(folder: Path, truth: Truth, say: Say) -> None:
    found: dict[str, list[str]] = {"wrong": [], "told": [], "missing": [], "errors": []}
    try:
        with open_book(folder, create=False, timeout=2.0) as book:
            for id, was in truth.items():
                kind = _compared(book, id, was)
                if kind != "served":
                    found[kind].append(id)
            say({**found})
            say({"verified": [one.code for one in book.verify().findings]})
            say({"findings": [one.code for one in book.doctor(full=True).findings]})
    except CommonplaceError as cause:
        say({"refused": cause.kind})


def _compared(book: Book, id: str, was: dict[str, Any]) -> str:
    try:
        if book.get(id).to_dict() == was:
            return "served"
        edits = [one for one in book.history(id) if one.surface == "files"]
        earlier = book.get(id, as_of=edits[-1].at - timedelta(microseconds=1)) if edits else None
    except CommonplaceError as cause:
        return "missing" if cause.kind == "not_found" else "errors"
    return "told" if earlier is not None and earlier.to_dict() == was else "wrong"


class Warm:
    """A book whose catalog is up to date, and can be put back as it was however often it was harmed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.catalog, self.journal = folder, catalog_of(folder), journal_in(folder)
        with open_book(folder) as book:
            book.list(limit=1)
        self._kept = self.catalog.read_bytes()
        self._said = self.journal.read_bytes()

    def put_back(self) -> None:
        forget_catalog(self.folder)
        self.catalog.parent.mkdir(parents=True)
        self.catalog.write_bytes(self._kept)
        self.journal.write_bytes(self._said)


def fresh_copy(template_folder: Path, where: Path) -> Path:
    shutil.rmtree(where, ignore_errors=True)
    forget_catalog(where)
    shutil.copytree(template_folder, where)
    return where
