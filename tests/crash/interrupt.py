"""The loop that kills: start a writer, let it get some way, stop it at a random moment, look at what is left.

It knows nothing of what it kills. A `Subject` is a store to write to and a way to check it; books and broken stores are
both subjects, and the loop treats them alike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from commonplace import Book

from .books import open_book, remove, what_is_wrong
from .children import Child, Said, Say
from .mounts import Disk
from .workload import Account, Writer

STEPS = 40  # a writer that outlives its killer by accident stops by itself


class Subject(Protocol):
    acknowledged: int

    def work(self, seed: int, say: Say) -> None:
        """Runs in the child: write, and say `ack` with the moment after each acknowledged write."""
        ...

    def check(self, said: list[Said], before: int | None) -> list[str]:
        """Runs in the parent: what is lost, torn or wrong. Acknowledgements after `before` may be lost."""
        ...


def interrupt(
    work: Callable[[Say], object], rng: random.Random, *, cut: Callable[[], int] | None = None, fewest: int = 0
) -> tuple[list[Said], int | None]:
    """One round: what it said, and the moment of the cut. How far it gets is counted in acknowledgements, not in time, so
    that a busy machine interrupts the same places."""
    child = Child(work)
    acks = fewest + rng.randrange(9)
    try:
        child.listen(lambda said: sum("ack" in line for line in said) >= acks, 10.0)
        time.sleep(rng.random() ** 2 * 0.006)
        moment = cut() if cut else None
        return child.kill(), moment
    finally:
        child.close()


def kill_again_and_again(subject: Subject, rng: random.Random, kills: int) -> list[str]:
    problems: list[str] = []
    for n in range(kills):
        seed = rng.randrange(1 << 40)
        said, _ = interrupt(lambda say, seed=seed: subject.work(seed, say), rng)
        problems += [f"kill {n}: {problem}" for problem in subject.check(said, None)]
    return problems


def cut_again_and_again(
    subject: Subject, disk: Disk, rng: random.Random, cuts: int, *, fewest: int = 0
) -> list[list[str]]:
    """For each power cut, what was wrong after it."""
    problems = []
    for _ in range(cuts):
        seed = rng.randrange(1 << 40)
        said, moment = interrupt(lambda say, seed=seed: subject.work(seed, say), rng, cut=disk.cut, fewest=fewest)
        disk.restart()
        problems.append(subject.check(said, moment))
    return problems


class BookUnderFire:
    """A book as a subject: every round is settled against the book's own answers, and verified."""

    def __init__(self, where: Path, *, rotate: int = 12) -> None:
        self._where, self._rotate = where, rotate
        self._round = 0
        self._account = Account()
        self.acknowledged = self.retried = 0

    @property
    def folder(self) -> Path:
        """A fresh book every so many rounds: kills also fall into creation, and `verify` stays quick."""
        return self._where / f"book-{self._round // self._rotate}"

    def work(self, seed: int, say: Say) -> None:
        Writer(self.folder, seed, say).run(STEPS)

    def check(self, said: list[Said], before: int | None) -> list[str]:
        opened = time.monotonic()
        with open_book(self.folder, timeout=2.0) as book:
            problems = self._settle(book, said, before)
        if time.monotonic() - opened > 10:
            problems.append("the book took longer than 10 seconds to come back")
        if self._round % self._rotate == self._rotate - 1:
            self.retried += self._account.under_way
            self._account = Account()
            remove(self.folder)
        self._round += 1
        return problems

    def _settle(self, book: Book, said: list[Said], before: int | None) -> list[str]:
        account, earlier = self._account, self._account.acknowledged
        problems = account.settle(book, said, before)
        self.acknowledged += account.acknowledged - earlier
        problems += account.retry(book, said)
        if self._round % 4 == 3:
            problems += account.compare_all(book) + what_is_wrong(book)
        return problems
