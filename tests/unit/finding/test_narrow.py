"""Who may pass a filter is read off the facets, and a search looks at those alone. Nobody is left out by it (R-a, rfc 40)."""

from __future__ import annotations

import random
from datetime import timedelta

import numpy as np
import pytest

from commonplace.catalog.sqlite import (
    at_hand,
    chosen,
    codes,
    demands,
    facets,
    held,
    lexical,
    narrow,
    schema,
    similarity,
    vectors,
)
from commonplace.catalog.sqlite.driver import run
from commonplace.model.filter import EVERY_STATUS, Circle, Filter
from commonplace.model.words import Entity
from commonplace.testing.clocks import EPOCH
from commonplace.testing.makers import a_memory, a_signature

from .canons import committed

SEED = 20_261_118
print(f"seed {SEED}")
DIMENSIONS = 16
WORDS = ("car", "boat", "train", "plane", "ship", "tram", "bus", "cab")
PROJECTS, REPOS, AGENTS = (None, "p", "q", "r"), (None, "x", "y"), (None, "a", "b")


def an_owner(chance):
    """Whose a memory may be: every combination that a record may have."""
    scope = chance.choice(["global", "project", "repo", "repo", "agent", "session"])
    project, repo, agent = chance.choice(PROJECTS), chance.choice(REPOS), chance.choice(AGENTS)
    if scope == "project":
        project = project or "p"
    if scope == "repo":
        repo = repo or "x"
    if scope == "agent":
        agent = agent or "a"
    return {"scope": scope, "project_id": project, "repo_id": repo, "agent_id": agent}


def a_circle(chance):
    return Circle(
        project_id=chance.choice([*PROJECTS, "new"]), repo_id=chance.choice(REPOS), agent_id=chance.choice(AGENTS)
    )


def a_filter(chance):
    asked = {
        "statuses": chance.choice([("active",), ("active",), ("archived",), EVERY_STATUS]),
        "types": chance.choice([None, None, ("episode",), ("episode", "decision")]),
        "tags": chance.choice([None, None, ("red",), ("red", "blue")]),
        "scopes": chance.choice([None, None, None, ("repo", "agent")]),
        "project_id": chance.choice([None, None, None, "p"]),
        "always_load": chance.choice([None, None, None, True, False]),
        "since": chance.choice([None, None, EPOCH + timedelta(hours=100)]),
        "until": chance.choice([None, None, None, EPOCH + timedelta(hours=150)]),
    }
    within, beyond = chance.choice([(None, None), (a_circle(chance), None), (None, a_circle(chance))])
    return Filter(within=within, beyond=beyond, **asked)


def a_book(canon, chance, count=200, waiting=20):
    """Memories of everybody, with vectors; the last few still wait beside the indexes."""
    records = [
        a_memory(
            content=f"{' '.join(chance.choices(WORDS, k=3))} {number}",
            type=chance.choice(["episode", "decision", "artifact"]),
            rationale="why",
            status=chance.choice(["active", "active", "active", "archived", "inbox"]),
            tags=tuple(chance.sample(["red", "blue"], chance.randrange(3))),
            always_load=chance.random() < 0.1,
            created_at=EPOCH + timedelta(hours=number),
            **an_owner(chance),
        )
        for number in range(count + waiting)
    ]
    committed(canon, *records[:count])
    with canon.writing(5.0) as draft:
        draft.commit(a_signature(), [(Entity.MEMORY, None, record) for record in records[count:]])
    with canon.writing(5.0) as draft:
        draft.keep_vectors("m", [(record.id, record.fingerprint, units(chance, 1)) for record in records])
    return records


def units(chance, count):
    rows = np.random.default_rng(chance.getrandbits(32)).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def chance():
    return random.Random(SEED)


@pytest.fixture(params=["few", "named", "too many"])
def sizes(request, monkeypatch):
    """The same book as a small one, as one of which a part can be named, and as one of which hardly anything can."""
    few, share = {"few": (1_000, 16), "named": (5, 1), "too many": (5, 40)}[request.param]
    monkeypatch.setattr(demands, "FEW", few)
    monkeypatch.setattr(narrow, "_SHARE", share)
    return request.param


def test_nobody_who_passes_is_not_named_and_of_a_few_all_pass(canon, chance, sizes):
    records = a_book(canon, chance)
    ways = set()
    with canon.reading() as view:
        db = view.connection
        for _ in range(300):
            where, hand = a_filter(chance), at_hand.AtHand(at_hand.of(db).mark)
            wanted = [number for number, record in enumerate(records, 1) if where.matches(record)]
            for those in (narrow.named(db, hand, where), narrow.everybody(db, hand, where)):
                ways.add("few" if those and those.few is not None else "named" if those else "too many")
                if those is not None and those.few is not None:
                    assert those.few == wanted
                elif those is not None:
                    assert those.holds(np.array(wanted, dtype=np.int64)).all()
                    assert not those.holds(np.array([0, len(records) + 1, 10**9])).any()
            assert view.passing([*range(1, len(records) + 1)], where) == {*wanted}
    assert sizes in ways


