"""Formats last: a book of every version ever released opens, verifies and says what it said then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import apsw
import pytest

import commonplace
from commonplace.testing.clocks import FixedClock
from commonplace.testing.state import state_of

HERE = Path(__file__).parent
VERSIONS = sorted(int(path.stem.removeprefix("v")) for path in HERE.glob("v*.sqlite"))


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(params=VERSIONS, ids=lambda version: f"v{version}")
def sample(request, tmp_path):
    """A copy: opening a book of an older version brings it forward."""
    for ending in ("sqlite", "jsonl"):
        shutil.copy(HERE / f"v{request.param}.{ending}", tmp_path / f"book.{ending}")
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}", actor="alice", clock=FixedClock()) as book:
        yield book, tmp_path / "book.jsonl"


def test_there_is_a_sample_of_every_version(book):
    assert [*range(1, book.stats().format_version + 1)] == VERSIONS


def test_a_released_format_is_never_edited(sample, open_book, tmp_path):
    """A sample of any version, brought forward, has the tables that a new book has; a change of format is a new version."""
    book, _ = sample
    new = open_book(at=tmp_path / "new.sqlite")
    assert shape_of(book.url) == shape_of(new.url)


def shape_of(url):
    db = apsw.Connection(url.removeprefix("sqlite:"))
    try:
        return sorted(db.execute("SELECT type, name, sql FROM sqlite_master").fetchall(), key=str)
    finally:
        db.close()


def test_it_opens_and_verifies(sample):
    book, _ = sample
    assert book.verify().findings == ()
    assert book.doctor(full=True).ok


def test_it_says_what_it_said_then(sample, tmp_path):
    """Line for line; only the moment of the export is another."""
    book, kept = sample
    book.export(str(tmp_path / "now.jsonl"))
    now, then = lines_of(tmp_path / "now.jsonl"), lines_of(kept)
    assert now[0]["manifest"]["book_id"] == then[0]["manifest"]["book_id"]
    assert [as_told(line, before) for line, before in zip(now[1:-1], then[1:-1], strict=True)] == then[1:-1]


def as_told(line, before):
    """The line without the fields that its version did not know; they must be empty."""
    [(name, held)] = line.items()
    return {name: {key: value for key, value in held.items() if value is not None or key in before.get(name, {})}}


def test_its_export_is_still_understood(sample, tmp_path):
    book, kept = sample
    with commonplace.open(f"sqlite:{tmp_path / 'new.sqlite'}", actor="alice") as new:
        report = new.import_(str(kept))
        assert (report.complete, report.kept_aside) == (True, ())
        mine, theirs = state_of(new._scribe.canon), state_of(book._scribe.canon)
    assert {**mine, "kept_aside": 1} == theirs  # what was kept aside belongs to the book that could not read it


def test_it_can_be_lived_in(sample):
    book, _ = sample
    assert book.get("m-1").title == "Port"
    assert book.search("port 8080")[0].record.id == book.get("m-1").id
    moment = book.journal()[3].at
    assert len(book.list(as_of=moment, statuses="all")) == 2
    undone = next(op for op in book.journal() if op.verb == "evolve")
    book.revert(undone)
    book.save("A new page.", type="episode")
    book.purge(book.get("m-1").id)
    assert book.verify().ok


def test_it_holds_every_sort_of_thing(sample):
    """A sample that lacks something proves nothing about it."""
    book, kept = sample
    kinds = {next(iter(line)) for line in lines_of(kept)}
    assert kinds == {"manifest", "journal", "tombstone", "source", "event", "memory", "link", "conflict", "end"}
    statuses = {record.status for record in book.list(statuses="all", limit=1000)}
    assert statuses == {"active", "inbox", "superseded", "archived"}
    verbs = {op.verb for op in book.journal(limit=1000)}
    assert verbs >= {"save", "reinforce", "evolve", "contradict", "link", "unlink", "archive", "restore", "forget",
                     "promote", "reject", "import", "revert", "purge"}  # fmt: skip


def test_its_receipts_are_still_understood(tmp_path):
    """From format 6 on there are some in the sample."""
    for version in [version for version in VERSIONS if version >= 6]:
        shutil.copy(HERE / f"v{version}.sqlite", tmp_path / f"{version}.sqlite")
        with commonplace.open(f"sqlite:{tmp_path / f'{version}.sqlite'}", actor="alice") as book:
            handed, looked = book.receipts()
            assert (handed.session, looked.query, looked.moment) == ("s-1", "which port?", "search")
            assert [receipt.id for receipt in book.receipts(memory="m-1")] == [looked.id]
            assert looked.chosen[0].scores["lexical"] > 0
