"""Vectors when there are many: codes propose, the real vectors decide, and damage to either loses nothing for good."""

from __future__ import annotations

import threading

import apsw
import numpy as np
import pytest

from commonplace.catalog.sqlite import codes, held, proposing
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.catalog.sqlite.vectors import pack, unpack
from commonplace.model.filter import Filter
from commonplace.model.words import Entity
from commonplace.testing.makers import a_memory, a_signature
from commonplace.testing.state import files_under

ALL = Filter()
SEED = 20_260_502
MANY, DIMENSIONS = 3_000, 64
print(f"seed {SEED}")


def topics(chance, count):
    """Vectors as an embedder makes them: much in common, around some topics, each a little its own."""
    middle, centres = chance.normal(size=DIMENSIONS), chance.normal(size=(40, DIMENSIONS))
    made = 2 * middle + centres[chance.integers(0, 40, count)] + 0.7 * chance.normal(size=(count, DIMENSIONS))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    """One book for all; each test works on a copy."""
    path = tmp_path_factory.mktemp("many") / "book.sqlite"
    chance = np.random.default_rng(SEED)
    records = [a_memory(f"Statement {i}.", project_id=f"p{i % 300}", scope="project") for i in range(MANY)]
    vectors = topics(chance, MANY)
    canon = SqliteCanon(str(path), timeout=5.0)
    for start in range(0, MANY, 500):
        part = slice(start, start + 500)
        with canon.writing(5.0) as draft:
            draft.commit_all([(a_signature(), Entity.MEMORY, record) for record in records[part]])
            draft.keep_vectors("m", entries(records[part], vectors[part]))
    yield canon, records, as_kept(vectors)
    canon.close()


def entries(records, vectors):
    return [(r.id, r.fingerprint, np.atleast_2d(v)) for r, v in zip(records, vectors, strict=True)]


@pytest.fixture
def many(master, tmp_path):
    canon, records, vectors = master
    canon.backup(str(tmp_path / "copy.sqlite")).close()
    copy = SqliteCanon(str(tmp_path / "copy.sqlite"), timeout=5.0)
    yield copy, records, vectors
    copy.close()


def ids(canon, vector, where=ALL, limit=10):
    with canon.reading() as view:
        return [hit.id for hit in view.nearest("m", vector, where, limit)]


def as_kept(vectors):
    """What is kept is a byte for each dimension; the exact scan is of that."""
    return np.concatenate([unpack(pack(vector[None, :]), DIMENSIONS) for vector in vectors])


def truth(records, vectors, question, limit=10):
    return [records[i].id for i in np.argsort(-(vectors @ question), kind="stable")[:limit]]


def overlap(canon, records, vectors, questions):
    return np.mean([len({*ids(canon, q)} & {*truth(records, vectors, q)}) / 10 for q in questions])


def run(canon, sql, *values):
    with canon.writing(5.0) as draft:
        draft.connection.execute(sql, values).fetchall()


def test_codes_find_what_comparing_all_finds(master, monkeypatch):
    """Within half a point of the exact scan, before anything is held in memory."""
    canon, records, vectors = master
    monkeypatch.setattr(held, "WHOLE", 0)
    monkeypatch.setattr(held, "MOST", 0)
    questions = topics(np.random.default_rng(SEED + 1), 40)
    held._asked.clear()
    held._held.clear()
    found = 0.0
    for question in questions:
        held._asked.clear()
        found += len({*ids(canon, question)} & {*truth(records, vectors, question)}) / 10
    assert found / len(questions) >= 0.99


def with_long_ones(canon):
    """A hundred memories more, of a dozen passages each; and the chance that goes on from them."""
    long, chance = [a_memory(f"A long one, {i}.") for i in range(100)], np.random.default_rng(SEED + 2)
    with canon.writing(5.0) as draft:
        draft.commit_all([(a_signature(), Entity.MEMORY, record) for record in long])
        draft.keep_vectors("m", entries(long, [topics(chance, 12) for _ in long]))
    return chance


def test_the_first_question_gets_the_same_answer_as_any_later_one(many):
    """Also far down, and where memories have many passages: codes would propose too few memories there."""
    canon, *_ = many
    chance = with_long_ones(canon)
    for question in topics(chance, 5):
        held._asked.clear()
        held._held.clear()
        first = ids(canon, question, limit=100)
        assert first == ids(canon, question, limit=100) == ids(canon, question, limit=100)
        assert any(isinstance(each, held.Whole) for each in held._held.values())


