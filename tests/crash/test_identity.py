"""Is it still the same book? Moved, replaced, deleted, or seen through a wrong clock (rows 26, 71; R4)."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Book, CommonplaceError

from .books import (
    IN_FILES,
    Template,
    book_in,
    every_memory,
    forget_catalog,
    on_each,
    on_every_canon,
    on_file_canons,
    open_book,
    what_is_wrong,
)
from .damage_files import journal_in, own_files
from .test_many_writers import at_once

# A ledger's folder may be deleted: that is how an agent's memory is forgotten (V19, V20). All others were lost.
that_cannot_vanish = pytest.mark.parametrize("scheme", ["sqlite", "jsonl", "vault"], indirect=True)


def _save(book: Book, text: str = "Said just now.") -> str:
    """The id, or the code of the refusal."""
    try:
        return book.save(text, type="project", project_id="atlas").id
    except CommonplaceError as cause:
        return cause.code


@that_cannot_vanish
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


@on_every_canon
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


@that_cannot_vanish
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


@pytest.mark.parametrize("scheme", ["jsonl", "vault"], indirect=True)
def test_a_folder_that_was_deleted_is_not_begun_anew_in_silence(place: Path, template: Template) -> None:
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        every_memory(book)
        shutil.rmtree(book_in(folder))
        assert _save(book) == "missing"
        assert not book_in(folder).exists()
    with pytest.raises(CommonplaceError) as refused:
        open_book(folder)
    assert refused.value.code == "missing"
    assert not book_in(folder).exists()


@pytest.mark.parametrize("scheme", ["ledger"], indirect=True)
def test_a_ledger_that_was_deleted_is_forgotten_and_nothing_of_it_comes_back(place: Path, template: Template) -> None:
    """V19, V20: deleting the folder is how a person forgets it, also under our hands."""
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
        shutil.rmtree(book_in(folder))
        saved = _save(book, "The first of a new one.")
        assert [*every_memory(book)] == [saved]
    with open_book(folder) as book:
        assert [*every_memory(book)] == [saved]
        assert what_is_wrong(book) == []


@on_file_canons
def test_a_folder_that_was_replaced_by_an_older_copy_loses_nothing_that_was_acknowledged(
    place: Path, template: Template
) -> None:
    """Somebody restores an old copy while we have the book open. What the copy lacks was taken out: that is told, and it can be
    brought back, because the history is not that of the copy."""
    folder = template.copy(place / "book")
    with open_book(folder) as book:
        saved = _save(book, "Not in the old copy.")
        shutil.rmtree(book_in(folder))
        shutil.copytree(book_in(template.folder), book_in(folder))
        now = every_memory(book)
        assert {id: now[id] for id in template.truth} == template.truth
        assert now[saved]["content"] == "Not in the old copy."
        assert now[saved]["status"] in ("deleted", "active")
        assert book.history(saved)[0].verb == "save"
        book.restore(saved)
        assert book.get(saved).status == "active"
        assert what_is_wrong(book) == []


def _newer(line: bytes) -> bytes:
    return line.replace(b'"version":1', b'"version":99', 1)


def _not_ours(line: bytes) -> bytes:
    return line.replace(b"commonplace-journal", b"somebodys-journal", 1)


def _of_another_format(line: bytes) -> bytes:
    for scheme in IN_FILES:
        line = line.replace(f'"canon":"{scheme}"'.encode(), b'"canon":"carved"', 1)
    return line


@on_file_canons
@pytest.mark.parametrize(("harm", "code"), [(_newer, "newer"), (_not_ours, "corrupt"), (_of_another_format, "foreign")])
@pytest.mark.parametrize("is_known", [True, False], ids=["with a catalog", "without"])
def test_a_journal_that_is_not_this_versions_is_refused_and_left_alone(
    place: Path, template: Template, harm, code: str, is_known: bool
) -> None:
    """Row 11: not one byte changes, however often it is tried, also not by `doctor`."""
    folder = template.copy(place / "book")
    if is_known:
        with open_book(folder) as book:
            book.list(limit=1)
    journal = journal_in(folder)
    head, rest = journal.read_bytes().split(b"\n", 1)
    assert harm(head) != head
    journal.write_bytes(harm(head) + b"\n" + rest)
    before = (journal.read_bytes(), own_files(folder))
    for _ in range(2):
        with pytest.raises(CommonplaceError) as refused, open_book(folder) as book:
            book.doctor()
        assert (refused.value.code, bool(refused.value.hint)) == (code, True)
    assert (journal.read_bytes(), own_files(folder)) == before


@on_file_canons
def test_the_journal_of_another_book_is_refused_and_moving_it_away_mends_it(place: Path, template: Template) -> None:
    """Row 38: nothing of the other book is taken in, and nothing of this one is lost."""
    folder, other = template.copy(place / "book"), place / "other"
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
    with open_book(other) as book:
        _save(book, "Of another book.")
    shutil.copy(journal_in(other), journal_in(folder))
    with pytest.raises(CommonplaceError) as refused:
        open_book(folder)
    assert refused.value.code == "foreign"
    assert journal_in(folder).read_bytes() == journal_in(other).read_bytes()
    journal_in(folder).unlink()
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
    forget_catalog(folder)
    with open_book(folder) as book:
        assert every_memory(book) == template.truth
        assert what_is_wrong(book) == []


class SkewedClock:
    """A machine's clock that is wrong by so many days."""

    def __init__(self, days: float) -> None:
        self._skew = timedelta(days=days)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._skew


@on_each("writes", sqlite=40, files=15)
def test_clocks_that_are_ten_years_apart_change_no_order_and_lose_nothing(place: Path, writes: int) -> None:
    skews = [3650, -3650, -1 / 24, 0]
    open_book(place).close()

    def write(n: int, say) -> None:
        with open_book(place, actor=f"writer-{n}", clock=SkewedClock(skews[n]), timeout=30.0) as book:
            say({"saved": [_save(book, f"Writer {n} says {k}.") for k in range(writes)]})

    said = at_once(write, len(skews))
    saved = [lines[-1]["saved"] for lines in said]
    assert len({id for ids in saved for id in ids}) == 4 * writes, "ids are unique whatever the clocks say"
    with open_book(place) as book:
        assert len(book.list(limit=1000)) == 4 * writes, "nothing expired"
        told: dict[str, list[str]] = {}
        for operation in book.journal(limit=10_000):
            made = [change.id for change in operation.changes if change.entity == "memory"]
            told.setdefault(operation.actor, []).extend(made)
        assert [told[f"writer-{n}"] for n in range(len(skews))] == saved
        assert what_is_wrong(book) == []


@on_every_canon
def test_a_clock_that_jumps_back_between_two_changes_keeps_their_order(place: Path) -> None:
    with open_book(place, clock=SkewedClock(3650)) as book:
        id = _save(book, "Written in the future.")
    with open_book(place, clock=SkewedClock(0)) as book:
        book.archive(id, reason="first")
        book.restore(id, reason="second")
        assert [str(operation.verb) for operation in book.history(id)] == ["save", "archive", "restore"]
        assert book.get(id).status == "active"
        assert what_is_wrong(book) == []
