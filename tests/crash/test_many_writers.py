"""Many processes, one book (rows 57, 65, 67, 73, 74; R5; G7): nothing lost, nothing twice, in order, a turn for everyone."""

from __future__ import annotations

import json
import os
import random
import time
from bisect import bisect
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError

from . import children
from .books import Template, every_memory, on_each, on_every_canon, open_book, what_is_wrong
from .broken import append_without_a_lock
from .children import Child, Said, Say


def at_once(work: Callable[[int, Say], None], number: int, timeout: float = 120.0) -> list[list[Said]]:
    """Start so many children, let them all go at the same moment, and return what each said."""
    gate, let_go = os.pipe()

    def wait_then_work(n: int, say: Say) -> None:
        os.close(let_go)
        os.read(gate, 1)
        work(n, say)

    running = [Child(lambda say, n=n: wait_then_work(n, say)) for n in range(number)]
    os.close(gate)
    os.close(let_go)
    said = [child.finish(timeout) for child in running]
    for child in running:
        child.close()
    return said


def _troubles(said: list[list[Said]]) -> list[str]:
    return [trouble for lines in said for trouble in children.troubles(lines)]


PATIENCE_SECONDS, PATIENCE_TURNS = 5.0, 25
"""Somebody is passed over who waits for longer than this while each of the others has more turns than this. One alone says less:
on a slow machine few turns take long, and on a busy one a process may sleep for many quick ones before it stands in the queue."""


class Crowd:
    """N processes that each write M memories and, in between, do other things to them."""

    def __init__(self, where: Path, writers: int, writes: int, seed: int) -> None:
        self._where, self._writers, self._writes, self._seed = where, writers, writes, seed

    def run(self) -> list[list[Said]]:
        return at_once(self._write, self._writers, timeout=60 + self._writers * self._writes * 0.1)

    def _write(self, n: int, say: Say) -> None:
        rng, turns = random.Random(self._seed * 1000 + n), []
        with open_book(self._where, actor=f"writer-{n}", timeout=30.0) as book:
            mine: list[str] = []
            for k in range(self._writes):
                asked = time.monotonic_ns()
                mine.append(book.save(f"Writer {n} says {k}.", type="project", project_id="atlas").id)
                turns.append((asked, time.monotonic_ns()))
                if rng.random() < 0.1:
                    _do_something(book, mine, rng)
        say({"saved": mine, "turns": turns})

    def check(self, said: list[list[Said]]) -> None:
        assert _troubles(said) == []
        saved = [lines[-1]["saved"] for lines in said]
        with open_book(self._where) as book:
            self._check_content(every_memory(book))
            self._check_order(book, saved)
            assert what_is_wrong(book) == []
        self._check_turns([lines[-1]["turns"] for lines in said])

    def _check_turns(self, turns: list[list[tuple[int, int]]]) -> None:
        """While one waits, each of the others has its turn a few times; nobody is passed over (R5, row 67)."""
        done = sorted(end for one in turns for _, end in one)
        waits = [
            ((end - asked) / 1e9, bisect(done, end) - bisect(done, asked) - 1) for one in turns for asked, end in one
        ]
        seconds, passed = (max(column) for column in zip(*waits, strict=True))
        print(f"longest wait {seconds:.3f} s; at most {passed} turns of others while one waited")
        most = PATIENCE_TURNS * self._writers
        assert not [wait for wait in waits if wait[0] > PATIENCE_SECONDS and wait[1] > most], "somebody was passed over"

    def _check_content(self, memories: dict[str, dict]) -> None:
        times = Counter(one["content"] for one in memories.values())
        expected = {f"Writer {n} says {k}." for n in range(self._writers) for k in range(self._writes)}
        assert expected <= times.keys(), f"LOST: {len(expected - times.keys())}"
        assert [text for text in expected if times[text] != 1] == [], "written twice"

    def _check_order(self, book: Book, saved: list[list[str]]) -> None:
        """The journal has each process's saves in the order in which that process made them."""
        order: dict[str, list[str]] = {}
        for operation in book.journal(verb="save", limit=10**7):
            made = [change.id for change in operation.changes if change.entity == "memory"]
            order.setdefault(operation.actor, []).extend(made)
        for n, ids in enumerate(saved):
            assert order[f"writer-{n}"] == ids


def _do_something(book: Book, mine: list[str], rng: random.Random) -> None:
    id = rng.choice(mine)
    try:
        verb = rng.choice(("archive", "forget", "restore", "link", "evolve", "read"))
        if verb == "link" and id != mine[0]:
            book.link(id, mine[0], "supports")
        elif verb == "evolve":
            book.evolve(id, f"Said otherwise: {rng.random()}", reason="changed")
        elif verb in ("archive", "forget", "restore"):
            getattr(book, verb)(id)
        else:
            book.get(id)
            book.list(limit=5)
    except CommonplaceError as cause:
        if cause.kind not in ("conflict", "stale"):
            raise


