"""Ctrl-C at any moment of a write (row 7; R5): nothing half done, no lock left, and the same book goes on.

A signal turns into an exception between any two lines of Python. So one is raised at each line that a save runs through,
one after the other; `kill -INT` alone would hit the dangerous ones once in a hundred times.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from commonplace import Book, CommonplaceError

from . import children
from .books import Template, every_memory, on_file_canons, open_book, open_warm, remove, what_is_wrong
from .children import Say
from .lines import Interrupter
from .verbs import BY_NAME, WriteVerb

FILES = ("canon.py", "turnstile.py", "connection.py", "scribe.py", "migrations.py", "locks/kernel.py")
# And where the change of a file book is staged, said and done.
STEPS = (
    *("putting_down.py", "recovery.py", "steps.py", "journal_file.py", "mutex.py", "locks/flocked.py", "swap.py"),
    *("append.py", "atomic_write.py", "folders.py"),
)


def _goes_on(book: Book, folder: Path, name: str) -> list[str]:
    """Another process and this one can both write at once, and what they write is there."""
    problems = []
    for who, use in (("this process", book), ("another book", open_book(folder, timeout=0.5))):
        try:
            use.save(f"{who} after {name}", type="project", project_id="atlas")
        except CommonplaceError as cause:
            problems.append(f"{who} was told {cause.kind}/{cause.code}")
        if use is not book:
            use.close()
    return problems


VERBS = pytest.mark.parametrize("verb", [BY_NAME["save"], BY_NAME["purge"]], ids=lambda verb: verb.name)


@VERBS
def test_an_interrupt_at_any_line_of_a_write_leaves_no_lock_and_nothing_half_done(
    place: Path, template: Template, verb: WriteVerb
) -> None:
    _interrupt_everywhere(place, template, verb)


@VERBS
@on_file_canons
def test_an_interrupt_at_some_lines_of_a_write_to_files_leaves_no_lock_and_nothing_half_done(
    place: Path, template: Template, verb: WriteVerb, rng: random.Random
) -> None:
    every = {"save": 29, "purge": 83}[verb.name]
    _interrupt_everywhere(place, template, verb, first=rng.randrange(every), every=every)


@VERBS
@on_file_canons
@pytest.mark.nightly
def test_an_interrupt_at_any_line_of_a_write_to_files_leaves_no_lock_and_nothing_half_done(
    place: Path, template: Template, verb: WriteVerb
) -> None:
    _interrupt_everywhere(place, template, verb)


def _interrupt_everywhere(place: Path, template: Template, verb: WriteVerb, *, first: int = 0, every: int = 1) -> None:
    def work(say: Say) -> None:
        at, interrupted = first + 1 - every, 0
        while True:
            at += every
            folder = template.copy(place / f"{verb.name}-{at}")
            with open_warm(folder, timeout=0.5) as book:
                interrupter = Interrupter(at, (*FILES, *STEPS))
                if not interrupter.run(lambda book=book, folder=folder: verb.do(book, template, folder)):
                    break
                interrupted += 1
                problems = _goes_on(book, folder, str(at)) + what_is_wrong(book)
                missing = template.truth.keys() - every_memory(book).keys() - {template.ids[6]}
            remove(folder)
            if problems or missing:
                say({"at": interrupter.where, "problems": problems, "missing": sorted(missing)})
        say({"lines": interrupted})

    said = children.run(work, timeout=600.0)
    assert children.troubles(said) == []
    print(f"interrupted at {said[-1]['lines']} lines")
    assert said[-1]["lines"] > 30 / every
    assert said[:-1] == []


def test_the_control_with_a_lock_outside_of_its_try_is_found_locked(place: Path) -> None:
    """The usual way to write it: taken, then `try`. One line lies between."""
    import threading

    lock = threading.Lock()
    code = compile(
        "def write(lock):\n    taken = lock.acquire(timeout=1)\n    try:\n        pass\n    finally:\n        lock.release()\n",
        "canon.py",
        "exec",
    )
    space: dict[str, Any] = {}
    exec(code, space)
    stuck = 0
    for at in range(1, 6):
        Interrupter(at, (*FILES, *STEPS)).run(lambda: space["write"](lock))
        if lock.locked():
            stuck += 1
            lock.release()
    assert stuck
