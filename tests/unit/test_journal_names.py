"""What entries of the journal can be found by is noted for many at once; what was written is found at once all the same."""

from __future__ import annotations

import shutil
import struct
from contextlib import suppress
from pathlib import Path
from statistics import median

import apsw
import pytest

import commonplace
from commonplace.catalog.sqlite import journal_keys
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.model.words import Entity
from commonplace.testing.makers import a_link, a_memory, a_signature

SAMPLES = Path(__file__).parent.parent / "samples"


@pytest.fixture
def canon(path):
    made = SqliteCanon(str(path), timeout=5.0)
    yield made
    made.close()


def put(canon, *nouns, entity=Entity.MEMORY, before=None):
    """One entry for each; returns the signatures."""
    signed = []
    for noun in nouns:
        with canon.writing(5.0) as draft:
            signed.append(a_signature())
            draft.commit(signed[-1], [(entity, before, noun)])
    return signed


@pytest.fixture(params=["waiting", "taken in", "half of them"])
def told(request, canon):
    """Two memories and a link between them, in three entries, noted in the index or not yet."""
    one, other = a_memory(), a_memory()
    link = a_link(one, "supports", other)
    signed = put(canon, one)
    if request.param == "half of them":
        take_in(canon)
    signed += [*put(canon, other), *put(canon, link, entity=Entity.LINK)]
    if request.param == "taken in":
        take_in(canon)
    with canon.reading() as view:
        assert journal_keys.upto(view.connection) == {"waiting": 0, "half of them": 1, "taken in": 3}[request.param]
        yield view, (one, other, link), signed


def take_in(canon):
    with canon.writing(5.0) as draft:
        journal_keys.take_in(draft.connection)


def seqs(view, **asked):
    return [operation.seq for operation in view.operations(**asked)]


def test_a_history_is_the_same_wherever_its_entries_are_noted(told):
    view, (one, other, link), _ = told
    assert [seqs(view, subject=thing.id) for thing in (one, other, link)] == [[1, 3], [2, 3], [3]]
    assert seqs(view, subject=one.id, newest_first=True) == [3, 1]
    assert seqs(view, subject=one.id, after_seq=1) == [3]
    assert seqs(view, subject="nobody") == []


def test_an_entry_is_found_by_its_own_id_and_is_no_history_of_it(told):
    view, _, signed = told
    assert [view.operation(signature.id).seq for signature in signed] == [1, 2, 3]
    assert view.operation("nobody") is None
    ids = [signature.id for signature in signed]
    assert view.known_operations([*ids, "nobody"]) == {*ids}
    assert [seqs(view, subject=id) for id in ids] == [[], [], []]


def test_what_the_journal_speaks_of_is_named_once_and_sorted(told):
    view, things, signed = told
    assert [*view.subjects()] == sorted(thing.id for thing in things)
    assert all(view.is_subject(thing.id) for thing in things)
    assert not view.is_subject(signed[0].id)
    assert not view.is_subject("nobody")


def test_an_entry_can_be_found_by_what_it_names_and_by_nothing_else(told):
    view, (one, other, link), signed = told
    assert view.is_named(3, [link.id, one.id, other.id, signed[2].id])
    assert not view.is_named(3, [link.id, signed[0].id])
    assert not view.is_named(2, [one.id])


def test_actors_and_verbs_are_found_wherever_they_are_noted(told):
    view, _, signed = told
    assert seqs(view, actor=signed[0].actor) == seqs(view, verb="save") == [1, 2, 3]
    assert seqs(view, actor="nobody") == []


def test_a_thousand_entries_are_each_found_once(canon):
    """More than ten rounds of taking in, some of one entry and some of many."""
    records = [a_memory() for _ in range(1_000)]
    with canon.writing(5.0) as draft:
        for at in range(0, 1_000, 20):
            draft.commit_all([(a_signature(), Entity.MEMORY, record) for record in records[at : at + 17]])
            for record in records[at + 17 : at + 20]:
                draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
    with canon.reading() as view:
        assert 900 < journal_keys.upto(view.connection) < 1_000
        assert [*view.subjects()] == sorted(record.id for record in records)
        assert [seqs(view, subject=record.id) for record in records] == [[seq] for seq in range(1, 1_001)]
        assert seqs(view, verb="save") == [*range(1, 1_001)]