def test_what_is_nearest_behind_a_filter_is_what_an_exact_scan_says(canon, chance, sizes, monkeypatch):
    """Also in a book so large that codes propose, and with all vectors in memory."""
    monkeypatch.setattr(codes, "ENOUGH", 64)
    monkeypatch.setattr(held, "WHOLE", chance.choice([0, 16_384]))
    records = a_book(canon, chance)
    for _ in range(60):
        where, question = a_filter(chance), units(chance, 1)[0]
        with canon.reading() as view:
            hits = view.nearest("m", question, where, 7)
            exact = view.similar("m", question, [n for n, record in enumerate(records, 1) if where.matches(record)])
        wanted = sorted(exact, key=lambda hit: (-hit.score, hit.id))[:7]
        assert [hit.id for hit in hits] == [hit.id for hit in wanted]


@pytest.mark.parametrize("small", [20_000, 10], ids=["a small book", "a large one"])
def test_words_behind_a_filter_are_found_whoever_else_holds_them(canon, chance, sizes, monkeypatch, small):
    """In a large book the rare words choose: among those who pass, not among all."""
    monkeypatch.setattr(lexical, "SMALL", small)
    records = a_book(canon, chance, waiting=chance.choice([0, 20]))
    for _ in range(60):
        where, words = a_filter(chance), chance.sample(WORDS, 3)
        passing = {record.id: record for record in records if where.matches(record)}
        with canon.reading() as view:
            hits = view.lexical([(word,) for word in words], where, len(records))
        holding = {id for id, record in passing.items() if {*words} & {*record.content.split()}}
        assert {hit.id for hit in hits} == holding


def test_a_part_of_a_large_book_is_not_starved_by_the_rest(canon, monkeypatch, chance):
    """Rare in the book is one thing, rare in the project another: a few hundred newer ones elsewhere hold the word as well."""
    for module, name, value in ((lexical, "SMALL", 10), (lexical, "_PLAIN", 20), (demands, "FEW", 5)):
        monkeypatch.setattr(module, name, value)
    for name, value in (("_FEWEST", 10), ("_MOST", 40)):
        monkeypatch.setattr(lexical, name, value)
    mine = [a_memory(content=f"car and boat {n}", scope="project", project_id="p") for n in range(12)]
    others = [a_memory(content=f"car and boat, plane {n}", scope="project", project_id="q") for n in range(150)]
    committed(canon, *mine, *others)
    monkeypatch.setattr(narrow, "_SHARE", 2)
    with canon.reading() as view:
        where = Filter(within=Circle(project_id="p"))
        assert sum(chosen.counted(view.connection, at_hand.of(view.connection), ['"car"', '"boat"']).values()) > 40
        hits = view.lexical([("car",), ("boat",), ("and",)], where, 10)
    assert len(hits) == 10
    assert {hit.id for hit in hits} <= {record.id for record in mine}


def test_an_older_book_learns_who_belongs_to_a_repository_of_no_project(canon, chance):
    """Format 5, as its migration says it in SQL, is what the facets say of every memory by themselves."""
    a_book(canon, chance)
    strays = "SELECT status, created_at, n FROM memory_facets WHERE facet = ? ORDER BY n"
    with canon.writing(5.0) as draft:
        db, code = draft.connection, facets.CODES[facets.STRAY]
        kept = db.execute(strays, (code,)).fetchall()
        db.execute("DELETE FROM memory_facets WHERE facet = ?", (code,))
        run(db, schema.MIGRATIONS[5])
        assert db.execute(strays, (code,)).fetchall() == kept
    assert len(kept) > 5


def test_a_memory_that_finds_its_project_is_a_stray_no_longer(canon):
    record = a_memory(content="We lint.", scope="repo", repo_id="x")
    committed(canon, record)
    near = Filter(within=Circle(project_id="p"))
    for project, seen in ((None, 1), ("q", 0), ("p", 1)):
        changed = record.with_(project_id=project)
        with canon.writing(5.0) as draft:
            draft.commit(a_signature(), [(Entity.MEMORY, record, changed)])
        record = changed
        with canon.reading() as view:
            assert len(view.lexical([("lint",)], near, 5)) == seen


# What is held goes on when vectors come ------------------------------------------------------------------------------------


def everything_of(view):
    model = vectors.model_of(view.connection, "m")
    whole = held._whole_of(vectors.all_of(view.connection, model.number), model.dimensions)
    return model, whole


def same(one, other):
    columns = ("numbers", "passages", "_scales", "_codes")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)


def asked_twice(canon, chance):
    for _ in range(2):
        with canon.reading() as view:
            view.nearest("m", units(chance, 1)[0], Filter(), 5)
            view.background("m", units(chance, 1)[0])


