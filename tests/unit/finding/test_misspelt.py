"""A word that the book does not hold leads to those that are spelled nearly so, for the price of a few looks."""

from __future__ import annotations

import random

import pytest

from commonplace.catalog.sqlite import spelling
from commonplace.catalog.sqlite.canon import SqliteCanon
from commonplace.model.words import Entity
from commonplace.testing.makers import a_memory, a_signature

SEED = 20_261_117
print(f"seed {SEED}")
WORDS = [
    "deploy",
    "deployment",
    "running",
    "ponies",
    "happily",
    "Friday",
    "réunion",
    "Ausnahme",
    "straße",
    "корабль",
    "письмо",
    "θάλασσα",
    "warehouse",
    "図書館",
    "kubernetes",
]
LETTERS = "abcdefghijklmnopqrstuvwxyzéßжиαω"


@pytest.fixture
def canon(tmp_path):
    """Some of the words inside of the index, and some in memories that wait beside it."""
    made = SqliteCanon(str(tmp_path / "book.sqlite"), timeout=5.0)
    keep(made, *WORDS[:8], *(f"filler{a}{b}" for a in LETTERS[:20] for b in LETTERS[:20]))
    made.settle(5.0)
    keep(made, *WORDS[6:])
    yield made
    made.close()


def keep(canon, *words):
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, a_memory(content=f"The {word} it is.")) for word in words])


def one_by_one(db, indexes, words):
    """What `_held` promises, asked in the plainest way."""
    found, stems = {}, set()
    for word in words:
        count, stem = spelling._count(db, indexes, word), spelling._stem(db, word)
        if count and stem not in stems:
            stems.add(stem)
            found[word] = count
    return found


def misspelt(chance, word):
    for _ in range(chance.choice([1, 1, 2])):
        at, letter = chance.randrange(len(word)), chance.choice(LETTERS)
        word = chance.choice(
            [word[:at] + word[at + 1 :], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1 :]]
        )
    return word


def test_near_words_are_those_that_are_found_one_by_one(canon, monkeypatch):
    chance, found = random.Random(SEED), 0
    for _ in range(40):
        word = misspelt(chance, chance.choice(WORDS).lower())
        with canon.reading() as view:
            near = view.spellings(word, 5)
            with monkeypatch.context() as plainly:
                plainly.setattr(spelling, "_held", one_by_one)
                assert near == view.spellings(word, 5), word
        found += bool(near)
    assert found > 10


@pytest.mark.parametrize("word", ["depolyment", "xylophones", "qqqqqqqqqq"])
def test_a_word_that_nobody_holds_costs_a_few_looks(canon, word):
    """Not one for each of the five hundred words that are a slip away."""
    asked = []
    with canon.reading() as view:
        view.connection.exec_trace = lambda _cursor, sql, _values: asked.append(sql) or True
        try:
            view.spellings(word, 3)
        finally:
            view.connection.exec_trace = None
    assert len([*spelling._one_slip(word)]) > 500
    assert len([sql for sql in asked if sql.startswith("SELECT")]) < 150
