"""Each verb that writes, as one thing to do to a copy of the template, and how to tell whether it was done."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commonplace import Book, CommonplaceError
from commonplace.storage.atomic_write import in_our_words

from .books import CANONS, Template, book_in, every_memory, left_unnamed, open_book, remove, what_is_wrong

Do = Callable[[Book, Template, Path], Any]
Told = list[tuple[str, str]]
"""Entries of the journal: what was done, and through which surface."""
AFTERWARDS = ("save", "library")
_undisturbed: dict[tuple[Path, str], Told] = {}
NEW = "A new statement that nobody made before."


@dataclass(frozen=True)
class WriteVerb:
    """`do` answers something JSON; `done` tells from the book and that answer whether it happened."""

    name: str
    do: Do
    done: Callable[[Book, Template, Path], bool]
    touches: tuple[int, ...] = ()
    """The memories of the template it may change, by number."""
    others: Callable[[Template], set[str]] = lambda template: set()
    """And those that have no number."""
    schemes: tuple[str, ...] = CANONS
    """Where it can be asked for at all."""

    def told(self, book: Book, template: Template) -> Told:
        """What the journal says that it did not say of the template."""
        return [(one.verb, one.surface) for one in book.journal() if one.id not in template.operations]

    def problems(self, template: Template, folder: Path, *, acknowledged: bool, went_on: bool = False) -> list[str]:
        """Open what is left, without any fault, and hold it to the contract: R1, R2, R3."""
        whole, after = self.undisturbed(template), [AFTERWARDS] if went_on else []
        try:
            with open_book(folder, timeout=2.0) as book:
                torn = self._torn(book, template, [after, [*whole, *after]])
                return torn + self._problems(book, template, folder, acknowledged)
        except CommonplaceError as cause:
            return [f"does not open again: {cause.to_dict()}"]

    def undisturbed(self, template: Template) -> Told:
        """What the journal gains when nothing comes between."""
        known = template.folder, self.name
        if known not in _undisturbed:
            folder = template.copy(template.folder.parent / "undisturbed")
            with open_book(folder) as book:
                self.do(book, template, folder)
                _undisturbed[known] = self.told(book, template)
            remove(folder)
        return _undisturbed[known]

    def _torn(self, book: Book, template: Template, allowed: list[Told]) -> list[str]:
        told = self.told(book, template)
        return [] if told in allowed else [f"TORN: the journal gained {told}, not one of {allowed}"]

    def _problems(self, book: Book, template: Template, folder: Path, acknowledged: bool) -> list[str]:
        problems = what_is_wrong(book) + left_unnamed(folder, book)
        changed = {template.ids[number] for number in self.touches} | self.others(template)
        now = every_memory(book)
        problems += [f"{id} changed" for id, was in template.truth.items() if id not in changed and now.get(id) != was]
        done = self.done(book, template, folder)
        if acknowledged and not done:
            problems.append("LOST: it was acknowledged and is not there")
        if not done and not problems:
            self.do(book, template, folder)
            if not self.done(book, template, folder):
                problems.append("it cannot be done afterwards either")
        return problems


def go_on(book: Book) -> str:
    """After the fault: the same book in the same process takes the next memory."""
    return book.save("What came after the fault.", type="project", project_id="birch", idempotency_key="afterwards").id


def _copy_is_whole(book: Book, template: Template, folder: Path) -> bool:
    """An unfinished copy has another name; what has the right name must be a whole book, of before the fault or after."""
    if not (folder / "copy").exists():
        return False
    with open_book(folder / "copy", create=False) as copy:
        assert every_memory(copy) in (template.truth, every_memory(book)), "the copy is not whole"
        assert what_is_wrong(copy) == []
    return True


def _export_is_whole(book: Book, template: Template, folder: Path) -> bool:
    if not (folder / "copy").exists():
        return False
    lines = (folder / "copy").read_bytes().splitlines()
    assert b'{"end":' in lines[-1], "the export is not whole"
    memories = sum(line.startswith(b'{"memory":') for line in lines)
    assert memories in (len(template.truth), len(every_memory(book))), "the export is not whole"
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


def _has_new_words(book: Book, _: Template, __: Path) -> bool:
    return [m.content for m in book.list(limit=500)].count(NEW) == 1


def _imported(book: Book, _: Template, __: Path) -> bool:
    return sum(record.type == "episode" for record in book.list(limit=500)) == 12


def _says(verb: str) -> Callable[[Book, Template, Path], bool]:
    """It left its entry in the journal."""
    return lambda book, template, _: any(op.id not in template.operations for op in book.journal(verb=verb))


def _waits_no_more(number: int, status: str) -> Callable[[Book, Template, Path], bool]:
    return lambda book, template, _: book.get(template.waiting[number]).status == status


def _candidate(*numbers: int) -> Callable[[Template], set[str]]:
    return lambda template: {template.waiting[number] for number in numbers}


def _with(words: str) -> Callable[[Template], set[str]]:
    """The memories of the template that say this."""
    return lambda template: {id for id, one in template.truth.items() if words in one["content"]}


def _retain(book: Book, _: Template, __: Path) -> Any:
    facts = ["W The quay was repaired.", "O(c=0.9) The tide is early this year."]
    return [one.id for one in book.retain(facts, digest=f"# Where we are\n\n{NEW}", project_id="atlas")]


def _retained(book: Book, _: Template, __: Path) -> bool:
    said = [one.content for one in book.list(limit=500)]
    return sum(NEW in one for one in said) == sum("The quay was repaired" in one for one in said) == 1


def _resolved(book: Book, template: Template, _: Path) -> bool:
    return template.conflict not in [one.id for one in book.conflicts()]


VERBS = [
    WriteVerb(
        "save",
        lambda book, template, folder: book.save(NEW, type="project", project_id="atlas", idempotency_key="new").id,
        _has_new_words,
    ),
    WriteVerb(
        "evolve",
        lambda book, template, folder: book.evolve(template.ids[1], NEW, reason="seen again").id,
        _has_new_words,
        touches=(1,),
    ),
    WriteVerb("link", lambda book, template, folder: book.link(template.ids[2], template.ids[1]).id, _is_linked),
    WriteVerb(
        "unlink",
        lambda book, template, folder: book.unlink(template.ids[22], template.ids[21], "supports").id,
        _says("unlink"),
    ),
    WriteVerb(
        "contradict",
        lambda book, template, folder: book.contradict(template.ids[7], template.ids[8], reason="one is older").id,
        _says("contradict"),
    ),
    WriteVerb(
        "resolve",
        lambda book, template, folder: book.resolve(template.conflict, loser=template.ids[20], reason="seen").id,
        _resolved,
        touches=(20,),
    ),
    WriteVerb(
        "archive",
        lambda book, template, folder: book.archive(template.ids[3]).id,
        _has_status(3, "archived"),
        touches=(3,),
    ),
    WriteVerb(
        "restore",
        lambda book, template, folder: book.restore(template.ids[18]).id,
        _has_status(18, "active"),
        touches=(18,),
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
        "confirm",
        lambda book, template, folder: book.confirm(template.waiting[0], reason="asked").id,
        _waits_no_more(0, "active"),
        others=_candidate(0),
    ),
    WriteVerb(
        "reject",
        lambda book, template, folder: book.reject(template.waiting[0], reason="not so").id,
        _waits_no_more(0, "archived"),
        others=_candidate(0),
    ),
    WriteVerb(
        "promote",
        lambda book, template, folder: len(book.promote([*template.waiting[1:3]], reason="asked")),
        _waits_no_more(2, "active"),
        others=_candidate(1, 2),
    ),
    WriteVerb(
        "inbox_edit",
        lambda book, template, folder: book.inbox_edit(template.waiting[0], NEW, reason="in other words").id,
        _waits_no_more(0, "active"),
        others=_candidate(0),
    ),
    WriteVerb(
        "inbox_merge",
        lambda book, template, folder: book.inbox_merge(template.waiting[0], template.ids[5]).id,
        _waits_no_more(0, "archived"),
        touches=(5,),
        others=_candidate(0),
    ),
    WriteVerb(
        "inbox_defer",
        lambda book, template, folder: book.inbox_defer(template.waiting[3], "2030-01-01T00:00:00Z").id,
        _says("edit"),
        others=_candidate(3),
    ),
    WriteVerb("retain", _retain, _retained, others=_with("At the harbour.")),
    WriteVerb(
        "upsert_profile_fact",
        lambda book, template, folder: book.upsert_profile_fact("editor", NEW).id,
        _has_new_words,
        others=_with("with a pencil"),
    ),
    WriteVerb(
        "write_personal",
        lambda book, template, folder: book.write_personal("Diary/Monday", NEW, authorisation="Ann: say it so").id,
        lambda book, template, folder: NEW in book.get("Diary/Monday").content,
        others=_with("Sunny."),
        schemes=("vault",),
    ),
    WriteVerb(
        "capture_session",
        lambda book, template, folder: (
            book.capture_session("We decided to moor at the north quay.", project_id="atlas").id
        ),
        _says("capture"),
    ),
    WriteVerb(
        "import_source",
        lambda book, template, folder: book.import_source("The log of the harbour master, Monday.").id,
        _says("import"),
    ),
    WriteVerb(
        "import",
        lambda book, template, folder: book.import_(str(template.other_export)).added,
        _imported,
    ),
    WriteVerb("backup", _backup, _backup_is_whole),
    WriteVerb("export", lambda book, template, folder: book.export(str(folder / "copy")).lines, _export_is_whole),
]
BY_NAME = {verb.name: verb for verb in VERBS}


def asked_of(scheme: str) -> list[WriteVerb]:
    """The verbs that a book of this canon knows."""
    return [verb for verb in VERBS if scheme in verb.schemes]


LARGE = ("evolve", "purge", "import", "backup")
"""They do the most."""

every_verb_on_every_canon = pytest.mark.parametrize(
    ("scheme", "verb"),
    [pytest.param(one, verb, id=f"{one}-{verb.name}") for one in CANONS for verb in asked_of(one)],
    indirect=["scheme"],
)