def test_what_is_carried_over_is_what_would_be_read(canon, chance):
    """New vectors behind the others, among them, of several passages, and in the place of old ones."""
    records = [a_memory(content=f"car {number}") for number in range(60)]
    committed(canon, *records)

    def keep(*entries):
        with canon.writing(5.0) as draft:
            draft.keep_vectors("m", [(records[n].id, records[n].fingerprint, units(chance, k)) for n, k in entries])

    keep(*((n, 1 + n % 3) for n in range(20)))
    asked_twice(canon, chance)
    for entries in ([(30, 1)], [(25, 2), (40, 1)], [(55, 3)], [(5, 1)], [(59, 1), (20, 1)]):
        keep(*entries)
        with canon.reading() as view:
            model, read = everything_of(view)
            carried = held.known(model)
            assert carried is not None
            assert same(carried, read)
            sample = similarity._samples.get(model.state)
            again = similarity._read_sample(view.connection, model)
            assert sample is None or (sample.passages.codes == again.passages.codes).all()


def test_who_saves_and_asks_in_turns_has_them_read_once(canon, chance, monkeypatch):
    """Each state of the vectors is asked one question; what is added is known from then on."""
    read = []
    monkeypatch.setattr(
        held, "_whole_of", lambda rows, *d, of=held._whole_of: read.append(rows := [*rows]) or of(rows, *d)
    )
    records = [a_memory(content=f"car {number}") for number in range(40)]
    committed(canon, *records)
    for number, record in enumerate(records):
        with canon.writing(5.0) as draft:
            draft.keep_vectors("m", [(record.id, record.fingerprint, units(chance, 1))])
        with canon.reading() as view:
            assert len(view.nearest("m", units(chance, 1)[0], Filter(), 50)) == number + 1
    assert [len(rows) for rows in read] == [1] * len(records), "the first one, and then what was added"


def test_a_change_that_is_not_committed_is_not_held(canon, chance):
    records = [a_memory(content=f"car {number}") for number in range(20)]
    committed(canon, *records)
    entries = [(record.id, record.fingerprint, units(chance, 1)) for record in records]
    with canon.writing(5.0) as draft:
        draft.keep_vectors("m", entries[:15])
    asked_twice(canon, chance)
    with pytest.raises(ZeroDivisionError), canon.writing(5.0) as draft:  # noqa: PT012
        draft.keep_vectors("m", entries[15:])
        _ = 1 / 0
    with canon.reading() as view:
        model, read = everything_of(view)
        carried = held.known(model)
        assert carried is None or same(carried, read)
        assert len(view.nearest("m", units(chance, 1)[0], Filter(), 50)) == 15


def test_vectors_can_be_kept_beside_others_that_are_all_damaged(canon, chance):
    """Row 45: what is held of a damaged book is nothing, and nothing keeps the next ones out."""
    records = [a_memory(content=f"car {number}") for number in range(20)]
    committed(canon, *records)
    entries = [(record.id, record.fingerprint, units(chance, 1)) for record in records]
    with canon.writing(5.0) as draft:
        draft.keep_vectors("m", entries[:10])
        draft.connection.execute("UPDATE memory_vectors SET vectors = x'00'")
        draft.connection.execute("UPDATE vector_models SET state = random()")
    asked_twice(canon, chance)
    with canon.writing(5.0) as draft:
        draft.keep_vectors("m", entries[10:])
    with canon.reading() as view:
        assert len(view.nearest("m", units(chance, 1)[0], Filter(), 50)) == 10


def test_codes_that_are_held_go_on_and_the_last_block_is_read_each_time(canon, chance, monkeypatch):
    for module, name, value in ((codes, "ENOUGH", 32), (codes, "FULL", 16), (held, "WHOLE", 0), (held, "MOST", 0)):
        monkeypatch.setattr(module, name, value)
    records = [a_memory(content=f"car {number}") for number in range(120)]
    committed(canon, *records)
    for start in range(0, len(records), 24):
        part = records[start : start + 24]
        with canon.writing(5.0) as draft:
            draft.keep_vectors("m", [(one.id, one.fingerprint, units(chance, 1)) for one in part])
        for _ in range(3):
            question = units(chance, 1)[0]
            with canon.reading() as view:
                hits = view.nearest("m", question, Filter(), 9)
                exact = view.similar("m", question, [*range(1, start + 25)])
            assert [hit.id for hit in hits] == [
                hit.id for hit in sorted(exact, key=lambda hit: (-hit.score, hit.id))[:9]
            ]


def test_one_search_that_asks_for_near_and_beyond_is_one(canon, chance):
    """Who saves and searches in turns must not have all vectors read into memory each time."""
    a_book(canon, chance)
    question, circle = units(chance, 1)[0], Circle(project_id="p")
    for asking in (1, 2):
        with canon.reading() as view:
            for where in (Filter(within=circle), Filter(beyond=circle)):
                view.nearest("m", question, where, 5)
            assert (held.known(vectors.model_of(view.connection, "m")) is not None) == (asking == 2)
