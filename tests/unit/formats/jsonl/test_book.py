"""A real book on this format: what people do to the file, what verbs do to it, and what survives the loss of the rest."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace import Book, settings
from commonplace.errors import StaleError
from commonplace.formats.jsonl.format import JsonlFormat
from commonplace.surfaces.tools.patience import patiently
from commonplace.testing.clocks import TickingClock

Opener = Callable[[], Book]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path / "memory"


@pytest.fixture
def file(folder: Path) -> Path:
    return folder / "memories.jsonl"


@pytest.fixture
def open_jsonl(folder: Path, clock: TickingClock) -> Iterator[Opener]:
    opened: list[Book] = []

    def opener() -> Book:
        opened.append(commonplace.open(f"jsonl:{folder}", actor="alice", clock=clock))
        return opened[-1]

    yield opener
    for book in opened:
        book.close()


@pytest.fixture
def jsonl(open_jsonl: Opener) -> Book:
    return open_jsonl()


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def ids(file: Path) -> list[str]:
    return [line["id"] for line in lines(file)]


def saved(book: Book, *texts: str) -> list[str]:
    return [book.save(text, type="project", project_id="atlas").id for text in texts]


def test_a_file_that_is_only_read_stays_alone_and_as_it_was(jsonl: Book, folder: Path, file: Path) -> None:
    """G4, G51: also with lines that nobody understands; they are counted."""
    theirs = b'{"id":"m-0","text":"one"}\nnull\n{"id":"m-5","text":"two","tags":["a"]}\n{"id":"m-6","te\n'
    file.write_bytes(theirs)
    assert sorted(record.content for record in jsonl.list()) == ["one", "two"]
    assert jsonl.search("two").results[0].record.tags == ("a",)
    assert {f"memories.jsonl:{number}" for number in (2, 4)} <= {finding.where for finding in jsonl.doctor()}
    assert [path.name for path in folder.iterdir()] == ["memories.jsonl"]
    assert file.read_bytes() == theirs


def test_a_memory_answers_to_the_id_of_its_line_also_when_it_has_left(jsonl: Book, file: Path) -> None:
    """X-14."""
    first, second = saved(jsonl, "one", "two")
    assert (jsonl.get("m-1").id, jsonl.get("m-2").id) == (first, second)
    jsonl.archive("m-2")
    assert ids(file) == ["m-1"]
    assert jsonl.get("m-2").status == "archived"
    jsonl.restore("m-2")
    assert ids(file) == ["m-1", "m-2"]


def test_changing_ones_mind_is_a_line_gone_and_a_line_added(jsonl: Book, file: Path) -> None:
    """G12."""
    saved(jsonl, "The port is 5432.")
    jsonl.evolve("m-1", "The port is 5433.", reason="moved")
    assert [(line["id"], line["text"]) for line in lines(file)] == [("m-2", "The port is 5433.")]


def test_an_edit_of_the_text_changes_only_the_text(jsonl: Book, file: Path) -> None:
    """What a line holds only coarsely is not cut down to it: the project, the fraction of a second."""
    before = jsonl.get(saved(jsonl, "The port is 5432.")[0])
    file.write_text(file.read_text().replace("5432", "5433"))
    after = jsonl.get(before.id)
    assert after == before.with_(
        content="The port is 5433.", fingerprint=after.fingerprint, updated_at=after.updated_at
    )
    assert jsonl.history(before.id)[-1].verb == "edit"


def test_an_edit_of_the_scope_is_an_edit(jsonl: Book, file: Path) -> None:
    """X-11."""
    (id,) = saved(jsonl, "The port is 5432.")
    file.write_text(file.read_text().replace("workspace", "user"))
    assert (jsonl.get(id).scope, jsonl.get(id).scope_word) == ("global", "user")


def test_a_line_taken_out_by_hand_is_soft_deleted_and_put_back_is_active(jsonl: Book, file: Path) -> None:
    saved(jsonl, "one", "two")
    whole = file.read_bytes()
    file.write_bytes(whole.splitlines(keepends=True)[0])
    assert [record.content for record in jsonl.list()] == ["one"]
    file.write_bytes(whole)
    assert [record.content for record in jsonl.list()] == ["two", "one"]


def test_without_its_catalog_the_book_gives_the_same_answers(open_jsonl: Opener, cache: Path, file: Path) -> None:
    """Ids, statuses and history; and what is restored still comes back under its id, also after a purge."""
    book = open_jsonl()
    saved(book, "one", "two", "three", "four")
    book.archive("m-2")
    book.purge("m-4")
    before = [book.get(id) for id in ("m-1", "m-2", "m-3")], [entry.verb for entry in book.journal()]
    book.close()
    shutil.rmtree(cache)
    book = open_jsonl()
    found = {record.content: record for record in book.list(statuses="all")}
    assert ([found["one"], found["two"], found["three"]], [entry.verb for entry in book.journal()]) == before
    book.restore(found["two"].id)
    saved(book, "five")
    assert ids(file) == ["m-1", "m-2", "m-3", "m-5"]
    assert book.verify()


def test_without_anything_else_the_file_is_a_book(open_jsonl: Opener, cache: Path, folder: Path, file: Path) -> None:
    """G13: the file is trivially recoverable."""
    book = open_jsonl()
    saved(book, "one", "two")
    book.close()
    shutil.rmtree(cache)
    shutil.rmtree(folder / ".commonplace")
    book = open_jsonl()
    assert [book.get(id).content for id in ("m-1", "m-2")] == ["one", "two"]
    saved(book, "three")
    assert ids(file) == ["m-1", "m-2", "m-3"]


def test_what_a_line_cannot_hold_is_all_there_after_reopening(open_jsonl: Opener) -> None:
    book = open_jsonl()
    one, two = (
        book.save(
            f"Statement {number}\nof two lines",
            type="decision",
            rationale="because",
            title="Title",
            project_id="atlas",
            confidence=0.25,
            tags=["a", "b"],
            valid_to="2036-01-01T00:00:00Z",
        )
        for number in (1, 2)
    )
    book.link(one.id, two.id, "supports")
    book.close()
    book = open_jsonl()
    assert (book.get(one.id), book.get(two.id)) == (one, two)
    assert [link.to_id for link in book.explain(one.id).links] == [two.id]


def test_a_candidate_enters_the_file_when_it_is_confirmed(folder: Path, file: Path, jsonl: Book) -> None:
    with commonplace.open(f"jsonl:{folder}", actor="agent:claude") as agent:
        waiting = agent.save("Alice prefers tabs.", type="profile")
    assert waiting.status == "inbox"
    assert not file.exists() or ids(file) == []
    jsonl.confirm(waiting.id)
    assert [line["text"] for line in lines(file)] == ["Alice prefers tabs."]


def theirs_is_appended(file: Path) -> None:
    with file.open("a") as appended:
        appended.write('{"id":"m-2","scope":"session","text":"theirs","tags":null,"ts":"2026-02-26T12:00:00Z"}\n')


def test_a_second_program_that_appends_is_taken_in_and_counted_on_from(jsonl: Book, file: Path) -> None:
    """G13, G38: the format's first program knows nothing of us."""
    saved(jsonl, "one")
    theirs_is_appended(file)
    saved(jsonl, "three")
    assert [(line["id"], line["text"]) for line in lines(file)] == [("m-1", "one"), ("m-2", "theirs"), ("m-3", "three")]
    assert (jsonl.get("m-2").trust, jsonl.get("m-2").scope) == ("operator", "session")


