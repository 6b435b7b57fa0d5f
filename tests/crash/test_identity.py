"""Is it still the same book? Moved, replaced, deleted, or seen through a wrong clock (rows 26, 71; R4)."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError

from .books import Template, every_memory, open_book, what_is_wrong
from .test_many_writers import at_once


def _save(book: Book, text: str = "Said just now.") -> str:
    """The id, or the code of the refusal."""
    try:
        return book.save(text, type="project", project_id="atlas").id
    except CommonplaceError as cause:
        return cause.code


def test_a_book_that_was_moved_is_not_split_in_two(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        first = _save(book, "Before the move.")
        folder.rename(place / "moved")
        second = _save(book, "After the move.")
        assert not folder.exists(), "a second book was begun where the first one was"
    with open_book(place / "moved") as book:
        here = every_memory(book)
        assert first in here
        assert second == "missing" or second in here
        assert what_is_wrong(book) == []


def test_a_book_that_was_replaced_is_not_written_to(place: Path, template: Template) -> None:
    """Somebody restores an old copy while we have the book open: neither copy gets a write meant for the other."""
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        _save(book, "Into the true one.")
        for name in ("book.sqlite", "book.sqlite-wal", "book.sqlite-shm"):
            (folder / name).rename(place / name)
        shutil.copy(template.folder / "book.sqlite", folder / "book.sqlite")
        assert _save(book, "Into neither.") == "missing"
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
        assert [one.code for one in book.verify().findings] == ["journal_cut"], "an older copy, and it says so"


def test_a_book_behind_a_link_that_turns_elsewhere_is_not_split(place: Path, template: Template) -> None:
    one, other = template.copy(place / "one"), template.copy(place / "other")
    (place / "link").symlink_to(one)
    with open_book(place / "link") as book:
        (place / "link").unlink()
        (place / "link").symlink_to(other)
        saved = _save(book, "Into the one it was opened at.")
    with open_book(one) as book:
        assert saved in every_memory(book)
    with open_book(other) as book:
        assert every_memory(book) == template.truth


def test_a_book_that_comes_back_is_used_again(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        folder.rename(place / "away")
        _save(book)
        (place / "away").rename(folder)
        saved = _save(book, "Back again.")
        assert saved in every_memory(book)


def test_a_deleted_book_is_not_begun_anew_in_silence(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        for name in ("book.sqlite", "book.sqlite-wal", "book.sqlite-shm"):
            (folder / name).unlink(missing_ok=True)
        assert _save(book) == "missing"
        assert not (folder / "book.sqlite").exists()
    with pytest.raises(CommonplaceError) as refused:
        open_book(folder)
    assert refused.value.code == "missing"
    assert not (folder / "book.sqlite").exists()


def test_a_book_knows_that_it_was_here_also_if_its_making_was_cut_short(place: Path, template: Template) -> None:
    """Killed between putting the file in place and noting it in the lock file; used afterwards; then lost."""
    folder = template.copy(place / "book")
    (folder / "book.sqlite.lock").write_bytes(b"")
    with open_book(folder) as book:
        _save(book)
    (folder / "book.sqlite").unlink()
    with pytest.raises(CommonplaceError) as refused:
        open_book(folder)
    assert refused.value.code == "missing"


def test_an_older_version_does_not_touch_a_newer_book(place: Path, template: Template) -> None:
    """Row 11: not one byte changes, also not by `doctor`."""
    import apsw

    folder = template.copy(place / "book")
    db = apsw.Connection(str(folder / "book.sqlite"))
    db.execute("PRAGMA user_version = 99").fetchall()
    db.close()
    before = (folder / "book.sqlite").read_bytes()
    with pytest.raises(CommonplaceError) as refused:
        open_book(folder)
    assert refused.value.code == "newer"
    assert (folder / "book.sqlite").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["book.sqlite", "book.sqlite.lock"]


class SkewedClock:
    """A machine's clock that is wrong by so many days."""

    def __init__(self, days: float) -> None:
        self._skew = timedelta(days=days)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._skew


def test_clocks_that_are_ten_years_apart_change_no_order_and_lose_nothing(place: Path) -> None:
    skews = [3650, -3650, -1 / 24, 0]
    open_book(place).close()

    def write(n: int, say) -> None:
        with open_book(place, actor=f"writer-{n}", clock=SkewedClock(skews[n]), timeout=30.0) as book:
            say({"saved": [_save(book, f"Writer {n} says {k}.") for k in range(40)]})

    said = at_once(write, len(skews))
    saved = [lines[-1]["saved"] for lines in said]
    assert len({id for ids in saved for id in ids}) == 160, "ids are unique whatever the clocks say"
    with open_book(place) as book:
        assert len(book.list(limit=1000)) == 160, "nothing expired"
        told: dict[str, list[str]] = {}
        for operation in book.journal(limit=10_000):
            made = [change.id for change in operation.changes if change.entity == "memory"]
            told.setdefault(operation.actor, []).extend(made)
        assert [told[f"writer-{n}"] for n in range(len(skews))] == saved
        assert what_is_wrong(book) == []


def test_a_clock_that_jumps_back_between_two_changes_keeps_their_order(place: Path) -> None:
    with open_book(place, clock=SkewedClock(3650)) as book:
        id = _save(book, "Written in the future.")
    with open_book(place, clock=SkewedClock(0)) as book:
        book.archive(id, reason="first")
        book.restore(id, reason="second")
        assert [str(operation.verb) for operation in book.history(id)] == ["save", "archive", "restore"]
        assert book.get(id).status == "active"
        assert what_is_wrong(book) == []
