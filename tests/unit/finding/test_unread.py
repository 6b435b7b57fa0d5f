"""Most contenders are never shown, and so they are not read. What comes out is the same as if they had been (rfc 34, rfc 45)."""

from __future__ import annotations

import random
import re
from datetime import timedelta

import apsw
import numpy as np  # noqa: F401 - words are remembered one by one only where it is loaded anyway
import pytest

from commonplace.catalog.sqlite import addends, at_hand, chosen, fulltext, rarity
from commonplace.model.filter import Circle, Filter
from commonplace.model.words import Entity
from commonplace.retrieve import diversity, forms, ranking, weigh, wishes
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.profiles import HYBRID
from commonplace.retrieve.understand import understand
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory, a_signature

from .canons import committed

SEED = 20_261_117
print(f"seed {SEED}")
WORDS = (
    *(
        "deploy",
        "Deploys",
        "deployed",
        "deploying",
        "car",
        "cars",
        "race",
        "racing",
        "snake_case",
        "us-east-1",
        "is",
        "a",
    ),
    *(
        "the",
        "very",
        "Straße",
        "ΣΊΣΥΦΟΣ",
        "İstanbul",
        "東京で会議",
        "会議",
        "数据库",
        "한국어",
        "v2.4",
        "2026",
        "it's",
        "please",
    ),
)


@pytest.fixture
def chance():
    return random.Random(SEED)


def a_text(chance, most=12):
    return "".join(
        chance.choice(WORDS) + chance.choice([" ", " ", ", ", "_", "", "\n"]) for _ in range(chance.randint(1, most))
    )


# Words ------------------------------------------------------------------------------------------------------------------


def is_held(word, text):
    """As `forms.is_said` says it in words: each part of the word stands in the text, in some form."""
    held = {forms._stem(other) for other in re.findall(r"[^\W_]+", text.lower())}
    parts = re.findall(r"[^\W_]+", word.lower())
    inside = {part for part in parts if not part.isascii() and any(part in form for form in held)}
    return bool(parts) and all(forms._stem(part) in held or part in inside for part in parts)


def test_a_word_is_found_where_it_may_stand_as_it_would_be_among_the_forms_of_all_words(chance):
    told = set()
    for _ in range(4_000):
        text, word = a_text(chance), chance.choice([chance.choice(WORDS), a_text(chance, 2)])
        told.add(forms.is_said(word, text.lower()))
        assert forms.is_said(word, text.lower()) == is_held(word, text), (word, text)
    assert told == {True, False}


def contender(number, content):
    one = Contender(f"m-{number}", number)
    one.record = a_memory(content=content)
    return one


def test_repeats_are_those_that_agree_in_all_weighty_words_though_only_their_beginnings_are_compared_first(chance):
    """Rfc 53: the same thing said twice takes one place."""
    for _ in range(200):
        texts = [a_text(chance, 5).strip() or "x" for _ in range(6)]
        ranked = [contender(n, chance.choice(texts) + chance.choice(["", " is", "."])) for n in range(14)]
        kept, repeating = diversity.without_repeats(ranked, 9)
        said, wanted, twins = {}, [], {}
        for one in ranked:
            if len(wanted) == 9:
                break
            twin = said.setdefault(diversity.said_in(one.record.content), one.id)
            if twin == one.id:
                wanted.append(one)
            else:
                twins[one.id] = twin
        assert (kept, repeating) == (wanted, twins)


# Weights ----------------------------------------------------------------------------------------------------------------


def some_memories(chance, count):
    return [
        a_memory(
            content=chance.choice(["", "Always answer briefly when I ask. "]) + a_text(chance) * chance.choice([1, 40]),
            observed_at=chance.choice([None, EPOCH - timedelta(days=chance.randrange(900), microseconds=7)]),
            confidence=chance.choice([None, 0.0, 0.25, 1.0]),
            **chance.choice([{"scope": "global"}, {"scope": "project", "project_id": "p"}]),
        )
        for _ in range(count)
    ]


def test_once_there_are_enough_nobody_further_is_looked_at():
    """Whoever hands them over reads them some at a time: to ask for one more had the next ten read for nothing."""
    asked = []

    def coming():
        for n in range(9):
            asked.append(n)
            one = Contender(str(n), n)
            one.record = a_memory(content=f"The gate {n} opens at seven.")
            yield one

    kept, _ = diversity.without_repeats(coming(), 3)
    assert ([one.id for one in kept], asked) == (["0", "1", "2"], [0, 1, 2])


