"""A search takes shortcuts where it looks at many. Each of them says what the long way says, to the last digit (rfc 45)."""

from __future__ import annotations

import random
from itertools import product
from math import sqrt

import numpy as np
import pytest

from commonplace.catalog.sqlite import held, vectors
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.model.filter import EVERY_STATUS, Circle, Filter
from commonplace.model.words import Entity
from commonplace.retrieve import sequence, wishes
from commonplace.retrieve.fuse import leading
from commonplace.retrieve.meaning import Meaning
from commonplace.retrieve.profiles import HYBRID
from commonplace.retrieve.ranking import Hunt
from commonplace.seam.terms import Strand
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory, a_signature

SEED = 20_261_115
print(f"seed {SEED}")


# Words ------------------------------------------------------------------------------------------------------------------

ORDERS = ("always", "Never", "please don't", "do not", "make sure", "be sure", "Remember")
OCCASIONS = (
    *("when I", "whenever you", "When we", "if I", "every time", "each time", "in future", "in the future"),
    *("from now on", "any time", "anytime", "in your answers", "in your replies"),
)
ALONE = (
    "when you test, never mock",
    "when I ask",
    "Whenever I mention",
    "from now on",
    "every time I",
    "each time I",
    "any time I",
    "anytime I",
)
ORDINARY = ("It was time to go when it rained.", "If it rains, the future is in our hands.", "Ann: when?", "时间", "")


@pytest.mark.parametrize(
    "said", [f"{order} say so, {occasion} look." for order, occasion in product(ORDERS, OCCASIONS)] + [*ALONE]
)
def test_no_instruction_is_overlooked_for_want_of_a_hint(said):
    assert wishes._STANDING.search(said)
    for text in (said, said.upper(), said.lower(), f"Zoë: {said}"):
        assert wishes.is_instruction(text)


@pytest.mark.parametrize("said", ORDINARY)
def test_a_hint_alone_makes_no_instruction(said):
    assert not wishes.is_instruction(said)


def test_a_letter_that_only_looks_like_another_is_left_to_the_pattern():
    said = "alway\u017f look when I a\u017fk"  # the long s matches an s, and lowering leaves it as it is
    assert wishes.is_instruction(said) == bool(wishes._STANDING.search(said))


# Neighbours -------------------------------------------------------------------------------------------------------------


def plainly(place, strands, words, excess):
    """What is lent to one place, as `sequence.py` says it in words."""
    own = strands[place]
    lean = min(1.0, 200 / max(own.length, 1))
    near = [
        (d, place + d)
        for d in (-4, -3, -2, -1, 1, 2, 3, 4)
        if place + d in strands
        and sequence.is_talk(strands[place + d])
        and strands[place + d].owner == own.owner
        and abs(strands[place + d].at - own.at) <= 30 * 60 * 1_000_000
    ]
    share = {d: (0.7 if d < 0 else 0.5) * 0.6 ** (abs(d) - 1) for d, _ in near}
    by_words = sum((share[d] * words[at]) ** 4 for d, at in near if at in words)
    said = sqrt(sqrt(words.get(place, 0.0) ** 4 + lean**4 * by_words)) if by_words else words.get(place)
    if place not in excess:
        return said, None
    nearer = {at: excess[at] - excess[place] for _, at in near if excess.get(at, -9.0) > excess[place]}
    by_meaning = sum((0.2 if abs(d) == 1 else 0.1) * nearer.get(at, 0.0) for d, at in near if abs(d) <= 2)
    return said, excess[place] + lean * by_meaning


@pytest.mark.parametrize("round", range(20))
def test_neighbours_lend_what_the_plain_formula_says(round):
    chance = random.Random(SEED + round)
    strands = {
        place: Strand(
            (chance.choice(["episode", "project"]), chance.choice(["p", None]), None, None),
            chance.randrange(40) * 150 * 1_000_000,
            chance.choice([1, 80, 200, 900]),
            chance.choice(["Ann: hello", "We ship on Friday."]),
        )
        for place in chance.sample(range(1, 60), 45)
    }
    words = {place: chance.random() * 9 for place in chance.sample(range(1, 60), 20)}
    excess = {place: chance.random() - 0.5 for place in chance.sample(range(1, 60), 30)}
    borrowing = chance.sample(range(1, 60), 40)
    with_words, with_excess = sequence.Neighbours(borrowing, strands).lent(words, excess)
    for place in range(1, 60):
        lent = words.get(place), excess.get(place)
        if place in borrowing and place in strands and sequence.is_talk(strands[place]):
            lent = plainly(place, strands, words, excess)
        assert (with_words.get(place), with_excess.get(place)) == pytest.approx(lent)