@on_each("writes", sqlite=(8, 200), files=(4, 50))
def test_processes_that_write_at_once_lose_nothing(place: Path, seed: int, writes: tuple[int, int]) -> None:
    crowd = Crowd(place, *writes, seed)
    crowd.check(crowd.run())


@pytest.mark.nightly
@on_every_canon
@pytest.mark.parametrize("round", range(3))
def test_32_processes_with_1_000_writes_each_lose_nothing(place: Path, seed: int, round: int) -> None:
    crowd = Crowd(place, 32, 1_000, seed + round)
    crowd.check(crowd.run())


def test_the_control_without_a_lock_loses_updates(place: Path) -> None:
    file = place / "notes.json"

    def write(n: int, say: Say) -> None:
        for k in range(40):
            append_without_a_lock(file, f"{n}-{k}")
        say({"saved": 40})

    said = at_once(write, 8)
    assert [lines[-1] for lines in said] == [{"saved": 40}] * 8, "every one of them was told that all is well"
    assert len(set(json.loads(file.read_text(encoding="utf-8")))) < 320


@on_every_canon
@pytest.mark.parametrize("number", [3, 10, 25, 50])
def test_processes_that_start_at_once_on_an_empty_folder_make_one_book(place: Path, number: int) -> None:
    def start(n: int, say: Say) -> None:
        with open_book(place / "new", timeout=30.0) as book:
            book.save(f"Number {n} was here.", type="project", project_id="atlas")
            say({"book": book.id})

    said = at_once(start, number)
    assert _troubles(said) == []
    assert len({lines[-1]["book"] for lines in said}) == 1
    with open_book(place / "new") as book:
        assert len(every_memory(book)) == number
        assert what_is_wrong(book) == []
    assert [path.name for path in (place / "new").rglob("*") if ".new-" in path.name or ".partial-" in path.name] == []


@on_every_canon
def test_the_same_key_sent_by_many_at_once_saves_once(place: Path) -> None:
    open_book(place).close()

    def send(n: int, say: Say) -> None:
        with open_book(place, timeout=30.0) as book:
            say({"id": book.save("Said once.", type="project", project_id="atlas", idempotency_key="once").id})

    said = at_once(send, 12)
    assert _troubles(said) == []
    assert len({lines[-1]["id"] for lines in said}) == 1
    with open_book(place) as book:
        assert [one["occurrences"] for one in every_memory(book).values()] == [1]


def _answer(call: Callable[[], object]) -> str:
    try:
        call()
    except CommonplaceError as cause:
        return cause.kind
    return "done"


@on_every_canon
def test_of_two_who_change_the_same_memory_exactly_one_wins(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")
    for id in template.ids[:12]:
        fingerprint = template.truth[id]["fingerprint"]

        def change(n: int, say: Say, id: str = id, fingerprint: str = fingerprint) -> None:
            with open_book(folder, timeout=30.0) as book:
                call = lambda: book.evolve(id, f"Version {n} of it.", reason="mine", expect=fingerprint)  # noqa: E731
                say({"answer": _answer(call)})

        said = at_once(change, 2)
        assert _troubles(said) == []
        answers = sorted(lines[-1]["answer"] for lines in said)
        assert answers in (["done", "stale"], ["conflict", "done"]), answers
    with open_book(folder) as book:
        assert what_is_wrong(book) == []


@on_every_canon
def test_deleting_and_editing_at_once_has_one_order_and_no_resurrection(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")

    def race(n: int, say: Say) -> None:
        with open_book(folder, timeout=30.0) as book:
            for id in template.ids[:12]:
                if n:
                    say({id: _answer(lambda which=id: book.forget(which, reason="race"))})
                else:
                    say({id: _answer(lambda which=id: book.evolve(which, f"Edited {which}", reason="race"))})

    said = at_once(race, 2)
    assert _troubles(said) == []
    answers: dict[str, list[str]] = {}
    for lines in said:
        for line in lines:
            for id, answer in line.items():
                answers.setdefault(id, []).append(answer)
    with open_book(folder) as book:
        for id, (edited, forgotten) in answers.items():
            verbs = [str(op.verb) for op in book.history(id) if op.reason == "race"]
            expected = [verb for verb, answer in (("evolve", edited), ("forget", forgotten)) if answer == "done"]
            assert sorted(verbs) == sorted(expected)
            assert book.get(id).status == ("deleted" if forgotten == "done" else "superseded")
        assert what_is_wrong(book) == []
