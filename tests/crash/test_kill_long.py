"""kill -9 during the long operations (rows 3, 12, 92; G6): import, export, backup, purge, repair, change of format.

The next start goes on by itself: earlier memories are there, the operation can be repeated, and the result is the same as
if nobody had been killed.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import Book, CommonplaceError
from commonplace.catalog.sqlite import schema

from .books import (
    book_in,
    every_memory,
    furnish,
    on_each,
    on_every_canon,
    open_book,
    remove,
    what_is_wrong,
)
from .children import Child, Say

Memories = dict[str, dict[str, Any]]


class Bigger:
    """A book of a few hundred memories, and its export."""

    def __init__(self, where: Path) -> None:
        self.folder, self.export = where / "bigger", where / "bigger.jsonl"
        with open_book(self.folder) as book:
            self.ids = furnish(book, 400)
            self.memories = every_memory(book)
            book.export(str(self.export))

    def copy(self, where: Path) -> Path:
        remove(where)
        shutil.copytree(self.folder, where)
        return where


_made: dict[str, Bigger] = {}


@pytest.fixture
def bigger(scheme: str, tmp_path_factory: pytest.TempPathFactory) -> Bigger:
    """Made once for each canon."""
    if scheme not in _made:
        _made[scheme] = Bigger(tmp_path_factory.mktemp("bigger"))
    return _made[scheme]


def interrupt_at(work: Callable[[], object], share: float, takes: float) -> None:
    """Kill the work after this share of the time it takes."""

    def begin(say: Say) -> None:
        say({"begun": True})
        work()
        say({"ended": True})

    child = Child(begin)
    child.listen(bool, 10.0)
    time.sleep(share * takes)
    child.kill()
    child.close()


def measure(work: Callable[[], object]) -> float:
    """How long the work takes in a child, measured once without a kill."""
    child = Child(lambda say: (say({"begun": True}), work(), say({"ended": True})))
    child.listen(bool, 10.0)
    started = time.monotonic()
    said = child.finish(60.0)
    child.close()
    assert said[-1] == {"ended": True}, said
    return time.monotonic() - started


def _shares(rng: random.Random, number: int) -> list[float]:
    """Spread over the whole operation, a little beyond its end too."""
    return [(n + rng.random()) / number * 1.1 for n in range(number)]


def _with(folder: Path, use: Callable[[Book], object]) -> None:
    with open_book(folder, timeout=5.0) as book:
        use(book)


@pytest.mark.parametrize("into", ["empty", "full"])
@on_each("kills", sqlite=12, files=2)
def test_an_import_that_was_killed_and_repeated_is_one_import(
    place: Path, bigger: Bigger, rng: random.Random, into: str, kills: int
) -> None:
    _kill_imports(place, bigger, rng, into, kills)


@pytest.mark.nightly
@pytest.mark.parametrize("into", ["empty", "full"])
@on_every_canon
def test_an_import_that_was_killed_a_hundred_times_and_repeated_is_one_import(
    place: Path, bigger: Bigger, rng: random.Random, into: str
) -> None:
    _kill_imports(place, bigger, rng, into, 100)


def _kill_imports(place: Path, bigger: Bigger, rng: random.Random, into: str, kills: int) -> None:
    def fresh(name: str) -> Path:
        remove(place / name)
        (place / name).mkdir()
        with open_book(place / name) as book:
            if into == "full":
                book.save("It has a life of its own.", type="project", project_id="other")
        return place / name

    def contents(folder: Path) -> Memories:
        with open_book(folder, timeout=5.0) as book:
            assert what_is_wrong(book) == []
            return {id: one for id, one in every_memory(book).items() if one["project_id"] != "other"}

    clean = fresh("clean")
    takes = measure(lambda: _with(clean, lambda book: book.import_(str(bigger.export))))
    expected = contents(clean)
    assert len(expected) == len(bigger.memories)
    for share in _shares(rng, kills):
        folder = fresh("killed")
        interrupt_at(lambda folder=folder: _with(folder, lambda book: book.import_(str(bigger.export))), share, takes)
        assert contents(folder).items() <= expected.items()
        with open_book(folder, timeout=5.0) as book:
            assert book.import_(str(bigger.export)).complete
        assert contents(folder) == expected


@on_each("kills", sqlite=12, files=3)
@pytest.mark.parametrize("verb", ["export", "backup"])
def test_a_copy_that_was_killed_is_whole_or_absent(
    place: Path, bigger: Bigger, rng: random.Random, verb: str, kills: int
) -> None:
    folder, target = bigger.copy(place / "book"), book_in(place / "copy")
    target.parent.mkdir()
    copy = lambda: _with(folder, lambda book: getattr(book, verb)(str(target)))  # noqa: E731
    takes = measure(copy)
    whole = target.read_bytes() if target.is_file() else b""
    for share in _shares(rng, kills):
        remove(target.parent)
        target.parent.mkdir()
        interrupt_at(copy, share, takes)
        if not target.exists():
            continue
        if verb == "export":
            assert target.read_bytes().count(b"\n") == whole.count(b"\n")
        else:
            with open_book(target.parent, create=False) as book:
                assert every_memory(book) == bigger.memories
    with open_book(folder) as book:
        assert every_memory(book) == bigger.memories
        assert what_is_wrong(book) == []


@on_each("kills", sqlite=12, files=6)
def test_a_purge_that_was_killed_happened_or_not_and_leaves_no_trace(
    place: Path, bigger: Bigger, rng: random.Random, kills: int
) -> None:
    """The memory is whole or gone; and once it is gone its words are in no file of the book, killed or not (R12)."""
    id = bigger.ids[5]
    words = bigger.memories[id]["content"].encode()
    takes = measure(lambda: _with(bigger.copy(place / "book"), lambda book: book.purge(id)))
    for share in _shares(rng, kills):
        folder = bigger.copy(place / "book")
        interrupt_at(lambda folder=folder: _with(folder, lambda book: book.purge(id)), share, takes)
        with open_book(folder, timeout=5.0) as book:
            assert what_is_wrong(book) == []
            now = every_memory(book)
            assert now == bigger.memories or now == {key: one for key, one in bigger.memories.items() if key != id}
            if id in now:
                assert book.purge(id).complete
        left = [path for where in (folder, _catalogs()) for path in where.rglob("*") if path.is_file()]
        assert not [path for path in left if words in path.read_bytes()]


def _catalogs() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"])


@on_every_canon
def test_a_repair_that_was_killed_can_be_repeated(place: Path, bigger: Bigger, rng: random.Random) -> None:
    folder = bigger.copy(place / "book")
    repair = lambda: _with(folder, lambda book: book.doctor(repair=True))  # noqa: E731
    takes = measure(repair)
    for share in _shares(rng, 6):
        interrupt_at(repair, share, takes)
        with open_book(folder, timeout=5.0) as book:
            assert book.doctor(full=True).ok
            assert len(book.search("finding valley", project="atlas", limit=20)) == 20


def _as_next_version() -> None:
    """In a child: be the version after this one, whose format has one more table and a new index."""
    from commonplace.catalog.sqlite import schema

    schema.VERSION += 1
    schema.MIGRATIONS[schema.VERSION] = """
        CREATE TABLE extra AS SELECT id, content, length(content) AS size FROM memories;
        CREATE INDEX extra_by_size ON extra (size);
    """


def test_a_change_of_format_that_was_killed_is_done_whole_by_the_next_start(
    place: Path, bigger: Bigger, rng: random.Random
) -> None:
    def upgrade(folder: Path) -> None:
        _as_next_version()
        _with(folder, lambda book: book.stats())

    outcomes = set()
    takes = measure(lambda: upgrade(bigger.copy(place / "book")))
    for share in _shares(rng, 14):
        folder = bigger.copy(place / "book")
        interrupt_at(lambda folder=folder: upgrade(folder), share, takes)
        outcomes.add(_old_version_says(folder, bigger.memories))
        child = Child(lambda say, folder=folder: (_as_next_version(), say(_look(folder))))
        said = child.finish(20.0)
        child.close()
        assert said == [{"version": schema.VERSION + 1, "memories": len(bigger.memories), "wrong": []}]
        kept = f".backup-v{schema.VERSION}-"
        assert [path.name for path in folder.iterdir() if kept in path.name and "partial" not in path.name]
    assert outcomes == {"works", "newer"}, "the kills did not fall on both sides of the change"


def _old_version_says(folder: Path, memories: Memories) -> str:
    """The version before: it works on the old format or refuses the new one, and never reads a mixture."""
    try:
        with open_book(folder, timeout=5.0) as book:
            assert every_memory(book) == memories
            assert what_is_wrong(book) == []
            return "works"
    except CommonplaceError as cause:
        return cause.code


def _look(folder: Path) -> dict[str, Any]:
    with open_book(folder, timeout=5.0) as book:
        version = book.stats().format_version
        return {"version": version, "memories": len(every_memory(book)), "wrong": what_is_wrong(book)}


def test_the_control_that_imports_line_by_line_without_ids_is_found_to_double(place: Path) -> None:
    """What an import without identities does when it is killed and repeated."""
    lines = [f"Line {n}." for n in range(300)]

    def load() -> None:
        with open_book(place / "control") as book:
            for line in lines:
                book.save(line, type="episode", kind=f"k{time.monotonic_ns()}")

    takes = measure(load)
    shutil.rmtree(place / "control")
    interrupt_at(load, 0.5, takes)
    load()
    with open_book(place / "control") as book:
        assert sum(one["occurrences"] for one in every_memory(book).values()) > len(lines)