def test_codes_propose_enough_memories_also_where_each_has_many_passages(many, monkeypatch):
    """In a large book: it is asked on until there are as many as wanted, and the best of the exact scan are among them."""
    canon, *_ = many
    chance = with_long_ones(canon)
    questions = topics(chance, 10)
    exact = [ids(canon, question, limit=100) for question in questions]
    monkeypatch.setattr(held, "WHOLE", 0)
    monkeypatch.setattr(held, "MOST", 0)
    held._held.clear()
    found = [ids(canon, question, limit=100) for question in questions]
    assert [len(each) for each in found] == [100] * len(questions)
    assert sum(len({*one[:10]} & {*other[:10]}) for one, other in zip(found, exact, strict=True)) >= 99


def test_codes_held_in_memory_and_codes_that_are_read_give_the_same_answer(many, monkeypatch):
    """Of a large book only the first blocks are held; the rest is read each time."""
    canon, records, vectors = many
    monkeypatch.setattr(codes, "FULL", 250)
    monkeypatch.setattr(held, "WHOLE", 0)
    monkeypatch.setattr(held, "MOST", 0)
    monkeypatch.setattr(held, "_BLOCKS", 6)
    canon.rebuild_index()
    questions = topics(np.random.default_rng(SEED + 9), 10)
    held._held.clear()
    first = []
    for question in questions:
        held._asked.clear()
        first.append(ids(canon, question))
    for _ in range(3):
        assert [ids(canon, question) for question in questions] == first
    (kept, last), *_ = held._held.values()
    assert [len(block.numbers) for block in kept] == [250, 750, 500]
    with canon.reading() as view:
        assert sum(1 for _ in codes.blocks(view.connection, 1, DIMENSIONS, last)) == 6
    assert overlap(canon, records, vectors, questions) >= 0.98


@pytest.fixture
def larger(monkeypatch):
    """What is held of books of more vectors than are compared at the first question, and fewer than are ever held."""
    monkeypatch.setattr(held, "WHOLE", 0)
    held._held.clear()
    held._asked.clear()
    return held._held


def test_a_larger_book_has_its_vectors_read_for_the_second_question(many, larger):
    """Who asks once does not wait for all of them; who asks again has them compared one and all."""
    canon, records, vectors = many
    first, *others = topics(np.random.default_rng(SEED + 10), 12)
    found = ids(canon, first)
    assert not larger
    assert len({*found} & {*truth(records, vectors, first)}) >= 9
    for question in others:
        assert ids(canon, question) == truth(records, vectors, question)
    assert [len(each) for each in larger.values()] == [MANY]


def test_what_is_added_to_a_larger_book_is_not_held_twice(many, larger):
    canon, records, vectors = many
    for question in vectors[:2]:
        ids(canon, question)
    new = a_memory("A new one.")
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, new)])
        draft.keep_vectors("m", entries([new], [vectors[5]]))
    assert [len(each) for each in larger.values()] == [MANY + 1]
    assert {*ids(canon, vectors[5])[:2]} == {records[5].id, new.id}


@pytest.mark.parametrize("why_not", ["too many", "bytes cannot be compared as bytes"])
def test_of_a_book_that_is_too_large_codes_are_held(many, larger, monkeypatch, why_not):
    if why_not == "too many":
        monkeypatch.setattr(held, "MOST", MANY * DIMENSIONS)
    else:
        monkeypatch.setattr(held, "is_quick", lambda: False)
    canon, records, vectors = many
    assert overlap(canon, records, vectors, topics(np.random.default_rng(SEED + 11), 8)) >= 0.98
    assert not any(isinstance(each, held.Whole) for each in larger.values())


def test_what_is_held_is_forgotten_with_the_next_change(many):
    canon, records, vectors = many
    question = vectors[5]
    assert ids(canon, question)[0] == ids(canon, question)[0] == records[5].id
    (new,) = [a_memory("A new one.")]
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, new)])
        draft.keep_vectors("m", entries([new], [question]))
    assert {*ids(canon, question)[:2]} == {records[5].id, new.id}
    assert ids(canon, question) == ids(canon, question)