def test_the_leading_ones_come_with_all_that_tie_with_the_last():
    sums = {1: 3.0, 2: 1.0, 3: 2.0, 4: 2.0, 5: 2.0, 6: 0.5}
    assert sorted(leading(sums, 2)) == [1, 3, 4, 5]
    assert sorted(leading(sums, 1)) == [1]
    assert sorted(leading(sums, 9)) == sorted(sums)


# Vectors ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def chance():
    return np.random.default_rng(SEED)


def units(chance, count, dimensions=32):
    made = chance.normal(size=(count, dimensions)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.fixture(params=[60, 700], ids=["few", "several hundred"])
def canon(request, tmp_path, chance):
    """A book whose memories have one to three passages, every seventh none, and every fifth other words by now."""
    made = SqliteCanon(str(tmp_path / "book.sqlite"), timeout=5.0)
    records = [a_memory(content=f"memory {n}") for n in range(request.param)]
    several = [units(chance, 1 + n % 3) for n in range(len(records))]
    kept = [(r.id, r.fingerprint, v) for n, (r, v) in enumerate(zip(records, several, strict=True)) if n % 7]
    with made.writing(5.0) as draft:
        for record in records:
            draft.commit(a_signature(), [(Entity.MEMORY, None, record)])
        draft.keep_vectors("m", kept)
        for record in records[::5]:
            changed = record.with_(fingerprint=f"other {record.fingerprint}"[::-1])
            draft.commit(a_signature("evolve"), [(Entity.MEMORY, record, changed)])
    yield made
    made.close()


def test_vectors_in_memory_say_what_those_in_the_file_say(canon, chance):
    question, places = units(chance, 1)[0], [*chance.permutation(800).tolist()]
    answers = []
    for _ in range(2):  # before the first question nothing is held
        with canon.reading() as view:
            model = vectors.model_of(view.connection, "m")
            was_held = held.known(model) is not None
            similar = view.similar("m", question, places)
            answers.append((was_held, similar, view.nearest("m", question, Filter(), 50)))
    assert [was_held for was_held, *_ in answers] == [False, True]
    assert answers[0][1:] == answers[1][1:]
    assert any(hit.passage for hit in answers[0][1])


def test_of_equal_passages_the_first_is_named():
    passages = vectors.Passages(np.zeros((7, 2), dtype=np.int8), np.ones(7), vectors.starts_of([3, 1, 3]))
    cosines = np.array([0.1, 0.9, 0.9, 0.5, 0.9, 0.1, 0.9], dtype=np.float32)
    best = passages.best(cosines)
    assert best.tolist() == cosines[[1, 3, 4]].tolist()
    assert passages.which(cosines, best) == [1, 0, 0]


# Records ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", [Filter(), Filter(statuses=EVERY_STATUS), Filter(statuses=("inbox", "archived"))])
def test_the_usual_filter_lets_through_what_the_whole_filter_does(where):
    hunt = Hunt(None, where, Circle(), HYBRID, Meaning(None), EPOCH)
    assert hunt._only_statuses
    for status in EVERY_STATUS:
        record = a_memory(status=status)
        assert hunt._admits(record) == where.matches(record)


def test_another_filter_is_asked_whole():
    for where in (Filter(tags=("x",)), Filter(kinds=("workflow",)), Filter(within=Circle(project_id="p"))):
        assert not Hunt(None, where, Circle(), HYBRID, Meaning(None), EPOCH)._only_statuses


def test_every_result_has_its_relevance_also_behind_many_repeats(book):
    for word in ("", "the ", "a ", "this ", "that ", "really ", "just ", "very "):
        book.save(f"Coffee is {word}served at nine, coffee.", type="project", project_id="p")
    book.save("There is coffee downstairs.", type="project", project_id="p")
    results = book.search("coffee", limit=2)
    assert len(results) == 2
    assert all(result.relevance > 0 for result in results)
