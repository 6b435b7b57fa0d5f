"""Closed lists are closed: a word outside is refused on every way in, with the whole list in the message (rfc 28-36)."""

from __future__ import annotations

import json

import pytest

from commonplace.engine.list import List, filter_of
from commonplace.engine.search import Search
from commonplace.errors import InvalidError
from commonplace.model.link import Link
from commonplace.model.record import MemoryRecord
from commonplace.model.source import IngestionEvent, JobState, Trigger
from commonplace.model.words import Relation, Scope, SourceKind, Status, Tier, Trust, Type, Verb
from commonplace.testing.clocks import EPOCH

RECORD_FIELDS = {
    "type": Type,
    "scope": Scope,
    "status": Status,
    "source_kind": SourceKind,
    "tier": Tier,
    "trust": Trust,
}
NOT_WORDS = ["nonsense", "Active", "", "profile ", 7, None, ["profile"]]


def names_the_list(refused: InvalidError, words: type) -> bool:
    return refused.kind == "invalid" and all(word in f"{refused}" for word in words)


def a_record(**fields):
    plain = {
        "id": "r1", "type": "profile", "scope": "global", "status": "active", "content": "Tabs.", "kind": "preference",
        "created_at": EPOCH, "updated_at": EPOCH, "fingerprint": "sha256:0",
    }  # fmt: skip
    return plain | fields


def test_the_lists_are_those_of_the_rfc():
    """rfc 28, 30-32, 36; X-13 adds `deleted`."""
    assert {*Type} == {"profile", "project", "decision", "artifact", "episode", "task_hint"}
    assert {*Scope} == {"global", "project", "repo", "agent", "session"}
    assert {*Status} == {"inbox", "active", "superseded", "contradicted", "archived", "deleted"}
    assert {*SourceKind} == {"manual", "conversation", "run", "document", "import"}
    assert {*Relation} == {"supports", "contradicts", "supersedes", "applies_to", "derived_from", "related_to"}
    assert {*Trigger} == {"manual_write", "session_close", "conversation_capture", "scheduled_maintenance"}
    assert {*JobState} == {"pending", "running", "done", "failed", "dead"}


@pytest.mark.parametrize("word", NOT_WORDS, ids=repr)
@pytest.mark.parametrize("field", RECORD_FIELDS)
def test_a_record_is_not_made_with_a_word_outside_its_list(field, word):
    with pytest.raises(InvalidError) as refused:
        MemoryRecord(**a_record(**{field: word}))
    assert names_the_list(refused.value, RECORD_FIELDS[field])


@pytest.mark.parametrize("field", RECORD_FIELDS)
def test_a_record_is_not_read_from_json_with_a_word_outside_its_list(field):
    plain = MemoryRecord(**a_record()).to_dict() | {field: "nonsense"}
    for read in (lambda: MemoryRecord.from_dict(plain), lambda: MemoryRecord.from_json(json.dumps(plain))):
        with pytest.raises(InvalidError) as refused:
            read()
        assert names_the_list(refused.value, RECORD_FIELDS[field])


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda book, _: book.save("x y", type="nonsense"), Type),
        (lambda book, _: book.save("x y", type="profile", scope="nonsense"), Scope),
        (lambda book, ids: book.link(*ids, "nonsense"), Relation),
        (lambda book, ids: book.unlink(*ids, "nonsense"), Relation),
        (lambda book, _: book.list(statuses="nonsense"), Status),
        (lambda book, _: book.list(types=["profile", "nonsense"]), Type),
        (lambda book, _: book.list(scopes="nonsense"), Scope),
        (lambda book, _: book.list(trusts="nonsense"), Trust),
        (lambda book, _: book.search("x", statuses="nonsense"), Status),
        (lambda book, _: book.search("x", types="nonsense"), Type),
        (lambda book, _: book.search("x", scopes="nonsense"), Scope),
        (lambda book, _: book.journal(verb="nonsense"), Verb),
        (lambda book, _: book.import_("nowhere", trust="nonsense"), Trust),
    ],
)
def test_no_verb_takes_a_word_outside_a_closed_list(book, everything, ask, words):
    ids = [book.save(text, type="profile").id for text in ("One.", "Two.")]
    before = everything(book)
    with pytest.raises(InvalidError) as refused:
        ask(book, ids)
    assert names_the_list(refused.value, words)
    assert everything(book) == before


def test_opening_a_book_takes_no_trust_outside_the_list(open_book, path):
    with pytest.raises(InvalidError) as refused:
        open_book(trust="nonsense")
    assert names_the_list(refused.value, Trust)
    assert not path.exists()


@pytest.mark.parametrize("field", RECORD_FIELDS)
def test_an_imported_line_with_a_word_outside_its_list_is_kept_aside_with_the_list(book, open_book, tmp_path, field):
    book.save("Tabs.", type="profile")
    plain = book.list()[0].to_dict() | {"id": "other", field: "nonsense"}
    (tmp_path / "lines.jsonl").write_text(json.dumps({"memory": plain}) + "\n")
    report = open_book(at=tmp_path / "other.sqlite").import_(str(tmp_path / "lines.jsonl"))
    assert [finding.where for finding in report.kept_aside] == ["line 1"]
    assert all(word in report.kept_aside[0].message for word in RECORD_FIELDS[field])


def test_links_and_events_have_closed_lists_too():
    with pytest.raises(InvalidError) as refused:
        Link(from_id="a", to_id="b", relation="nonsense", created_at=EPOCH)
    assert names_the_list(refused.value, Relation)
    event = {"id": "e", "trigger": "manual_write", "source_ref": "s", "requested_scope": "global",
             "created_at": EPOCH, "updated_at": EPOCH}  # fmt: skip
    for field, words in (("trigger", Trigger), ("state", JobState), ("requested_scope", Scope)):
        with pytest.raises(InvalidError) as refused:
            IngestionEvent.from_dict({**event, field: "nonsense"})
        assert names_the_list(refused.value, words)


def test_the_message_shows_a_long_word_short():
    with pytest.raises(InvalidError) as refused:
        MemoryRecord(**a_record(type="x" * 10_000))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("said", "meant"), [("decisoin", "decision"), ("Profile", "profile"), ("task-hint", "task_hint")]
)
def test_a_slip_is_answered_with_the_word_that_was_meant(said, meant):
    with pytest.raises(InvalidError) as refused:
        Type.of(said, "type")
    assert refused.value.hint == f"Did you mean {meant}?"


def test_the_hint_does_not_repeat_the_list():
    for said in ("zzz", "x" * 100_000, 7, None):
        with pytest.raises(InvalidError) as refused:
            Type.of(said, "type")
        assert names_the_list(refused.value, Type)
        assert refused.value.hint == InvalidError.hint
    with pytest.raises(InvalidError) as refused:
        MemoryRecord.from_dict(MemoryRecord(**a_record()).to_dict() | {"status": "archive"})
    assert refused.value.hint == "Did you mean archived?"


@pytest.mark.parametrize("request_class", [List, Search])
def test_who_asks_for_a_status_that_there_is_not_hears_of_all(request_class):
    ask = {"query": "x"} if request_class is Search else {}
    asked = request_class(statuses=("active", "foo"), **ask)
    with pytest.raises(InvalidError, match="contradicted, archived, deleted, all") as refused:
        filter_of(asked) if request_class is List else asked.filter()
    assert refused.value.where == "statuses"
    every = request_class(statuses=("all",), **ask)
    assert (filter_of(every) if request_class is List else every.filter()).statuses == tuple(Status)
