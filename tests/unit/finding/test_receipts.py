"""Receipts: every search leaves one that tells why these came up and those did not; it delays nobody and keeps no secret."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from hashlib import sha256

import apsw
import pytest

from commonplace import settings
from commonplace.catalog.sqlite import deflated, receipts, schema
from commonplace.errors import NotFoundError
from commonplace.testing.clocks import EPOCH, FixedClock
from commonplace.testing.makers import a_receipt

SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"
QUERY = "which port does the shop use"


@pytest.fixture
def shop(book):
    for n in range(30):
        book.save(f"The shop uses port {n}.", type="project", project_id="shop")
    return book


@pytest.fixture
def busy(path):
    """Somebody else holds the book's write lock while the block lasts."""

    def hold():
        from commonplace.catalog.sqlite.canon import SqliteCanon

        canon = SqliteCanon(str(path), timeout=5)
        writing = canon.writing(5)
        writing.__enter__()
        return canon, writing

    held, release = threading.Event(), threading.Event()

    def run():
        canon, writing = hold()
        held.set()
        release.wait(30)
        writing.__exit__(None, None, None)
        canon.close()

    thread = threading.Thread(target=run)

    class Busy:
        def __enter__(self):
            thread.start()
            assert held.wait(10)

        def __exit__(self, *_):
            release.set()
            thread.join()

    return Busy()


def test_each_search_leaves_one_that_holds_all_of_it(shop):
    results = shop.search(QUERY, project="shop", types=["project"], limit=3)
    (receipt,) = shop.receipts()
    assert receipt.id == results.receipt_id
    assert (receipt.moment, receipt.actor, receipt.surface, receipt.profile) == ("search", "alice", "library", "hybrid")
    assert (receipt.query, receipt.query_hash) == (QUERY, sha256(QUERY.encode()).hexdigest())
    assert receipt.asked == {"project": "shop", "types": ["project"], "limit": 3}
    assert [one.memory_id for one in receipt.chosen] == [result.record.id for result in results]
    for one, result in zip(receipt.chosen, results, strict=True):
        assert (one.score, one.scores, one.ranks) == (result.score, result.scores, result.ranks)
    assert {stream.name: stream.searched for stream in receipt.streams} == {"lexical": True, "semantic": False}
    assert "no embedder" in receipt.streams[1].why_not
    assert {"least", "linked", "strong"} <= receipt.thresholds.keys()
    assert {"lexical", "fuse", "choose"} <= receipt.timings.keys()
    assert all(taken >= 0 for taken in receipt.timings.values())
    assert (receipt.outcome, receipt.confidence) == (results.outcome, results.confidence)


def test_near_misses_say_why_they_lost(shop):
    shop.search(QUERY, limit=3)
    (receipt,) = shop.receipts()
    assert len(receipt.near_misses) == settings.NEAR_MISSES_KEPT
    assert {one.reason for one in receipt.near_misses} == {"others scored higher"}
    assert not {one.memory_id for one in receipt.chosen} & {one.memory_id for one in receipt.near_misses}
    worst = min(one.score for one in receipt.chosen)
    assert all(one.score <= worst for one in receipt.near_misses)


def test_a_search_that_found_nothing_leaves_one_too(book):
    book.search("nothing at all")
    (receipt,) = book.receipts()
    assert (receipt.outcome, receipt.chosen) == ("nothing_found", ())


def test_looking_changes_nothing_that_is_journalled(shop, everything):
    before = everything(shop)
    shop.search(QUERY)
    shop.explain(shop.receipts()[0].id)
    assert everything(shop) == before
    assert shop.verify()


def test_by_setting_only_the_hash_of_a_question_is_kept(shop, path, monkeypatch):
    monkeypatch.setenv("COMMONPLACE_RECEIPT_QUERIES", "hash")
    shop.search("a most peculiar question")
    (receipt,) = shop.receipts()
    assert (receipt.query, receipt.query_hash) == (None, sha256(b"a most peculiar question").hexdigest())
    explained = shop.explain(receipt.id)
    assert (explained.again, explained.same) == (None, None)
    shop.close()
    assert b"peculiar" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


@pytest.mark.parametrize("where", ["query", "project", "tags"])
def test_a_secret_in_a_question_is_never_stored(shop, path, where):
    asked = {"query": "port"} | {where: [SECRET] if where == "tags" else f"my key is {SECRET}"}
    shop.search(**asked)
    assert len(shop.receipts()) == 1
    assert shop.receipts()[0].query is None
    assert bool(shop.receipts()[0].query_hash) == (where != "query")  # a short secret could be guessed from its hash
    shop.close()
    assert SECRET.encode() not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_a_question_whose_filter_is_not_kept_is_not_asked_again_without_it(shop):
    """It would be another question, and its answer no explanation (V12)."""
    results = shop.search("port", tags=[SECRET])
    explained = shop.explain(results.receipt_id)
    assert (explained.receipt.query, explained.again, explained.same) == (None, None, None)


