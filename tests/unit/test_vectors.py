"""Vectors: whose count, which are nearest, and who waits for them."""

from __future__ import annotations

import numpy as np
import pytest

from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.errors import InvalidError, NotSearchedError
from commonplace.model.filter import EVERY_STATUS, Filter
from commonplace.model.fingerprint import fingerprint
from commonplace.testing.makers import a_memory
from unit.records import become, put

ALL = Filter()
SEED = 20_260_501
print(f"seed {SEED}")


@pytest.fixture
def canon(tmp_path):
    made = SqliteCanon(str(tmp_path / "book.sqlite"), timeout=5.0)
    yield made
    made.close()


@pytest.fixture
def chance():
    return np.random.default_rng(SEED)


def units(chance, count, dimensions=32):
    made = chance.normal(size=(count, dimensions)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def reworded(canon, before, content):
    return become(canon, before, content=content, fingerprint=fingerprint(content))


def keep(canon, records, vectors, model="m"):
    entries = [(r.id, r.fingerprint, np.atleast_2d(v)) for r, v in zip(records, vectors, strict=True)]
    with canon.writing(5.0) as draft:
        draft.keep_vectors(model, entries)


def nearest(canon, vector, where=ALL, limit=10, model="m"):
    with canon.reading() as view:
        return view.nearest(model, vector, where, limit)


def waiting(canon, model="m", limit=1000):
    with canon.reading() as view:
        found = view.unembedded(model, limit)
        assert view.count_unembedded(model) == len(found) or len(found) == limit
        return [record.id for record in found]


def test_the_nearest_come_first_with_their_cosine(canon, chance):
    records, vectors = put(canon, *(a_memory() for _ in range(50))), units(chance, 50)
    keep(canon, records, vectors)
    hits = nearest(canon, vectors[7], limit=5)
    true = vectors @ vectors[7]
    assert [hit.id for hit in hits] == [records[i].id for i in np.argsort(-true)[:5]]
    assert [hit.score for hit in hits] == pytest.approx(sorted(true, reverse=True)[:5], abs=0.01)
    assert hits[0].place == 8


def test_the_best_passage_of_a_memory_counts(canon, chance):
    (one, two), vectors = put(canon, a_memory(), a_memory()), units(chance, 4)
    keep(canon, [one, two], [vectors[:3], vectors[3:]])
    hits = nearest(canon, vectors[2])
    assert (hits[0].id, hits[0].passage, len(hits)) == (one.id, 2, 2)


def test_ties_break_by_id(canon, chance):
    records, vector = put(canon, *(a_memory() for _ in range(8))), units(chance, 1)
    keep(canon, records, [vector] * 8)
    assert [hit.id for hit in nearest(canon, vector[0])] == sorted(record.id for record in records)


def test_the_filter_comes_first(canon, chance):
    loud = put(canon, *(a_memory(project_id="loud", scope="project") for _ in range(60)))
    quiet = put(canon, *(a_memory(project_id="quiet", scope="project") for _ in range(6)))
    vectors = units(chance, 66)
    keep(canon, [*loud, *quiet], vectors)
    hits = nearest(canon, vectors[0], Filter(project_id="quiet"), limit=4)
    true = vectors[60:] @ vectors[0]
    assert [hit.id for hit in hits] == [quiet[i].id for i in np.argsort(-true)[:4]]


def test_a_memory_with_other_words_leaves_the_stream_until_it_is_embedded_again(canon, chance):
    """A45, A77."""
    (one,), vectors = put(canon, a_memory("before")), units(chance, 2)
    keep(canon, [one], vectors[:1])
    two = reworded(canon, one, "after")
    assert (nearest(canon, vectors[0]), waiting(canon)) == ([], [one.id])
    keep(canon, [one], vectors[:1])  # made of the words before: too late
    assert (nearest(canon, vectors[0]), waiting(canon)) == ([], [one.id])
    keep(canon, [two], vectors[1:])
    assert [hit.score for hit in nearest(canon, vectors[1])] == pytest.approx([1.0], abs=0.01)
    assert waiting(canon) == []


def test_a_change_that_is_not_of_words_keeps_the_vectors(canon, chance):
    (one,), vectors = put(canon, a_memory()), units(chance, 1)
    keep(canon, [one], vectors)
    become(canon, one, tags=["new"], status="archived")
    assert waiting(canon) == []
    assert len(nearest(canon, vectors[0], Filter(statuses=EVERY_STATUS))) == 1


def test_archived_ones_wait_too_and_deleted_ones_do_not(canon, chance):
    """A46."""
    kept = put(canon, a_memory(status="archived"), a_memory(status="inbox"), a_memory(status="superseded"))
    (gone,) = put(canon, a_memory(status="deleted"))
    assert waiting(canon) == [record.id for record in kept]
    keep(canon, kept, units(chance, 3))
    assert waiting(canon) == []
    become(canon, gone, status="active")
    assert waiting(canon) == [gone.id]


def test_those_that_wait_come_in_order_and_the_rest_later(canon, chance):
    records = put(canon, *(a_memory() for _ in range(10)))
    assert waiting(canon, limit=3) == [record.id for record in records[:3]]
    keep(canon, records[4:7], units(chance, 3))
    assert waiting(canon) == [record.id for record in (*records[:4], *records[7:])]
    keep(canon, records[:4], units(chance, 4))
    assert waiting(canon) == [record.id for record in records[7:]]
    late = put(canon, a_memory())
    keep(canon, records[7:], units(chance, 3))
    assert waiting(canon) == [late[0].id]


def test_each_model_has_its_own_vectors(canon, chance):
    records, vectors = put(canon, a_memory(), a_memory()), units(chance, 2)
    keep(canon, records, vectors, "one")
    assert (waiting(canon, "one"), len(waiting(canon, "two"))) == ([], 2)
    assert nearest(canon, vectors[0], model="two") == []
    keep(canon, records, units(chance, 2, 16), "two")
    assert len(nearest(canon, vectors[0], model="one")) == 2
    with canon.writing(5.0) as draft:
        draft.drop_vectors("one")
    assert (len(waiting(canon, "one")), waiting(canon, "two")) == (2, [])
    with canon.writing(5.0) as draft:
        draft.drop_vectors(None)
    assert len(waiting(canon, "two")) == 2


def test_keeping_twice_is_keeping_once(canon, chance):
    records, vectors = put(canon, *(a_memory() for _ in range(5))), units(chance, 5)
    keep(canon, records, vectors)
    once = nearest(canon, vectors[0])
    keep(canon, records, vectors)
    assert nearest(canon, vectors[0]) == once
    assert len(once) == 5


def test_what_vanished_meanwhile_is_left_out(canon, chance):
    keep(canon, [a_memory()], units(chance, 1))
    assert nearest(canon, units(chance, 1)[0]) == []


def test_another_number_of_dimensions_is_not_searched(canon, chance):
    """A77."""
    keep(canon, put(canon, a_memory()), units(chance, 1))
    with pytest.raises(NotSearchedError) as caught:
        nearest(canon, units(chance, 1, 16)[0])
    assert caught.value.code == "dimensions"
    with pytest.raises(InvalidError):
        keep(canon, put(canon, a_memory()), units(chance, 1, 16))