def test_a_memory_weighs_the_same_read_or_unread(canon, chance):
    """Rfc 39, R-h: to the last digit, and in the same order."""
    records = some_memories(chance, 60)
    committed(canon, *records)
    weighing = weigh.Weighing(understand("deploy the car", EPOCH), HYBRID, EPOCH)
    assert not weighing.reads
    with canon.reading() as view:
        places = [*range(1, len(records) + 1)]
        strands, standing = view.strands(places), view.such(places, wishes.is_instruction, wishes.LONGEST)
    assert 0 < len(standing) < len(places)
    for place, record in zip(places, records, strict=True):
        unread, read = Contender(record.id, place), Contender(record.id, place)
        more = {"is_wished": False, "is_change": False}
        weighing.weigh(unread, strands[place], is_standing=place in standing, **more)
        weighing.weigh(read, weigh.strand_of(record), is_standing=wishes.is_instruction(record.content), **more)
        assert [*unread.scores.items()] == [*read.scores.items()]
        assert unread.score == read.score


@pytest.mark.parametrize("asked", ["yesterday", "@Alice and the car"])
def test_a_question_about_what_they_say_has_them_read(asked):
    assert weigh.Weighing(understand(asked, EPOCH), HYBRID, EPOCH).reads


OWNERS = (
    {"scope": "global"},
    {"scope": "project", "project_id": "p"},
    {"scope": "project", "project_id": "q"},
    {"scope": "repo", "repo_id": "r", "project_id": "p"},
    {"scope": "repo", "repo_id": "s"},
    {"scope": "agent", "agent_id": "a", "project_id": "p"},
    {"scope": "agent", "agent_id": "b"},
)


@pytest.fixture
def fleet(understood):
    chance = random.Random(SEED)
    for n in range(120):
        who = chance.choice(
            ["Ann: ", "Bob: ", "", "Always say, whenever I ask: ", "I prefer a ", "They switched to a new "]
        )
        understood.save(
            f"{who}{chance.choice(['car', 'doctor', 'dinner'])} {chance.choice(WORDS)} {n}.",
            type=chance.choice(["episode", "artifact"]),
            tags=chance.sample(["red", "blue"], chance.randrange(3)),
            **chance.choice(OWNERS),
        )
    understood.index_pending()
    understood._scribe.clock.step = timedelta(0)  # two answers are compared: neither may be a second older
    return understood


ASKED = (
    "which car deploys",
    "doctor 会議",
    "dinner",
    "Ann car 7",
    "can you suggest a car?",
    "what is the latest car now?",
)


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"since": "1970-01-01T00:00:00Z"},
        {"types": "episode", "tags": ["red"]},
        {"statuses": "all", "scopes": ["project", "repo"]},
        {"project": "p"},
        {"project": "q", "tags": ["blue"]},
        {"project": "p", "repo": "r", "agent": "a"},
        {"repo": "s"},
        {"agent": "b"},
        {"project": "nobody's"},
    ],
    ids=str,
)
@pytest.mark.parametrize("limit", [1, 5, 30])
def test_an_answer_is_the_same_whether_its_contenders_were_read_or_not(fleet, monkeypatch, limit, bounds):
    """R-a, rfc 34, rfc 40: whom a filter and a circle let through, what they weigh, and what is told of it."""
    for asked in ASKED:
        with monkeypatch.context() as patched:
            unread = fleet.search(asked, limit=limit, **bounds)
            patched.setattr(ranking.Hunt, "_may_stay_unread", lambda *_: False)
            read = fleet.search(asked, limit=limit, **bounds)
        assert [one.to_dict() for one in unread] == [one.to_dict() for one in read]
        assert unread.confidence == read.confidence
        kept, again = (fleet.explain(answer.receipt_id).receipt for answer in (unread, read))
        assert (kept.chosen, kept.near_misses) == (again.chosen, again.near_misses)