def test_names_of_a_change_that_was_undone_are_forgotten(canon):
    """What a connection has read of the newest entries does not outlive them, also where their numbers are given out again."""
    one, other = a_memory(), a_memory()
    with suppress(KeyError), canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, one)])
        assert draft.is_subject(one.id)
        raise KeyError
    put(canon, other)
    with canon.reading() as view:
        assert ([*view.subjects()], view.is_subject(one.id)) == ([other.id], False)


def test_what_another_process_writes_is_found_by_one_that_has_read_before(canon, path):
    first, second = a_memory(), a_memory()
    put(canon, first)
    with canon.reading() as view:
        assert seqs(view, subject=first.id) == [1]
    other = SqliteCanon(str(path), timeout=5.0)
    try:
        put(other, second, *(a_memory() for _ in range(70)))
        with canon.reading() as view:
            assert seqs(view, subject=second.id) == [2]
        with other.reading() as view:
            assert seqs(view, subject=first.id) == [1]
    finally:
        other.close()


def test_a_purge_finds_what_waits_and_leaves_nothing_of_it(book, path):
    """R12: entries whose names wait lose their payloads like all others, and can still be found afterwards."""
    gone, stays = book.save("The falcon lands at dawn.", type="episode"), book.save("Tea at four.", type="episode")
    book.link(gone.id, stays.id, "supports")
    book.purge(gone.id)
    assert [entry.purged for entry in book.history(stays.id)] == [False, True]
    assert book.verify().findings == ()
    assert b"falcon" not in path.read_bytes()


def test_a_damaged_entry_keeps_nobody_from_going_on(open_book, path):
    """Row 135: it is named by `verify`; the names of the others are noted all the same."""
    book = open_book()
    saved = [book.save(f"Number {number}.", type="episode") for number in range(60)]
    book.close()
    db = apsw.Connection(str(path))
    db.execute("UPDATE journal SET payload = x'7b22ff' WHERE seq = 30")
    db.close()
    book = open_book()
    saved += [book.save(f"Number {number}.", type="episode") for number in range(60, 70)]
    assert {finding.code for finding in book.verify().findings} >= {"journal_altered", "journal_unreadable"}
    assert [entry.seq for entry in book.history(saved[40].id)] == [41]


def test_a_book_of_format_3_names_each_entry_once(tmp_path):
    """There the names of all entries were noted, and actors and verbs of some."""
    shutil.copy(SAMPLES / "v3.sqlite", tmp_path / "book.sqlite")
    with commonplace.open(f"sqlite:{tmp_path / 'book.sqlite'}", actor="alice") as book:
        before = {entry.id for entry in book.journal(limit=1_000)}
        for number in range(70):
            book.save(f"Number {number}.", type="episode")
        told = [entry.seq for entry in book.history(book.get("m-1").id)]
        assert told == sorted({*told})
        with book._scribe.canon.reading() as view:
            assert view.known_operations(sorted(before)) == before
        assert book.verify().findings == ()


def test_a_save_touches_four_pages(open_book, path, monkeypatch):
    """The memory, its id, its fingerprint and its entry: what is paid with every flush (issue 2)."""
    monkeypatch.setattr("commonplace.settings.WAL_AUTOCHECKPOINT_PAGES", 1_000_000)
    book = open_book()
    for number in range(300):
        book.save(f"Number {number}: the quick brown fox jumps over the lazy dog.", type="episode")
    touched = [*frames(Path(f"{path}-wal").read_bytes())][-200:]
    assert len(touched) == 200
    assert median(touched) <= 4
    assert sum(touched) / len(touched) <= 7


def frames(log):
    """How many pages each transaction of a write-ahead log wrote."""
    [size] = struct.unpack(">I", log[8:12])
    count = 0
    for at in range(32, len(log), size + 24):
        count += 1
        if struct.unpack(">I", log[at + 4 : at + 8]) != (0,):
            yield count
            count = 0


def test_a_twin_is_looked_for_along_the_index(canon):
    """Nothing is looked through from end to end (issue 2): the end of the fingerprint leads, the whole of it decides."""
    record = a_memory()
    put(canon, record)
    with canon.reading() as view:
        db = view.connection
        seen: list[str] = []
        db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: seen.append(event["sql"]))
        assert view.same_words(record.fingerprint) == [record.id]
        db.trace_v2(0)
        plan = [row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {seen[-1]}", (record.fingerprint,))]
    assert any("memories_by_fingerprint" in step for step in plan), plan
    with canon.reading() as view:
        assert view.same_words("sha256:" + "0" * 48 + record.fingerprint[-16:]) == []