@pytest.mark.parametrize("query", ["nul \0 in it", "half \ud800 a character", "x" * 5000])
def test_what_cannot_or_need_not_be_kept_is_kept_as_its_hash(shop, query):
    shop.search(query)
    assert shop.receipts()[0].query is None


# Waiting ----------------------------------------------------------------------------------------------------------------


def test_a_busy_writer_does_not_hold_up_a_search_and_the_receipt_comes_later(shop, busy):
    shop.search("port")
    with busy:
        started = time.monotonic()
        results = shop.search(QUERY)
        taken = time.monotonic() - started
        assert len(results) == 10
        assert taken < settings.RECEIPT_WAIT_SECONDS + 0.5
        assert results.receipt_id not in [receipt.id for receipt in shop.receipts()]
        assert shop.explain(results.receipt_id).same is True  # it can be told all the same
    again = shop.search("another question")
    assert [receipt.id for receipt in shop.receipts()][:2] == [again.receipt_id, results.receipt_id]


def test_what_still_waits_is_written_when_the_book_is_closed(shop, busy, open_book):
    with busy:
        results = shop.search(QUERY)
    shop.close()
    assert open_book().explain(results.receipt_id).receipt.query == QUERY


def test_behind_a_writer_that_never_ends_the_newest_are_kept(shop, busy, monkeypatch):
    monkeypatch.setattr(settings, "RECEIPT_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(settings, "RECEIPTS_WAITING", 3)
    with busy:
        ids = [shop.search(f"port {n}").receipt_id for n in range(5)]
    shop.search("at last")
    assert [receipt.id for receipt in shop.receipts()][1:] == ids[:1:-1]


def test_threads_lose_no_receipt(shop):
    def ask():
        for n in range(5):
            shop.search(f"port {n}")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shop.search("flush what waits")
    assert len(shop.receipts(limit=100)) == 21


def test_a_book_that_cannot_be_written_is_searched_all_the_same(shop, open_book, path):
    shop.search("settle")
    shop.close()
    path.chmod(0o400)
    for beside in path.parent.glob("book.sqlite-*"):
        beside.unlink()
    path.parent.chmod(0o500)
    try:
        results = open_book(create=False).search(QUERY)
        assert len(results) == 10
    finally:
        path.parent.chmod(0o700)
        path.chmod(0o600)


# Making room, and being forgotten -----------------------------------------------------------------------------------------


def test_the_oldest_make_room(shop, monkeypatch):
    monkeypatch.setattr(settings, "RECEIPTS_KEPT", 5)
    ids = []
    for n in range(5):
        shop._scribe.unkept += (waiting := [a_receipt(at=EPOCH + timedelta(days=n, seconds=k)) for k in range(70)])
        shop._scribe.clock.moment = EPOCH + timedelta(days=n, hours=1)
        ids += [*(receipt.id for receipt in waiting), shop.search("port").receipt_id]
    left = [receipt.id for receipt in shop.receipts(limit=1000)]
    assert 5 <= len(left) < 300
    assert left == ids[::-1][: len(left)]


def test_purging_a_memory_takes_the_receipts_that_name_it(shop, path):
    doomed = shop.save("The falcon code is zebra-unicorn.", type="project", project_id="shop")
    kept = shop.search("shop port 3", limit=3).receipt_id
    gone = shop.search("what about zebra-unicorn").receipt_id
    nearly = shop.search("shop falcon port", limit=1).receipt_id
    shop.purge(doomed.id)
    left = {receipt.id for receipt in shop.receipts()}
    assert kept in left
    assert gone not in left
    with pytest.raises(NotFoundError):
        shop.explain(gone)
    assert doomed.id not in {one.memory_id for r in shop.receipts() for one in (*r.chosen, *r.near_misses)}
    assert nearly
    shop.close()
    assert b"zebra-unicorn" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_a_receipt_that_waits_does_not_outlive_the_memory_it_names(shop, busy, path):
    """Whether it was chosen or nearly so."""
    doomed = shop.save("The falcon code is zebra-unicorn.", type="project", project_id="shop")
    better = shop.save("The code: unicorn, zebra.", type="project", project_id="shop")
    with busy:
        gone = shop.search("zebra unicorn code falcon").receipt_id
        nearly = shop.search("zebra unicorn code", limit=1)
        missed = [one.memory_id for one in shop.explain(nearly.receipt_id).receipt.near_misses]
        assert (nearly[0].record.id, missed) == (better.id, [doomed.id])
    shop.purge(doomed.id)
    shop.search("port")
    assert not {gone, nearly.receipt_id} & {receipt.id for receipt in shop.receipts()}
    shop.close()
    assert b"zebra-unicorn" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


# Explaining -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        {}, {"project": "shop"}, {"types": ["project"], "tags": []}, {"limit": 3, "profile": "words"}, {"profile": "recent"},
        {"statuses": "all"}, {"since": "2026-05-03T00:00:00Z"}, {"as_of": "2026-05-03T12:00:20Z"}, {"profile": "vault"},
        {"scopes": ["project"], "kinds": ["note"], "trusts": ["operator"]}, {"types": []}, {"rerank": False},
    ],
    ids=str,
)  # fmt: skip
def test_a_receipt_reproduces_its_ranking_until_something_changes(shop, asked):
    results = shop.search(QUERY, **asked)
    explained = shop.explain(results.receipt_id)
    assert explained.same is True
    assert explained.again == tuple(result.record.id for result in results)
    assert explained.because.startswith("alice asked through library on 2026-05-03")
    assert explained.receipt.outcome == results.outcome


