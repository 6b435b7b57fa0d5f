"""Who holds the book, and what if they die, stall, are interrupted or take too long (rows 7, 59, 64, 66; R5, R6; G8)."""

from __future__ import annotations

import os
import random
import signal
import statistics
import time
from pathlib import Path

import apsw
import pytest

from commonplace import Book, CommonplaceError
from commonplace.model.filter import Filter
from commonplace.seam.canon import Canon
from commonplace.wiring import open_canon

from . import children
from .books import (
    CANONS,
    Template,
    every_memory,
    in_files,
    on_each,
    on_every_canon,
    on_file_canons,
    open_book,
    open_warm,
    url_in,
    what_is_wrong,
)
from .children import Child, Say


def _canon(folder: Path) -> Canon:
    """The book without its verbs: the seam lets one hold the pen for as long as one likes."""
    return open_canon(url_in(folder))


def _hold(folder: Path, say: Say) -> None:
    with _canon(folder).writing(10.0):
        say({"held": True})
        time.sleep(60)


def _hold_behind_the_queue(folder: Path, say: Say) -> None:
    """As another program would: it does not know our queue, only SQLite."""
    db = apsw.Connection(str(folder / "book.sqlite"))
    db.execute("BEGIN IMMEDIATE")
    say({"held": True})
    time.sleep(60)


def _save(book: Book, text: str) -> str:
    return book.save(text, type="project", project_id="atlas").id


def _killed_holders(folder: Path, times: int) -> list[float]:
    """How long the next writer waits after its predecessor was killed in mid-write."""
    waits = []
    with open_book(folder) as book:
        for n in range(times):
            holder = Child(lambda say: _hold(folder, say))
            assert holder.listen(bool, 10.0)
            os.kill(holder.pid, signal.SIGKILL)
            started = time.monotonic()
            _save(book, f"After holder {n}.")
            waits.append(time.monotonic() - started)
            holder.finish(5.0)
            holder.close()
    return waits


@on_every_canon
def test_a_killed_holder_lets_go_at_once(place: Path, template: Template) -> None:
    waits = _killed_holders(template.copy(place / "book"), 40)
    print(f"median {statistics.median(waits):.4f} s, longest {max(waits):.4f} s")
    assert statistics.median(waits) < 0.1
    assert max(waits) < 1.0


@pytest.mark.nightly
@on_every_canon
def test_a_killed_holder_lets_go_at_once_1_000_times(place: Path, template: Template) -> None:
    waits = _killed_holders(template.copy(place / "book"), 1_000)
    print(f"median {statistics.median(waits):.4f} s, longest {max(waits):.4f} s")
    assert statistics.median(waits) < 0.1
    assert max(waits) < 1.0


@pytest.mark.parametrize(
    ("scheme", "hold"),
    [*((scheme, _hold) for scheme in CANONS), ("sqlite", _hold_behind_the_queue)],
    indirect=["scheme"],
)
def test_a_writer_is_told_locked_at_its_limit(place: Path, template: Template, hold) -> None:
    folder = template.copy(place / "book")
    open_warm(folder).close()
    holder = Child(lambda say: hold(folder, say))
    assert holder.listen(bool, 10.0)
    with open_book(folder, timeout=2.0) as book:
        started = time.monotonic()
        with pytest.raises(CommonplaceError) as refused:
            _save(book, "Not now.")
        waited = time.monotonic() - started
        assert every_memory(book) == template.truth, "reading does not wait for writers"
        holder.kill()
        holder.close()
        _save(book, "Now.")
    assert refused.value.kind == "locked"
    assert refused.value.retryable
    assert waited == pytest.approx(2.0, abs=0.2)


@on_file_canons
def test_a_book_without_its_catalog_is_locked_not_empty(place: Path, template: Template) -> None:
    """R4: while another builds or changes it, nothing is known yet. That is no answer to what is in the book."""
    folder = template.copy(place / "book")
    with _canon(folder).writing(10.0):
        said = children.run(lambda say: say({"answer": _answer(folder)}))
    assert said == [{"answer": "locked"}]
    assert _answer(folder) == len(template.truth)


def _answer(folder: Path) -> int | str:
    try:
        with open_book(folder, timeout=1.0) as book:
            return len(every_memory(book))
    except CommonplaceError as cause:
        return cause.kind


@on_every_canon
def test_the_control_that_waits_without_a_limit_would_not_be_told(place: Path, template: Template) -> None:
    """The lock really is held: without our limit the wait goes on."""
    folder = template.copy(place / "book")
    holder = Child(lambda say: _hold(folder, say))
    assert holder.listen(bool, 10.0)
    waiter = Child(lambda say: (_save(open_book(folder, timeout=60.0), "At last."), say({"saved": True})))
    assert not waiter.listen(bool, 2.5)
    holder.kill()
    assert waiter.listen(bool, 5.0)
    for child in (holder, waiter):
        child.finish(5.0)
        child.close()


@on_every_canon
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_mid_write_leaves_nothing_half_done(
    place: Path, template: Template, rng: random.Random, number: int
) -> None:
    """After an interrupt the same book can still be used: no transaction and no lock is left open."""
    folder = template.copy(place / "book")

    def work(say: Say) -> None:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        signal.signal(number, interrupt)
        with open_book(folder, timeout=2.0) as book:
            try:
                for n in range(10_000):
                    say({"saved": _save(book, f"Step {n} before signal {rng.random()}.")})
            except KeyboardInterrupt:
                say({"after": _save(book, f"After the signal {rng.random()}.")})

    saved: list[str] = []
    for _ in range(12):
        rng.random()
        child = Child(work)
        child.listen(lambda said: len(said) > 3, 10.0)
        time.sleep(rng.random() * 0.004)
        said = child.kill(number)
        child.close()
        assert children.troubles(said) == []
        assert "after" in said[-1]
        saved += [id for line in said for id in line.values()]
    with open_book(folder) as book:
        assert every_memory(book).keys() >= set(saved)
        assert what_is_wrong(book) == []


def _log(folder: Path) -> Path:
    """Where SQLite writes ahead: beside the book, or beside the catalog of a book in files."""
    if not in_files():
        return folder / "book.sqlite-wal"
    [log] = Path(os.environ["XDG_CACHE_HOME"]).rglob("*-wal")
    return log


@on_each("writes", sqlite=300, files=60)
def test_a_long_reader_sees_one_moment_and_the_log_is_cut_back_afterwards(
    place: Path, template: Template, writes: int
) -> None:
    """Row 66: whoever reads all day sees one moment, keeps nobody from writing, and the log does not grow for ever."""
    folder = template.copy(place / "book")

    def write(say: Say) -> None:
        with open_book(folder) as book:
            for n in range(writes):
                _save(book, f"While somebody reads, {n}: {'word ' * 400}")
            say({"done": True})

    with open_book(folder) as book:
        with book._scribe.canon.reading() as view:
            before, seen = view.counts()["total"], {one.id for one in view.memories(Filter())}
            assert children.run(write, timeout=60.0) == [{"done": True}]
            assert view.counts()["total"] == before
            assert {one.id for one in view.memories(Filter())} == seen
            log = _log(folder)
            grown = log.stat().st_size
        assert len(every_memory(book)) == len(template.truth) + writes
        for n in range(writes * 2 // 3):
            _save(book, f"Afterwards, {n}: {'word ' * 400}")
        assert log.stat().st_size <= max(grown, 40 << 20)
    assert not log.exists() or log.stat().st_size == 0
