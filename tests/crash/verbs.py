"""Each verb that writes, as one thing to do to a copy of the template, and how to tell whether it was done."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonplace import Book, CommonplaceError
from commonplace.storage.atomic_write import in_our_words

from .books import Template, book_in, every_memory, open_book, what_is_wrong

Do = Callable[[Book, Template, Path], Any]
NEW = "A new statement that nobody made before."


@dataclass(frozen=True)
class WriteVerb:
    """`do` answers something JSON; `done` tells from the book and that answer whether it happened."""

    name: str
    do: Do
    done: Callable[[Book, Template, Path], bool]
    touches: tuple[int, ...] = ()
    """The memories of the template it may change, by number."""
    entries: int = 1
    """How many entries the journal gains."""

    def problems(self, template: Template, folder: Path, *, acknowledged: bool) -> list[str]:
        """Open what is left, without any fault, and hold it to the contract: R1, R2, R3."""
        try:
            with open_book(folder, timeout=2.0) as book:
                return self._problems(book, template, folder, acknowledged)
        except CommonplaceError as cause:
            return [f"does not open again: {cause.to_dict()}"]

    def _problems(self, book: Book, template: Template, folder: Path, acknowledged: bool) -> list[str]:
        problems = what_is_wrong(book)
        changed = {template.ids[number] for number in self.touches}
        now = every_memory(book)
        problems += [f"{id} changed" for id, was in template.truth.items() if id not in changed and now.get(id) != was]
        gained = book.stats().operations - template.operations
        if gained not in (0, self.entries):
            problems.append(f"TORN: the journal gained {gained} entries, not 0 or {self.entries}")
        done = self.done(book, template, folder)
        if acknowledged and not done:
            problems.append("LOST: it was acknowledged and is not there")
        if not done and not problems:
            self.do(book, template, folder)
            if not self.done(book, template, folder):
                problems.append("it cannot be done afterwards either")
        return problems


def _copy_is_whole(_: Book, template: Template, folder: Path) -> bool:
    """An unfinished copy has another name; what has the right name must be a whole book."""
    if not (folder / "copy").exists():
        return False
    with open_book(folder / "copy", create=False) as copy:
        assert every_memory(copy) == template.truth, "the copy is not whole"
        assert what_is_wrong(copy) == []
    return True


def _export_is_whole(_: Book, template: Template, folder: Path) -> bool:
    if not (folder / "copy").exists():
        return False
    lines = (folder / "copy").read_bytes().splitlines()
    assert b'{"end":' in lines[-1], "the export is not whole"
    assert sum(line.startswith(b'{"memory":') for line in lines) == len(template.truth)
    return True


def _backup(book: Book, _: Template, folder: Path) -> Any:
    with in_our_words(str(folder / "copy")):  # part of what is struck, and no part of ours
        os.makedirs(folder / "copy", exist_ok=True)
    return book.backup(str(book_in(folder / "copy"))).verified


def _backup_is_whole(book: Book, template: Template, folder: Path) -> bool:
    return book_in(folder / "copy").exists() and _copy_is_whole(book, template, folder)


def _has_status(number: int, status: str) -> Callable[[Book, Template, Path], bool]:
    return lambda book, template, _: book.get(template.ids[number]).status == status


def _is_gone(book: Book, template: Template, _: Path) -> bool:
    return template.ids[6] not in every_memory(book)


def _is_linked(book: Book, template: Template, _: Path) -> bool:
    return any(change.id.startswith(template.ids[2]) for op in book.journal(verb="link") for change in op.changes)


def _imported(book: Book, _: Template, __: Path) -> bool:
    return sum(record.type == "episode" for record in book.list(limit=500)) == 12


VERBS = [
    WriteVerb(
        "save",
        lambda book, template, folder: book.save(NEW, type="project", project_id="atlas", idempotency_key="new").id,
        lambda book, template, folder: [m.content for m in book.list(limit=500)].count(NEW) == 1,
    ),
    WriteVerb(
        "evolve",
        lambda book, template, folder: book.evolve(template.ids[1], NEW, reason="seen again").id,
        lambda book, template, folder: [m.content for m in book.list(limit=500)].count(NEW) == 1,
        touches=(1,),
    ),
    WriteVerb("link", lambda book, template, folder: book.link(template.ids[2], template.ids[1]).id, _is_linked),
    WriteVerb(
        "archive",
        lambda book, template, folder: book.archive(template.ids[3]).id,
        _has_status(3, "archived"),
        touches=(3,),
    ),
    WriteVerb(
        "forget",
        lambda book, template, folder: book.forget(template.ids[4]).id,
        _has_status(4, "deleted"),
        touches=(4,),
    ),
    WriteVerb(
        "revert",
        lambda book, template, folder: book.revert(template.operation).id,
        _has_status(0, "deleted"),
        touches=(0,),
    ),
    WriteVerb("purge", lambda book, template, folder: book.purge(template.ids[6]).operation_id, _is_gone, touches=(6,)),
    WriteVerb(
        "import",
        lambda book, template, folder: book.import_(str(template.other_export)).added,
        _imported,
        entries=12,
    ),
    WriteVerb("backup", _backup, _backup_is_whole, entries=0),
    WriteVerb(
        "export",
        lambda book, template, folder: book.export(str(folder / "copy")).lines,
        _export_is_whole,
        entries=0,
    ),
]
BY_NAME = {verb.name: verb for verb in VERBS}
