"""Promises of the designs that hold for every book, asked of books in files: one short story for each number."""

from __future__ import annotations

import io
import shutil
import socket
import tarfile
import threading
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import commonplace
from commonplace import Book, CommonplaceError
from commonplace.errors import InvalidError
from commonplace.model.words import Entity, Status
from commonplace.testing.makers import a_memory, a_signature

IN_FILES = ("jsonl", "ledger", "vault")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COMMONPLACE_EMBEDDER", "none")


@pytest.fixture(params=IN_FILES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"{request.param}:{tmp_path / 'book'}"


def save(book: Book, text: str, **more: object) -> str:
    return book.save(text, type="project", scope="global", **more).id  # type: ignore[arg-type]


def test_saving_twice_forgetting_and_editing_mean_the_same_in_every_book(url: str) -> None:
    """A2: idempotency, compare-and-swap and soft delete live once, above every store. X-22: a twin is known at once."""
    with commonplace.open(url) as book:
        id = save(book, "The gate opens at seven.", idempotency_key="k")
        assert save(book, "The gate opens at seven.", idempotency_key="k") == id
        assert save(book, "the gate opens  at seven.") == id
        assert book.get(id).occurrences == 2
        with pytest.raises(CommonplaceError) as refused:
            book.forget(id, expect="an older version")
        assert refused.value.kind in ("stale", "invalid")
        book.forget(id)
        assert book.get(id).status is Status.DELETED
        book.forget(id)


def test_no_daemon_and_no_connection_is_needed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A7, V2, X-6: the engine is a library; what waits is worked inline."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nothing here talks to anybody")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "bind", refuse)
    with commonplace.open(url) as book:
        book.capture_session("User: We decided to ship on Mondays.\nAssistant: Noted.", project_id="atlas")
        assert book.process_pending().done == 1
        assert book.work_status().pending == 0
        assert book.search("ship Mondays", statuses="all").results


def test_two_facts_that_disagree_are_one_conflict_in_every_book(url: str) -> None:
    """X-21: the files keep both, as their own rules have it; the catalog records the conflict, also once it was rebuilt."""
    with commonplace.open(url) as book:
        one, other = save(book, "The gate opens at seven."), save(book, "The gate opens at eight.")
        book.contradict(one, other, reason="two hours")
        assert len(book.conflicts()) == 1
        book.doctor(repair=True)
        assert len(book.conflicts()) == 1
        assert {book.get(id).content for id in (one, other)} == {"The gate opens at seven.", "The gate opens at eight."}


def test_recency_is_a_part_of_the_score_that_can_be_seen_and_weighed(url: str) -> None:
    """X-10, X-9."""
    with commonplace.open(url) as book:
        save(book, "The gate opens at seven.")
        told = {profile: book.search("gate", profile=profile).results[0].scores for profile in ("hybrid", "recent")}
    assert 0 < told["hybrid"]["recency"] < told["recent"]["recency"]