@pytest.mark.parametrize("few", [settings.FILE_LOOK_FEW, 0], ids=["looked-at-anew", "compared-before-the-append"])
def test_a_look_that_took_long_does_not_let_two_lines_have_one_id(
    jsonl: Book, file: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """G6, G38, R3: on a busy machine the look before took so long that the next one seemed too dear."""
    saved(jsonl, "one")
    monkeypatch.setattr(settings, "FILE_LOOK_SHARE", 1e9)
    monkeypatch.setattr(settings, "FILE_LOOK_FEW", few)
    theirs_is_appended(file)
    patiently(lambda: saved(jsonl, "three"))
    assert [(line["id"], line["text"]) for line in lines(file)] == [("m-1", "one"), ("m-2", "theirs"), ("m-3", "three")]
    assert [jsonl.get(f"m-{number}").content for number in (1, 2, 3)] == ["one", "theirs", "three"]


def test_a_line_that_comes_in_while_ours_is_written_is_not_given_the_same_id(
    jsonl: Book, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G6, R3: between our look and our append."""
    saved(jsonl, "one")
    write = JsonlFormat.write

    def and_theirs(*args: Any) -> Any:
        monkeypatch.setattr(JsonlFormat, "write", write)
        theirs_is_appended(file)
        return write(*args)

    monkeypatch.setattr(JsonlFormat, "write", and_theirs)
    with pytest.raises(StaleError, match="somebody changed"):
        saved(jsonl, "three")
    saved(jsonl, "three")
    assert [(line["id"], line["text"]) for line in lines(file)] == [("m-1", "one"), ("m-2", "theirs"), ("m-3", "three")]


def test_a_byte_order_mark_is_the_files_and_stays_when_its_first_line_leaves(jsonl: Book, file: Path) -> None:
    """Row 31: it goes neither away with the line nor into the middle of the file when that comes back."""
    first, _ = saved(jsonl, "one", "two")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    jsonl.forget(first)
    assert file.read_bytes().startswith(b'\xef\xbb\xbf{"id":"m-2"')
    jsonl.restore(first)
    assert file.read_bytes().startswith(b'\xef\xbb\xbf{"id":"m-1"')
    assert file.read_bytes().count(b"\xef\xbb\xbf") == 1
    assert jsonl.get("m-1").id == first