def damage(book, id, column, value):
    db = apsw.Connection(book.url.removeprefix("sqlite:"))
    db.execute(f"UPDATE memories SET {column} = ? WHERE id = ?", (value, id))
    db.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [("rationale", "nobody wrote this"), ("scope", "nowhere"), ("created_at", "yesterday"), ("confidence", "very")],
)
def test_whoever_cannot_be_read_is_not_shown_and_the_next_one_moves_up(fleet, open_book, column, value):
    """Row 45: a damaged row keeps nobody else away."""
    before = [one.record.id for one in fleet.search("which car", limit=4)]
    url = fleet.url
    fleet.close()
    book = open_book(url)
    damage(book, before[0], column, value)
    after = [one.record.id for one in book.search("which car", limit=3)]
    assert before[0] not in after
    assert len(after) == 3


# Filters ----------------------------------------------------------------------------------------------------------------


def near(project, **more):
    return Filter(within=Circle(project_id=project), **more)


def test_who_passes_a_filter_is_asked_once_and_again_when_the_book_has_changed(canon):
    """R-a: what left the project is not near any more."""
    records = [a_memory(content=f"ship {n}", scope="project", project_id=f"p{n % 3}") for n in range(30)]
    committed(canon, *records)
    wanted = {record.id for record in records if record.project_id == "p1"}

    def found():
        with canon.reading() as view:
            several = [view.lexical([("ship",)], near("p1"), 20) for _ in range(4)]
            assert all(hits == several[0] for hits in several)
            return {hit.id for hit in several[0]}

    assert found() == wanted
    gone = next(record for record in records if record.project_id == "p1")
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, gone, gone.with_(status="archived"))])
    assert found() == wanted - {gone.id}


@pytest.mark.parametrize(("bytes", "most"), [(1_000_000, at_hand._FILTERS), (50, 2), (10, 0)])
def test_of_many_filters_only_a_few_are_kept_and_fewer_of_a_large_book(canon, monkeypatch, bytes, most):
    """ADR 0028: little, whatever the size of the book."""
    monkeypatch.setattr(at_hand, "VERDICTS", bytes)
    committed(canon, *[a_memory(content=f"ship {n}", scope="project", project_id=f"p{n}") for n in range(20)])
    with canon.reading() as view:
        for n in range(20):
            assert len(view.lexical([("ship",)], near(f"p{n}"), 5)) == 1
        assert len(at_hand.of(view.connection).verdicts) == most


def test_what_was_read_off_a_text_is_read_off_again_when_it_has_changed(canon):
    record = a_memory(content="We ship on Friday.")
    committed(canon, record)
    asked = []

    def is_long(text):
        asked.append(text)
        return len(text) > 30

    def such():
        with canon.reading() as view:
            return view.such([1, 99], is_long, 1_000)

    assert such() == such() == set()
    assert asked == ["We ship on Friday."]
    longer = record.with_(content="We ship on Friday, or on the Monday after.", fingerprint="f" * 64)
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, record, longer)])
    assert such() == {1}


# What is remembered -------------------------------------------------------------------------------------------------------


def test_a_sum_of_remembered_words_is_what_the_index_says_to_the_last_digit(canon, chance):
    """ADR 0014, ADR 0028."""
    committed(
        canon, *[a_memory(content=" ".join(chance.choices(["one", "two", "three", "four"], k=9))) for _ in range(80)]
    )
    asked = ['"two"', '"four"', '"nobody"', '"one"']
    with canon.reading() as view:
        db, hand = view.connection, at_hand.of(view.connection)
        for first in (
            ['"four"'],
            asked,
        ):  # one search may ask the same twice; only another one makes words worth remembering
            assert (addends.sums(db, hand, first) is None) == (first == ['"four"'])
        rows = db.execute(
            f"SELECT rowid, -bm25(memories_fts, {fulltext.SQL_WEIGHTS}) FROM memories_fts WHERE memories_fts MATCH ?",
            (" OR ".join(asked),),
        ).fetchall()
        assert [*addends.sums(db, hand, asked).items()] == rows


def test_what_is_too_long_to_be_a_word_is_counted_and_not_remembered(canon):
    long = "x" * 5_000
    committed(canon, a_memory(content=f"We ship {long}."))
    with canon.reading() as view:
        db, hand = view.connection, at_hand.of(view.connection)
        assert rarity.held_by(db, hand, [long, "ship", "..."])[0] == {long: 1.0, "ship": 1.0}
        assert chosen.counted(db, hand, [f'"{long}"', '"ship"']) == {f'"{long}"': 1.0, '"ship"': 1.0}
        assert [*hand.holding] == ["ship"]
        assert [*hand.estimates] == ['"ship"']