@pytest.mark.parametrize("asked", [1, 3])
def test_a_filter_never_makes_the_answer_short(many, asked):
    """Narrow ones look at those alone; others go on until enough passed."""
    canon, records, vectors = many
    run(canon, "UPDATE memories SET status = 'archived' WHERE n % 400 <> 7")
    question = vectors[100]
    for _ in range(asked):  # the first time from codes, later from memory
        got = ids(canon, question, Filter(statuses=("active",)), 7)
        alive = [i for i in range(MANY) if (i + 1) % 400 == 7]
        want = sorted(alive, key=lambda i: -(vectors[i] @ question))[:7]
        assert got == [records[i].id for i in want]
        assert ids(canon, question, Filter(project_id="p7", statuses=("active", "archived")), 50) == [
            records[i].id for i in sorted(range(7, MANY, 300), key=lambda i: -(vectors[i] @ question))
        ]


def test_a_memory_of_many_passages_is_found_by_each_once(many):
    canon, *_ = many
    (long,) = [a_memory("A long one.")]
    passages = topics(np.random.default_rng(SEED + 3), 30)
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, long)])
        draft.keep_vectors("m", [(long.id, long.fingerprint, passages)])
    for number in (0, 13, 29):
        for _ in range(3):
            with canon.reading() as view:
                hits = view.nearest("m", passages[number], ALL, 20)
            assert (hits[0].id, hits[0].passage) == (long.id, number)
            assert len({hit.id for hit in hits}) == 20


DAMAGE = {
    "codes gone": "DELETE FROM vector_codes",
    "codes cut": "UPDATE vector_codes SET codes = substr(codes, 1, 1000)",
    "codes garbled": "UPDATE vector_codes SET codes = randomblob(length(codes))",
    "codes are text": "UPDATE vector_codes SET codes = 'nonsense'",
    "a code missing": "DELETE FROM vector_codes WHERE block = (SELECT max(block) FROM vector_codes)",
    "the centre gone": "UPDATE vector_models SET centre = NULL",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_codes_are_noticed_and_made_anew(many, damage):
    canon, records, vectors = many
    questions = topics(np.random.default_rng(SEED + 4), 5)
    before = [ids(canon, q) for q in questions]
    run(canon, damage + " WHERE 1" if "WHERE" not in damage else damage)
    for question in questions:
        ids(canon, question)  # whatever it answers, it answers
    if "centre" not in damage:
        assert "index_damaged" in {finding.code for finding in canon.examine(full=True)}
    canon.rebuild_index()
    held._asked.clear()
    assert [*canon.examine(full=True)] == []
    assert [ids(canon, q) for q in questions] == before
    assert overlap(canon, records, vectors, questions) >= 0.98


VECTORS = {
    "gone": "DELETE FROM memory_vectors WHERE key % 50 = 3",
    "cut": "UPDATE memory_vectors SET vectors = substr(vectors, 1, 20) WHERE key % 50 = 3",
    "garbled": "UPDATE memory_vectors SET vectors = randomblob(length(vectors)) WHERE key % 50 = 3",
    "one byte": "UPDATE memory_vectors SET vectors = substr(vectors, 1, 9) || x'7f' || substr(vectors, 11) WHERE key % 50 = 3",
    "nobody's": "INSERT INTO memory_vectors SELECT key + 100000, fingerprint, vectors FROM memory_vectors LIMIT 5",
    "no model": "INSERT INTO memory_vectors SELECT key + (5 << 40), fingerprint, vectors FROM memory_vectors LIMIT 5",
}


@pytest.mark.parametrize("damage", VECTORS.values(), ids=VECTORS)
def test_damaged_vectors_are_noticed_left_out_and_made_anew(many, damage):
    """The memory itself is readable all the while (rfc 27)."""
    canon, records, vectors = many
    questions = [*topics(np.random.default_rng(SEED + 5), 4), vectors[2]]
    before = [ids(canon, q) for q in questions]
    run(canon, damage)
    held._held.clear()
    for question in questions:
        ids(canon, question)
    with canon.reading() as view:
        assert view.memory(records[2].id) == records[2]
    if damage != VECTORS["no model"]:
        assert "index_damaged" in {finding.code for finding in canon.examine(full=True)}
    canon.rebuild_index()
    place = {record.id: i for i, record in enumerate(records)}
    with canon.writing(5.0) as draft:
        waiting = draft.unembedded("m", 1_000)
        draft.keep_vectors("m", entries(waiting, [vectors[place[r.id]] for r in waiting]))
    held._held.clear()
    assert [*canon.examine(full=True)] == []
    assert [ids(canon, q) for q in questions] == before


def test_even_tables_that_were_dropped_come_back(many):
    canon, records, vectors = many
    for table in ("vector_codes", "vectors_wanted", "memory_vectors", "vector_models", "memories_fts"):
        run(canon, f"DROP TABLE {table}")
    assert "index_damaged" in {finding.code for finding in canon.examine(full=True)}
    canon.rebuild_index()
    assert [*canon.examine(full=True)] == []
    with canon.writing(5.0) as draft:
        assert draft.count_unembedded("m") == MANY
        draft.keep_vectors("m", entries(records, vectors))
        assert draft.count_unembedded("m") == 0
        assert len(draft.lexical([("statement", "77")], ALL, 5)) == 1
    assert ids(canon, vectors[9])[0] == records[9].id


def test_purging_destroys_vectors_and_codes(many, tmp_path):
    canon, *_ = many
    (doomed,) = [a_memory("Doomed.")]
    rng = np.random.default_rng(SEED + 6)
    vector = rng.normal(size=DIMENSIONS).astype(np.float32)
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, doomed)])
        draft.keep_vectors("m", entries([doomed], [vector / np.linalg.norm(vector)]))
    with canon.reading() as view:
        n = view.lexical([("doomed",)], ALL, 1)[0].place
        stored = view.connection.execute("SELECT vectors FROM memory_vectors WHERE key = (1 << 40) + ?", (n,)).get
    number = n.to_bytes(8, "little")
    folder = {name: raw for name, raw in files_under(tmp_path).items() if name.startswith("copy")}
    assert any(stored[8:40] in raw for raw in folder.values())
    with canon.writing(5.0) as draft:
        draft.erase(a_signature("purge"), [doomed.id], [])
    assert canon.scrub(5.0) == []
    assert not any(stored[8:40] in raw for name, raw in files_under(tmp_path).items() if name.startswith("copy"))
    with canon.reading() as view:
        for _, block in codes.blocks(view.connection, 1, DIMENSIONS):
            assert n not in block.numbers
            assert number not in block.numbers.tobytes()
    assert [*canon.examine(full=True)] == []