def test_it_is_no_longer_the_same_when_an_answer_is_gone(shop):
    results = shop.search(QUERY)
    shop.archive(results[0].record.id)
    explained = shop.explain(results.receipt_id)
    assert explained.same is False
    assert results[0].record.id not in explained.again
    assert results[0].record.id in [one.memory_id for one in explained.receipt.chosen]


def test_yesterday_is_still_the_same_day_when_it_is_explained_later(open_book):
    clock = FixedClock()
    book = open_book(clock=clock)
    for days in range(-3, 4):
        moment = clock.now() - timedelta(days=days)
        book.save(f"The standup {days} was short.", type="project", project_id="p", observed_at=moment)
    results = book.search("standup yesterday", limit=1)
    clock.move(days=3)
    assert book.explain(results.receipt_id).same is True
    assert book.search("standup yesterday", limit=1)[0].record.id != results[0].record.id


def test_a_memory_tells_when_it_was_last_brought_up(shop):
    ids = [shop.search("port 7").receipt_id for _ in range(7)]
    memory = shop.search("port 7")[0].record
    told = [receipt.id for receipt in shop.explain(memory.id).receipts]
    assert len(told) == 5
    assert told[1:] == ids[:2:-1]
    assert shop.receipts(memory=memory.id, limit=2)[1].id == ids[-1]
    assert shop.explain(shop.save("Never asked for.", type="episode").id).receipts == ()


def test_receipts_can_be_asked_for_by_alias_session_and_time(shop):
    named = shop.save("The falcon.", type="episode", aliases=["m-9"])
    first = shop.search("falcon").receipt_id
    at = shop.receipts()[0].at
    shop.context_for(project="shop", task="port", session="s-1")
    assert [receipt.id for receipt in shop.receipts(memory="m-9")] == [first]
    assert [receipt.id for receipt in shop.receipts(memory=named.id, since=at)] == [first]
    assert [receipt.session for receipt in shop.receipts(session="s-1")] == ["s-1"]
    assert len(shop.receipts(since=at)) == 2


def test_a_receipt_that_cannot_be_read_is_as_good_as_none(shop, path):
    results = shop.search(QUERY)
    db = apsw.Connection(str(path))
    db.execute("UPDATE retrieval_logs SET receipt = '{'")
    db.close()
    assert shop.receipts() == []
    with pytest.raises(NotFoundError):
        shop.explain(results.receipt_id)
    assert len(shop.search(QUERY)) == 10


AS_IN_FORMAT_5 = """
CREATE TABLE was (id TEXT PRIMARY KEY, at INTEGER NOT NULL, moment TEXT, query TEXT, receipt TEXT NOT NULL, session TEXT)
  WITHOUT ROWID;
INSERT INTO was SELECT id, at, moment, query, told(receipt), session FROM retrieval_logs;
DROP TABLE retrieval_logs;
ALTER TABLE was RENAME TO retrieval_logs;
CREATE INDEX retrieval_logs_by_time ON retrieval_logs (at);
CREATE INDEX retrieval_logs_by_session ON retrieval_logs (session, at) WHERE session IS NOT NULL;
CREATE TABLE retrieval_log_memories (memory_id TEXT, log_id TEXT, PRIMARY KEY (memory_id, log_id)) WITHOUT ROWID;
INSERT OR REPLACE INTO book VALUES ('receipts_upto', (SELECT max(id) FROM retrieval_logs));
PRAGMA user_version = 5;
"""


