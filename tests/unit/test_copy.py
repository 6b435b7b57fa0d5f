"""`copy`: the same book in another canon, proved; what was cut off goes on; what cannot be held is named."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

import commonplace
from commonplace import Book
from commonplace.engine.compare import compare
from commonplace.errors import ConflictError, DeniedError, InvalidError
from commonplace.formats.canon import FileCanon
from commonplace.wiring import open_canon

FILES = ("vault", "jsonl", "ledger")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _furnish(book: Book) -> None:
    """Every status, links, a conflict, a chain, a purge, something said twice, odd words."""
    ids = [
        book.save(
            f"Finding {n}: the valley\nholds {n} stones, [[Finding {n - 1}]] — “ćà” & <b>.",
            type=("project", "decision", "episode", "artifact")[n % 4],
            rationale="because",
            project_id="atlas" if n % 2 else None,
            title=f"Finding {n}",
            tags=(f"t{n % 5}",),
            kind=("note", "fix", "workflow")[n % 3],
            always_load=n % 10 == 0,
            observed_at=f"2026-01-0{n % 9 + 1}T10:00:00Z",
            idempotency_key=f"key-{n}",
        ).id
        for n in range(30)
    ]
    book.evolve(ids[0], "Finding 0 changed its mind.", reason="measured again")
    book.forget(ids[3])
    book.archive(ids[5])
    book.link(ids[7], ids[8], "supports")
    book.contradict(ids[9], ids[11], reason="they disagree")
    book.purge(ids[13])
    book.save("Finding 7: again.", type="project", scope="global")
    book.save("finding 7:  AGAIN.", type="project", scope="global")
    book.revert(book.history(ids[5])[-1].id)


@pytest.fixture
def source(tmp_path: Path) -> str:
    url = f"sqlite:{tmp_path / 'source.sqlite'}"
    with commonplace.open(url) as book:
        _furnish(book)
    with commonplace.open(url, actor="agent:helper") as book:
        book.save("Alice likes tea.", type="profile")
    return url


def _same(one: str, other: str) -> list[str]:
    """In what two books differ."""
    with commonplace.open(one) as book:
        canon = open_canon(other)
        try:
            return [f"{check.name}: {check.differing}" for check in compare(book._scribe, canon) if not check.equal]
        finally:
            canon.close()


def test_the_way_around_through_every_canon_comes_back_equal(source: str, tmp_path: Path) -> None:
    way = [source, *(f"{scheme}:{tmp_path / scheme}" for scheme in FILES), f"sqlite:{tmp_path / 'back.sqlite'}"]
    for here, there in pairwise(way):
        with commonplace.open(here) as book:
            report = book.copy(there, verify=True)
            assert report.verified, [check for check in report.checks if not check.equal]
    assert _same(way[0], way[-1]) == []
    with commonplace.open(way[-1]) as book:
        assert book.verify().ok


@pytest.mark.parametrize("scheme", FILES)
def test_a_copy_in_files_is_the_same_after_its_catalog_is_deleted(source: str, tmp_path: Path, scheme: str) -> None:
    target = f"{scheme}:{tmp_path / scheme}"
    with commonplace.open(source) as book:
        book.copy(target)
    shutil.rmtree(tmp_path / "cache")
    assert _same(source, target) == []


@pytest.mark.parametrize("scheme", FILES)
def test_what_the_files_cannot_hold_is_named(source: str, tmp_path: Path, scheme: str) -> None:
    with commonplace.open(source) as book:
        report = book.copy(f"{scheme}:{tmp_path / scheme}")
    assert report.beside["occurrences"] == 1
    assert "content" not in report.beside
    assert ("title" in report.beside) == (scheme != "vault")


@pytest.mark.parametrize("scheme", FILES)
def test_a_copy_that_was_cut_off_goes_on_where_it_stopped(
    source: str, tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = f"{scheme}:{tmp_path / scheme}"
    monkeypatch.setattr("commonplace.settings.IMPORT_BATCH", 10)
    writing, left = FileCanon.writing, [2]

    def twice(canon: FileCanon, timeout: float, *, durable: bool = True) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return writing(canon, timeout, durable=durable)

    with commonplace.open(source) as book:
        with monkeypatch.context() as cut:
            cut.setattr(FileCanon, "writing", twice)
            with pytest.raises(KeyboardInterrupt):
                book.copy(target)
        report = book.copy(target, verify=True)
    assert report.resumed_after == 20
    assert report.verified


def test_copying_twice_copies_nothing_the_second_time_and_only_the_new_the_third(source: str, tmp_path: Path) -> None:
    target = f"jsonl:{tmp_path / 'lines'}"
    with commonplace.open(source) as book:
        book.copy(target)
        assert book.copy(target).operations == 0
        book.save("Something new.", type="project", scope="global")
        assert book.copy(target, verify=True).operations == 1


def test_a_book_with_a_history_of_its_own_is_not_written_over(source: str, tmp_path: Path) -> None:
    target = f"jsonl:{tmp_path / 'lines'}"
    with commonplace.open(target) as other:
        other.save("I was here before.", type="project", scope="global")
    with commonplace.open(source) as book, pytest.raises(ConflictError):
        book.copy(target)
    with commonplace.open(target) as other:
        assert [record.content for record in other.list()] == ["I was here before."]


def test_only_an_operator_copies_and_not_onto_itself(source: str, tmp_path: Path) -> None:
    with commonplace.open(source, actor="agent:helper") as book, pytest.raises(DeniedError):
        book.copy(f"jsonl:{tmp_path / 'lines'}")
    with commonplace.open(source) as book, pytest.raises(InvalidError):
        book.copy(source)


def test_a_difference_is_found_and_named(source: str, tmp_path: Path) -> None:
    """The control: a comparison that finds nothing might be blind."""
    target = f"jsonl:{tmp_path / 'lines'}"
    with commonplace.open(source) as book:
        book.copy(target)
    path = tmp_path / "lines" / "memories.jsonl"
    path.write_text(path.read_text().replace("holds 8 stones", "holds 9 stones"))
    with commonplace.open(source) as book:
        canon = open_canon(target)
        found = {check.name: check for check in compare(book._scribe, canon)}
        canon.close()
    assert not found["memories"].equal
    assert len(found["memories"].differing) == 1
    assert not found["history"].equal
    assert found["conflicts"].equal
