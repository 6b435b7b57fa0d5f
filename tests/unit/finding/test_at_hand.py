"""What a connection keeps between two questions is never older than the book, whoever wrote to it (rfc 45, row 45)."""

from __future__ import annotations

import random
import subprocess
import sys
import threading

import numpy as np
import pytest

from commonplace.catalog.sqlite import addends, at_hand, comparing, held, lexical, vectors
from commonplace.model.filter import Filter
from commonplace.model.words import Entity
from commonplace.testing.makers import a_memory, a_signature

from .canons import committed

SEED = 20_261_116
print(f"seed {SEED}")
ELSEWHERE = """
import sys, commonplace
with commonplace.open(sys.argv[1], actor="operator") as book:
    more = {"save": {"type": "episode"}, "evolve": {"reason": "it changed"}}
    getattr(book, sys.argv[2])(*sys.argv[3:], **more.get(sys.argv[2], {}))
"""


def elsewhere(book, *words):
    """One verb in a process of its own."""
    said = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, book.url, *words], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr


def in_a_thread(work):
    """With a connection of its own."""
    said = []
    thread = threading.Thread(target=lambda: said.append(work()))
    thread.start()
    thread.join()
    return said[0]


@pytest.fixture
def shop(understood):
    """A book that was asked so often that all it says is at hand."""
    for text in ("We ship on Friday.", "The car is red.", "The doctor is in.", "Dinner is at seven."):
        understood.save(text, type="episode")
    understood.index_pending()
    for _ in range(4):
        for asked in ("when do we ship", "which car", "the doctor", "dinner time"):
            understood.search(asked)
    return understood


# Another process writes ---------------------------------------------------------------------------------------------------


def test_what_another_process_saves_is_found_at_once(shop, found):
    assert "The crane lifts the boat." not in found(shop, "crane ship")
    elsewhere(shop, "save", "The crane lifts the boat.")
    assert "The crane lifts the boat." in found(shop, "crane ship")


def test_what_another_process_changes_has_its_new_words_only(shop, found):
    old = shop.search("when do we ship")[0].record
    elsewhere(shop, "evolve", old.id, "We deliver on Monday.")
    assert found(shop, "deliver Monday")[0] == "We deliver on Monday."
    assert "We ship on Friday." not in found(shop, "when do we ship")


@pytest.mark.parametrize("verb", ["archive", "forget", "purge"])
def test_what_another_process_puts_away_no_longer_comes_up(shop, found, verb):
    old = shop.search("which car")[0].record
    assert "car" in old.content
    elsewhere(shop, verb, old.id)
    assert old.content not in found(shop, "which car")
    assert old.content not in found(shop, "red car")


def test_what_another_process_takes_back_comes_up_again(shop, found):
    old = shop.search("which car")[0].record
    shop.archive(old.id)
    assert old.content not in found(shop, "which car")
    elsewhere(shop, "restore", old.id)
    assert old.content in found(shop, "which car")


def test_scores_are_those_of_a_connection_that_has_nothing_at_hand(shop):
    """Also when a word has become more common meanwhile: bm25 knows how many hold it (rfc 34)."""
    before = shop.search("doctor ship")
    for n in range(5):
        elsewhere(shop, "save", f"Ship number {n} sails.")
    warm = shop.search("doctor ship")
    cold = in_a_thread(lambda: shop.search("doctor ship"))
    assert [(one.record, one.scores) for one in warm] == [(one.record, one.scores) for one in cold]
    assert [one.scores for one in warm] != [one.scores for one in before]


# In the middle of a change ------------------------------------------------------------------------------------------------


def test_a_draft_reads_what_it_has_written_so_far(canon):
    record = a_memory(content="We ship on Friday.")
    committed(canon, record)
    with canon.reading() as view:
        view.by_id([record.id])
        view.strands([1])
    with canon.writing(5.0) as draft:
        changed = record.with_(content="No more.")
        assert draft.by_id([record.id])[record.id].content == "We ship on Friday."
        draft.connection.execute("UPDATE memories SET content = 'Not yet journalled.' WHERE n = 1")
        assert draft.strands([1])[1].opening == "Not yet journalled."
        draft.connection.execute("UPDATE memories SET content = 'We ship on Friday.' WHERE n = 1")
        draft.commit(a_signature("evolve"), [(Entity.MEMORY, record, changed)])
        assert draft.by_id([record.id])[record.id].content == "No more."
        assert draft.strands([1])[1].opening == "No more."


def undone(canon, record):
    """A change that fails after what it wrote was read."""
    with canon.writing(5.0) as draft:
        draft.commit(a_signature("evolve"), [(Entity.MEMORY, record, record.with_(content="No more."))])
        assert draft.by_id([record.id])[record.id].content == "No more."
        assert draft.strands([1])[1].opening == "No more."
        raise ZeroDivisionError