def test_receipts_of_an_older_format_are_brought_forward(shop, open_book, path):
    """They lay there as text, two pages each, and under names as long as their own."""
    for n in range(70):
        shop.search(f"port {n}")
    shop.context_for(project="shop", task="port 7", session="s-1")
    before, about = shop.receipts(limit=100), shop.search("port 7")[0].record.id
    named = [receipt.id for receipt in shop.receipts(memory=about, limit=100)]
    shop.close()
    db = apsw.Connection(str(path))
    db.create_scalar_function("told", lambda stored: deflated.inflate(stored).decode())
    for step in AS_IN_FORMAT_5.split(";"):
        db.execute(step)
    db.execute("UPDATE retrieval_logs SET receipt = '{' WHERE id = ?", (before[-1].id,))  # one is damaged
    db.close()
    book = open_book()
    assert book.stats().format_version == schema.VERSION
    assert book.receipts(limit=100)[1:] == before[:-1]
    assert [receipt.id for receipt in book.receipts(memory=about, limit=100)] == [
        id for id in named if id != before[-1].id
    ]
    assert book.doctor(full=True).ok
    book.purge(about)
    assert not {*named} & {receipt.id for receipt in book.receipts(limit=100)}


def test_a_receipt_takes_a_fifth_of_what_it_says(shop, path):
    for n in range(40):
        shop.search(f"which port does shop {n} use")
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    stored = [row[0] for row in db.execute("SELECT receipt FROM retrieval_logs")]
    db.close()
    assert sum(map(len, stored)) < sum(len(deflated.inflate(one)) for one in stored) / 4


@pytest.mark.parametrize(
    "stored", [None, "{}", 7, b"", b"{}", deflated.deflate(b"{}")[:-1], b"x" + deflated.deflate(b"{}")]
)
def test_what_we_did_not_deflate_is_not_inflated(stored):
    with pytest.raises(ValueError, match="this"):
        deflated.inflate(stored)


@pytest.mark.parametrize("raw", [b"", b"{}", "Łódź 東京".encode(), bytes(range(256)) * 50])
def test_what_was_deflated_is_had_back(raw):
    assert deflated.inflate(deflated.deflate(raw)) == raw


def test_what_claims_to_be_endless_is_damage(monkeypatch):
    monkeypatch.setattr(deflated, "_LONGEST", 1_000)
    assert deflated.inflate(deflated.deflate(b"a" * 999))
    with pytest.raises(ValueError, match="no end"):
        deflated.inflate(deflated.deflate(b"a" * 5_000))


def test_two_memories_that_are_found_by_the_same_four_bytes_are_told_apart(shop, monkeypatch):
    monkeypatch.setattr(receipts, "mark_of", lambda _: b"same")
    falcon, owl = (shop.save(f"A {bird} nests here.", type="episode") for bird in ("falcon", "owl"))
    found = shop.search("falcon", profile="words", limit=1)
    assert [receipt.id for receipt in shop.receipts(memory=falcon.id)] == [found.receipt_id]
    assert shop.receipts(memory=owl.id) == []
    assert shop.receipts(memory=falcon.id, limit=1)[0].chosen[0].memory_id == falcon.id


def test_a_number_that_is_free_again_names_another_receipt(shop):
    """The last receipt goes with its memory, and the next one gets its number."""
    about = shop.save("A falcon.", type="episode")
    for _ in range(63):
        shop.search("port 3")
    shop.search("falcon")
    shop.purge(about.id)
    again = shop.search("port 3")
    assert shop.receipts(memory=again[0].record.id, limit=1)[0].id == again.receipt_id


def test_receipts_stay_with_the_book_and_are_not_exported(shop, open_book, tmp_path):
    """They tell what somebody looked for on this machine; an export is the book's content and its journal."""
    shop.search("a most peculiar question")
    shop.export(tmp_path / "book.jsonl")
    assert "peculiar" not in (tmp_path / "book.jsonl").read_text()
    other = open_book(at=tmp_path / "other.sqlite")
    other.import_(tmp_path / "book.jsonl")
    assert other.receipts() == []
    shop.backup(tmp_path / "copy.sqlite")
    assert len(open_book(at=tmp_path / "copy.sqlite").receipts()) == 1  # a backup is the whole file
