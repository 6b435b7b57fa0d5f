"""A write that takes less than it was given (R1, R2; G3): the kernel may do that at any time, and it is no error.

`strace` can answer a call but not do half of it, so here the half is done by Python's own `write`: in a child, the n-th one or
every one. Files that are written through a buffer are Python's to finish; that a disk which fills up takes only a part of what it
is given is shown in `test_disk_full.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from . import children
from .books import Template, on_each, open_warm, remove
from .children import Say
from .verbs import BY_NAME, WriteVerb, every_verb_on_every_canon

EVERY = -1


class Halves:
    """Does half of the n-th write, or of every one."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.writes = self.halved = 0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        whole = os.write, os.pwrite
        os.write, os.pwrite = self._halving(os.write), self._halving(os.pwrite)
        try:
            yield
        finally:
            os.write, os.pwrite = whole

    def _halving(self, write: Callable[..., int]) -> Callable[..., int]:
        def half(fd: int, data: bytes, *where: int) -> int:
            self.writes += 1
            if len(data) > 1 and self._number in (self.writes, EVERY):
                self.halved += 1
                data = data[: len(data) // 2]
            return write(fd, data, *where)

        return half


def _halved(verb: WriteVerb, template: Template, folder: Path, number: int) -> tuple[list[str], int]:
    """What is wrong after the n-th write of the verb was a short one, and how many were."""
    remove(folder)
    template.copy(folder)

    def work(say: Say) -> None:
        halves = Halves(number)
        with open_warm(folder, timeout=2.0) as book:
            with halves.at_work():
                verb.do(book, template, folder)
            say({"halved": halves.halved})

    said = children.run(work)
    problems = children.troubles(said)
    if not problems:
        problems += verb.problems(template, folder, acknowledged=True)
    return [f"{verb.name}, write {number}: {one}" for one in problems], said[-1].get("halved", 0)


def _halved_everywhere(verb: WriteVerb, template: Template, place: Path) -> tuple[list[str], int]:
    problems, total = _halved(verb, template, place / "struck", EVERY)
    number = 0
    while True:
        number += 1
        found, halved = _halved(verb, template, place / "struck", number)
        problems += found
        total += halved
        if not halved and not found:
            return problems, total


@on_each("names", sqlite=("save",), files=("save", "purge"))
def test_a_short_write_is_finished(template: Template, place: Path, names: tuple[str, ...]) -> None:
    for name in names:
        problems, halved = _halved_everywhere(BY_NAME[name], template, place)
        assert problems == []
        assert halved, "nothing was halved: the harness proves nothing"


@pytest.mark.nightly
@every_verb_on_every_canon
def test_a_short_write_is_finished_by_every_verb(verb: WriteVerb, template: Template, place: Path) -> None:
    assert _halved_everywhere(verb, template, place)[0] == []


def test_the_control_that_takes_a_write_for_whole_is_found_torn(place: Path) -> None:
    with (place / "lines").open("wb", buffering=0) as file, Halves(EVERY).at_work():
        os.write(file.fileno(), b"a whole line\n")
    assert (place / "lines").read_bytes() == b"a whol"
