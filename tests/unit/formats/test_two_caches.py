"""One folder, two users of it: each has a cache of its own, so neither finds the other's catalog nor its lock.

The owner and a service, a user and root, two containers with one volume. They meet at the folder itself (rows 26, 57).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.errors import LockedError
from commonplace.storage.locks.folder import alone_in

SCHEMES = ("vault", "ledger", "jsonl")
_MANY = 25
_SAVE = """
import sys, commonplace
from commonplace.errors import LockedError
with commonplace.open(sys.argv[1], actor="alice") as book:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[3])):
        for _ in range(3):
            try:
                book.save(f"{sys.argv[2]} said {number}.", type="project")
                break
            except LockedError:
                pass
        else:
            raise SystemExit("locked")
"""


def opened(url: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return commonplace.open(url, actor="alice")


def saving(url: str, who: str, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _SAVE, url, who, str(_MANY)],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_write_at_the_same_time_lose_nothing_and_agree(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A33, R3: they begin the book together, too."""
    (tmp_path / "book").mkdir()
    url, caches = f"{scheme}:{tmp_path / 'book'}", [tmp_path / who for who in ("owner", "service")]
    writers = [saving(url, cache.name, cache) for cache in caches]
    assert [writer.stdout.readline() for writer in writers if writer.stdout] == ["ready\n", "ready\n"]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n")
        writer.stdin.flush()
    said = [writer.communicate(timeout=120)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], said
    for cache in (*caches, tmp_path / "nobody"):
        with opened(url, cache, monkeypatch) as book:
            wanted = {f"{one.name} said {number}." for one in caches for number in range(_MANY)}
            assert sorted(one.content for one in book.list(limit=500)) == sorted(wanted)
            assert book.verify().ok


@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_looked_at_an_empty_folder_follows_whoever_began_the_book(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "book").mkdir()
    url = f"{scheme}:{tmp_path / 'book'}"
    with opened(url, tmp_path / "service", monkeypatch) as service:
        assert service.list() == []
        with opened(url, tmp_path / "owner", monkeypatch) as owner:
            owner.save("We ship on Fridays.", type="project")
        service.save("We rest on Sundays.", type="project")
        assert service.id == owner.id
    with opened(url, tmp_path / "service", monkeypatch) as again:
        assert {one.content for one in again.list()} == {"We ship on Fridays.", "We rest on Sundays."}


def test_a_folder_that_another_program_writes_to_is_waited_for_and_then_locked(tmp_path: Path) -> None:
    """Row 64: within the caller's limit, in our words, and free again afterwards; nothing is written to the folder for it."""

    def come_in() -> float:
        began = time.monotonic()
        with pytest.raises(LockedError), alone_in(str(tmp_path), 0.2):
            pass
        return time.monotonic() - began

    with alone_in(str(tmp_path), 1.0), ThreadPoolExecutor(1) as another:
        assert 0.15 < another.submit(come_in).result() < 1.0
    with alone_in(str(tmp_path), 1.0):
        assert [*tmp_path.iterdir()] == []


def test_an_interrupt_before_it_was_let_go_does_not_keep_its_own_thread_out(tmp_path: Path) -> None:
    """Row 65: whoever catches the interrupt still holds all that was under way, and goes on with the book."""
    left = alone_in(str(tmp_path), 1.0)
    left.__enter__()  # and nothing after it
    with alone_in(str(tmp_path), 0.0):
        assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_not_there_keeps_nobody_out(tmp_path: Path) -> None:
    with alone_in(str(tmp_path / "nowhere"), 1.0), alone_in(str(tmp_path / "nowhere"), 1.0):
        assert not (tmp_path / "nowhere").exists()


class TestAJournalWithMoreOrLessInItThanWasWritten:
    """Rows 28, 42: no catalog is left that would know better. What stands in the files is served all the same."""

    @pytest.fixture(params=SCHEMES)
    def url(self, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
        """Of three memories one was forgotten again: that makes no sense without its first entry."""
        url = f"{request.param}:{tmp_path / 'book'}"
        with opened(url, tmp_path / "first", monkeypatch) as book:
            ids = [book.save(f"Fact {number}.", type="project").id for number in (1, 2, 3)]
            if not url.startswith("ledger"):
                book.forget(ids[1])
                book.restore(ids[1])
        return url

    def lines(self, url: str) -> tuple[Path, list[str]]:
        (journal,) = Path(url.partition(":")[2], ".commonplace").glob("journal-*.jsonl")
        return journal, journal.read_text().splitlines()

    def served(self, url: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        with opened(url, cache, monkeypatch) as book:
            return sorted(one.content for one in book.list())

    def test_what_was_damaged_takes_no_memory_out_of_sight(
        self, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        journal, lines = self.lines(url)
        (at,) = [n for n, line in enumerate(lines) if "Fact 2." in line and '"verb":"save"' in line]
        lines[at] = lines[at].replace("Fact 2.", "Fact X.")
        journal.write_text("\n".join([*lines, ""]))
        assert self.served(url, tmp_path / "second", monkeypatch) == ["Fact 1.", "Fact 2.", "Fact 3."]
        with opened(url, tmp_path / "second", monkeypatch) as book:
            assert not book.verify().ok
            assert "Fact X." not in str([*book.journal()])  # what nobody wrote is not told
            book.save("Fact 4.", type="project")
        assert len(self.served(url, tmp_path / "third", monkeypatch)) == 4

    def test_what_stands_there_twice_is_passed_over(
        self, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        journal, lines = self.lines(url)
        group = next(n for n, line in enumerate(lines) if n > 3 and "commit" in json.loads(line))
        journal.write_text("\n".join([*lines[: group + 1], *lines[1:], ""]))
        assert self.served(url, tmp_path / "second", monkeypatch) == ["Fact 1.", "Fact 2.", "Fact 3."]