def test_searching_goes_on_while_vectors_are_kept(many):
    canon, records, vectors = many
    with canon.writing(5.0) as draft:
        draft.drop_vectors("m")
    failures, done = [], threading.Event()

    def search():
        other = SqliteCanon(canon.path, timeout=5.0)
        while not done.is_set():
            found = ids(other, vectors[0])
            if found and found[0] != records[0].id:
                failures.append(found)
        other.close()

    reader = threading.Thread(target=search)
    reader.start()
    for start in range(0, MANY, 100):
        with canon.writing(5.0) as draft:
            draft.keep_vectors("m", entries(records[start : start + 100], vectors[start : start + 100]))
    done.set()
    reader.join()
    assert failures == []
    assert ids(canon, vectors[1])[0] == records[1].id


def test_a_code_estimates_the_cosine():
    chance = np.random.default_rng(SEED + 7)
    vectors, questions = topics(chance, 500), topics(chance, 20)
    centre = vectors.mean(axis=0)
    block = codes.encode(np.arange(500), vectors, centre)
    again = codes.decode(block.to_bytes(), DIMENSIONS)
    assert all((mine == theirs).all() for mine, theirs in zip(block, again, strict=True))
    for question in questions:
        asked = proposing.Question(question, centre)
        estimated = asked.fine(block) + question @ centre
        assert np.corrcoef(asked.rough(block), vectors @ question)[0, 1] > 0.6
        assert np.corrcoef(estimated, vectors @ question)[0, 1] > 0.85
        assert np.abs(estimated - vectors @ question).max() < 0.25


@pytest.mark.parametrize("dimensions", [1, 7, 63, 64, 65, 100, 384, 1536])
def test_any_number_of_dimensions_will_do(dimensions):
    chance = np.random.default_rng(SEED + 8)
    vectors = chance.normal(size=(11, dimensions)).astype(np.float32)
    block = codes.encode(np.arange(11), vectors, vectors.mean(axis=0))
    again = codes.decode(block.to_bytes(), dimensions)
    assert again is not None
    assert np.isfinite(proposing.Question(vectors[0], vectors.mean(axis=0)).fine(again)).all()


def test_a_vector_on_its_own_is_one_byte_a_dimension(many):
    canon, *_ = many
    with canon.reading() as view:
        db: apsw.Connection = view.connection
        assert db.execute("SELECT max(length(vectors)) FROM memory_vectors").get == DIMENSIONS + 8