def test_a_change_that_is_undone_leaves_nothing_at_hand(canon):
    record = a_memory(content="We ship on Friday.")
    committed(canon, record)
    with pytest.raises(ZeroDivisionError):
        undone(canon, record)
    with canon.reading() as view:
        assert view.by_id([record.id])[record.id].content == "We ship on Friday."
        assert view.strands([1])[1].opening == "We ship on Friday."


def test_without_a_full_text_index_the_rest_can_be_asked(canon):
    record = a_memory(content="We ship on Friday.")
    committed(canon, record)
    canon._connections.get().execute("DROP TABLE memories_fts").fetchall()
    with canon.reading() as view:
        assert view.by_id([record.id]) == {record.id: record}
        assert view.strands([1])[1].opening == "We ship on Friday."


def test_bytes_that_are_no_text_keep_only_their_own_memory_away(canon):
    one, other = a_memory(content="The first of them."), a_memory(content="The second of them.")
    committed(canon, one, other)
    db = canon._connections.get()
    db.execute("UPDATE memories SET content = CAST(x'ff41' AS TEXT) WHERE n = 1").fetchall()
    with canon.reading() as view:
        hits = view.lexical([("them",)], Filter(), 10)
        assert other.id in {hit.id for hit in hits}
        assert [*view.strands(hits.places)] == [2]
        assert view.by_id([hit.id for hit in hits]) == {other.id: other}


def test_an_id_that_is_no_text_keeps_only_its_own_memory_away(canon):
    one, other = a_memory(content="The first of them."), a_memory(content="The second of them.")
    committed(canon, one, other)
    canon._connections.get().execute("UPDATE memories SET id = CAST(x'ff41' AS TEXT) WHERE n = 1").fetchall()
    with canon.reading() as view:
        assert [hit.id for hit in view.lexical([("them",)], Filter(), 10)] == [other.id]
        assert view.names([1, 2]) == {2: other.id}


def test_what_is_kept_is_little(canon, monkeypatch):
    """Begun anew when it grows beyond its bounds, and right all the same."""
    monkeypatch.setattr(at_hand, "_STRANDS", 5)
    monkeypatch.setattr(at_hand, "_RECORDS", 5)
    records = [a_memory(content=f"Memory {n}.") for n in range(40)]
    committed(canon, *records)
    with canon.reading() as view:
        for start in range(0, 40, 4):
            asked = records[start : start + 4]
            assert view.by_id([each.id for each in asked]) == {each.id: each for each in asked}
            assert [*view.strands(range(start + 1, start + 5))] == [*range(start + 1, start + 5)]
            assert view.names(range(start + 1, start + 5)) == {start + 1 + n: each.id for n, each in enumerate(asked)}
        hand = at_hand.of(view.connection)
    assert len(hand.strands) <= 10
    assert len(hand.names) <= 10
    assert len(hand.records) <= 10


def test_from_the_second_question_on_words_are_remembered(canon):
    """ADR 0028: who asks once gains nothing from it, and does not pay for it."""
    committed(canon, *[a_memory(content=f"ship car boat {n}") for n in range(10)])
    with canon.reading() as view:
        for words, remembered in (("ship", []), ("car boat", ['"car"', '"boat"']), ("car", ['"car"', '"boat"'])):
            view.lexical([(word,) for word in words.split()], Filter(), 5)
            assert [*at_hand.of(view.connection).addends] == remembered


def test_the_words_asked_for_last_are_remembered(canon, monkeypatch):
    monkeypatch.setattr(addends, "_MOST", 300)
    committed(canon, *[a_memory(content=f"ship car boat {n}") for n in range(10)])
    with canon.reading() as view:
        hits = {word: view.lexical([(word,)], Filter(), 5) for word in ("ship", "car", "boat") for _ in range(2)}
        assert [*at_hand.of(view.connection).addends] == ['"car"', '"boat"']
        assert {word: view.lexical([(word,)], Filter(), 5) for word in hits} == hits


# The same to the last digit -----------------------------------------------------------------------------------------------

WORDS = [
    *("ship", "car", "doctor", "dinner", "crane", "boat", "red", "seven"),
    "us-east-1",
    "maxInjectChars",
    "图书馆",
    "C++",
]