class Letters:
    """An embedder of so many numbers, which knows texts by their length."""

    max_tokens = 100

    def __init__(self, dimensions: int) -> None:
        self.model, self.dimensions = f"letters-{dimensions}", dimensions

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.array([[1.0 + (len(text) + n) % 7 for n in range(self.dimensions)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def query(self, text: str) -> np.ndarray:
        return self.documents([text])[0]


def test_with_another_model_or_without_vectors_words_still_find(url: str, tmp_path: Path) -> None:
    """Row 40, X-8: the vectors were made by a model of another size, or are gone with the catalog."""
    with commonplace.open(url, embedder=Letters(8)) as book:
        id = save(book, "The gate opens at seven.")
        book.index_pending()
        assert book.search("gate").results[0].record.id == id
    for embedder in (Letters(16), "none"):
        with commonplace.open(url, embedder=embedder) as book:
            assert [one.record.id for one in book.search("gate")] == [id]
            book.index_pending()
            assert [one.record.id for one in book.search("gate")] == [id]
    shutil.rmtree(tmp_path / "cache")
    with commonplace.open(url, embedder=Letters(8)) as book:
        assert [one.record.id for one in book.search("gate")] == [id]


@pytest.mark.parametrize("make", ["zip", "tar"])
def test_an_archive_is_not_unpacked_and_not_taken_in(url: str, tmp_path: Path, make: str) -> None:
    """Row 89: whatever its members are called, nothing is written, inside or outside."""
    path = tmp_path / f"export.{make}"
    if make == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("../escaped.jsonl", "{}")
    else:
        with tarfile.open(path, "w") as archive:
            archive.addfile(tarfile.TarInfo("../escaped.jsonl"), io.BytesIO(b""))
    with commonplace.open(url) as book:
        save(book, "The gate opens at seven.")
        before = book.list()[0].to_dict()
        with pytest.raises(InvalidError, match="archive"):
            book.import_(str(path))
        assert len(book.list()) == 1
        assert book.list()[0].to_dict() == before
    assert not [*tmp_path.rglob("escaped*")]


@pytest.mark.parametrize("scheme", ["sqlite", *IN_FILES])
def test_two_books_locked_in_opposite_order_end_with_a_time_out_at_worst(tmp_path: Path, scheme: str) -> None:
    """Row 70: no deadlock, nothing torn."""
    urls = [f"{scheme}:{tmp_path / name}" for name in ("one", "other")]
    met, outcomes = threading.Barrier(2, timeout=20), []

    def write(first: str, second: str) -> None:
        with (
            commonplace.open(first, timeout=0.5) as mine,
            commonplace.open(second, timeout=0.5) as theirs,
            mine._scribe.canon.writing(0.5),
        ):
            met.wait()
            try:
                outcomes.append(save(theirs, f"From {first}."))
            except CommonplaceError as refused:
                outcomes.append(refused.kind)

    for url in urls:
        commonplace.open(url).close()
    began = time.monotonic()
    threads = [threading.Thread(target=write, args=order) for order in (urls, urls[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert time.monotonic() - began < 20
    assert "locked" in outcomes
    assert len(outcomes) == 2
    for url in urls:
        with commonplace.open(url) as book:
            assert book.verify().ok


def test_what_is_added_and_edited_during_a_long_consolidation_is_not_lost(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 58: what others write between the look and the writing is looked at again under the lock."""
    from commonplace.engine import consolidate

    apply = consolidate.apply
    with commonplace.open(url) as book, commonplace.open(url) as other:
        ids = _heard(book, "Tests are run by pytest", "pytest runs the tests", "Tests are run by pytest.")
        added: list[str] = []

        def apply_late(*args: object) -> object:
            added.append(save(other, "Added meanwhile by another."))
            other.forget(ids[1])
            return apply(*args)  # type: ignore[arg-type]

        monkeypatch.setattr(consolidate, "apply", apply_late)
        report = book.consolidate()
        assert report.steps or report.dropped, "there was nothing to consolidate: the test proves nothing"
        assert book.get(added[0]).content == "Added meanwhile by another."
        assert book.get(ids[1]).status is Status.DELETED
        assert [operation.verb for operation in book.history(ids[1])][-1] == "forget"
        assert book.verify().ok


def _heard(book: Book, *contents: str) -> list[str]:
    """Candidates in the inbox, as an extraction leaves them."""
    told = {"type": "project", "project_id": "p", "scope": "project", "status": "inbox", "trust": "extracted"}
    records = [a_memory(text, **told, source_ref=f"session-{n}") for n, text in enumerate(contents)]
    with book._scribe.canon.writing(5) as draft:
        for record in records:
            draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
    return [record.id for record in records]


class TestTheDigestAndTheLedger:
    @pytest.mark.parametrize(
        "digest", ["# Stable\n\nTea.\n\n# Next\n\nBuy tea.", "No sections at all.", "## Made up\n\n- one"]
    )
    def test_sections_of_a_digest_are_nobodys_business(self, tmp_path: Path, digest: str) -> None:
        """V6: suggested, never required; the page says what it was given."""
        with commonplace.open(f"ledger:{tmp_path / 'book'}") as book:
            book.retain(digest=digest)
            assert book.get("digest.md").content == digest
        assert (tmp_path / "book" / "digest.md").read_text().rstrip("\n") == digest

    def test_nothing_is_logged_beside_what_was_kept(self, tmp_path: Path) -> None:
        """V36: a transcript is written by nobody who was not asked to."""
        with commonplace.open(f"ledger:{tmp_path / 'book'}") as book:
            book.retain(["W @Bob: runs the night build."], digest="Bob builds.")
        names = {path.name for path in (tmp_path / "book").iterdir()}
        assert names <= {"digest.md", "ledger.jsonl", "meta.json", ".commonplace"}

    def test_an_item_says_whose_it_is_and_how_sure(self, tmp_path: Path) -> None:
        """V44: attributable by itself."""
        with commonplace.open(f"ledger:{tmp_path / 'book'}") as book:
            (kept,) = book.retain(["O(c=0.9) @Alice: prefers tea in the morning."])
            assert (kept.tags, kept.confidence, kept.kind) == (("alice",), 0.9, "opinion")

    def test_what_is_older_than_the_tail_is_found_also_by_an_index_that_was_made_anew(self, tmp_path: Path) -> None:
        """V45: the index is derived."""
        with commonplace.open(f"ledger:{tmp_path / 'book'}") as book:
            book.retain(["W the xylophone is in the attic."])
            for n in range(25):
                book.retain([f"B day {n} passed."])
            found = [one.record.content for one in book.search("xylophone")]
        shutil.rmtree(tmp_path / "cache")
        with commonplace.open(f"ledger:{tmp_path / 'book'}") as book:
            assert [one.record.content for one in book.search("xylophone")] == found
        assert found[0] == "W the xylophone is in the attic."