@pytest.mark.parametrize("few", [5, 512])
@pytest.mark.parametrize(("small", "sparse"), [(20_000, 32), (20_000, 0), (10, 32), (10, 0)])
def test_word_by_word_the_scores_are_those_of_all_words_at_once(small, sparse, few, canon, monkeypatch):
    """In a small book, and in a large one of which few hold the words; gone through as long as it is, and by holders alone."""
    monkeypatch.setattr(lexical, "SMALL", small)
    monkeypatch.setattr(addends, "_SPARSE", sparse)
    monkeypatch.setattr(addends, "_FEW", few)
    chance = random.Random(SEED)
    committed(canon, *[a_memory(content=" ".join(chance.choices(WORDS, k=chance.randint(1, 30)))) for _ in range(200)])
    read = []
    monkeypatch.setattr(addends, "_read", lambda *asked, real=addends._read: read.append(asked[2]) or real(*asked))
    for round in range(60):
        terms = [tuple(chance.sample(WORDS, chance.choice([1, 1, 1, 2]))) for _ in range(chance.randint(1, 6))]
        limit = chance.choice([1, 7, 30, 250])
        with canon.reading() as view:
            known = view.lexical(terms, Filter(), limit)
        with monkeypatch.context() as plain, canon.reading() as view:
            plain.setattr(addends, "_is_worth_it", lambda *_: False)
            assert known == view.lexical(terms, Filter(), limit), (round, terms)
    assert len({*read}) > 10
    assert len(read) == len({*read})


@pytest.mark.parametrize("dimensions", [1, 7, 32, 384, 1_536, 3_072])
def test_a_cosine_is_the_same_in_whatever_company_and_whoever_adds_it_up(dimensions, monkeypatch):
    """ADR 34: whole numbers have no last digit to lose."""
    chance = np.random.default_rng(SEED)
    codes = chance.integers(-127, 128, (700, dimensions)).astype(np.int8)
    unit = chance.normal(size=dimensions).astype(np.float32)
    unit /= np.linalg.norm(unit)
    question = comparing.probe(unit)
    together = comparing.dots(codes, question)
    lengths = np.linalg.norm(codes.astype(np.float64), axis=1) + 1e-9
    assert np.abs((together - codes @ unit.astype(np.float64)) / lengths).max() < 2e-5
    for count in (0, 1, 2, 3, 5, 8, 13, 100):
        some = chance.choice(700, count, replace=False)
        assert comparing.dots(codes[some], question).tolist() == together[some].tolist()
    assert comparing.cdist is not None
    monkeypatch.setattr(comparing, "cdist", None)
    assert comparing.dots(codes, question).tolist() == together.tolist()


@pytest.mark.parametrize("dimensions", [1, 2, 12, 96, 384, 1_024])
@pytest.mark.parametrize("kind", ["any", "alike", "one dimension tells", "equal"])
def test_the_nearest_are_those_of_all_compared_in_full(dimensions, kind):
    """A first look goes by half of the question's bytes, and must lose nobody."""
    chance = np.random.default_rng(SEED)
    rows = chance.normal(size=(3_000, dimensions))
    if kind == "alike":
        rows = chance.normal(size=dimensions) + 0.05 * rows
    elif kind == "one dimension tells":
        rows[:, 0] *= 50
    elif kind == "equal":
        rows[:] = rows[0]
    blobs = [vectors.pack((row / np.linalg.norm(row)).astype(np.float32)[None, :]) for row in rows]
    whole = held._whole_of(((n, "", blob) for n, blob in enumerate(blobs, 1)), dimensions)
    for _ in range(20):
        asked = (rows[chance.integers(3_000)] + 0.3 * chance.normal(size=dimensions)).astype(np.float32)
        question = comparing.probe(asked / np.linalg.norm(asked))
        cosines = comparing.dots(whole._codes, question) * whole._scales
        for among in (None, np.sort(chance.choice(3_000, 700, replace=False))):
            places, near = whole.nearest(question, 120, among)
            assert near.tolist() == cosines[places].tolist()
            assert near.tolist() == sorted((cosines if among is None else cosines[among]).tolist(), reverse=True)[:120]


@pytest.mark.parametrize("unit", [np.zeros(8), np.full(8, 1e-30), np.eye(8)[3], -np.eye(8)[0]])
def test_any_direction_can_be_asked_for(unit):
    codes = np.full((3, 8), -127, dtype=np.int8)
    found = comparing.dots(codes, comparing.probe(unit.astype(np.float32)))
    assert found.tolist() == pytest.approx([-127 * unit.sum()] * 3, abs=1e-3)


@pytest.mark.parametrize("size", [1, 50, 700, 5_000])
@pytest.mark.parametrize("kind", ["normal", "equal", "few values"])
def test_the_best_are_the_best_of_all(size, kind):
    chance = np.random.default_rng(SEED)
    scores = {
        "normal": chance.normal(size=size),
        "equal": np.zeros(size),
        "few values": chance.integers(0, 3, size).astype(float),
    }[kind].astype(np.float32)
    for count in (1, 10, 120, 600):
        best = held.best(scores, count)
        assert len({*best.tolist()}) == len(best) == min(count, size)
        assert scores[best].tolist() == sorted(scores.tolist(), reverse=True)[:count]
