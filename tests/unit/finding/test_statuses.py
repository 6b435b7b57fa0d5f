"""What stays out unless it is asked for: inbox, archive, superseded, deleted (A42, A46); and every other filter."""

from __future__ import annotations

import pytest


@pytest.fixture
def shelves(understood, open_book):
    """One memory of each status, all about cars, all with vectors: the vector index covers archived ones too (A46)."""
    book = understood
    put = {status: book.save(f"The car is {status}.", type="project", project_id="p") for status in
           ("active", "archived", "deleted", "superseded")}  # fmt: skip
    put["inbox"] = open_book("agent:claude").save("The car is inbox.", type="profile")
    book.index_pending()
    book.archive(put["archived"].id)
    book.forget(put["deleted"].id)
    put["new"] = book.evolve(put["superseded"].id, "The car is new.", reason="changed")
    book.index_pending()
    return book, put


@pytest.mark.parametrize("query", ["the car", "a vehicle"])
@pytest.mark.parametrize("profile", ["hybrid", "words", "recent", "vault"])
def test_only_what_is_active_comes_up_unasked(shelves, query, profile):
    book, put = shelves
    found = {result.record.id for result in book.search(query, profile=profile)}
    assert found <= {put["active"].id, put["new"].id}
    assert profile == "words" or found or query == "the car"


@pytest.mark.parametrize("status", ["archived", "inbox", "superseded", "deleted", "active"])
def test_each_status_can_be_asked_for(shelves, status):
    book, put = shelves
    found = {result.record.id for result in book.search("the car", statuses=[status])}
    assert found == {put[status].id} | ({put["new"].id} if status == "active" else set())


def test_all_of_them_can_be_asked_for(shelves):
    book, put = shelves
    assert {result.record.id for result in book.search("the car", statuses="all")} == {
        record.id for record in put.values()
    }


def test_an_archived_one_is_found_by_its_meaning_when_asked_for(shelves):
    book, put = shelves
    results = book.search("some vehicle", statuses=["archived"])
    assert [result.record.id for result in results] == [put["archived"].id]
    assert results[0].scores["semantic"] > 0


FILTERS = {
    "types": ({"types": ["decision"]}, {"type": "decision", "rationale": "why"}),
    "kinds": ({"kinds": ["gotcha"]}, {"kind": "gotcha"}),
    "tags": ({"tags": ["one", "two"]}, {"tags": ["two", "one", "three"]}),
    "scopes": ({"scopes": ["repo"]}, {"scope": "repo", "repo_id": "r"}),
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_lets_nothing_else_through(understood, name):
    asked, fields = FILTERS[name]
    for n in range(20):
        understood.save(f"The car number {n} car car.", type="project", project_id="p", tags=["one"])
    wanted = understood.save("Something about a car, once.", **({"type": "project", "project_id": "p"} | fields))
    understood.link(wanted.id, understood.list(limit=2)[1].id, "related_to")
    understood.index_pending()
    for profile in ("hybrid", "vault", "words", "recent"):
        assert [r.record.id for r in understood.search("car vehicle", profile=profile, **asked)] == [wanted.id]


def test_since_is_included_and_until_is_not(book):
    one, two, three = (book.save(f"The port number {n}.", type="episode") for n in range(3))
    found = {r.record.id for r in book.search("port", since=one.created_at, until=three.created_at)}
    assert found == {one.id, two.id}


def test_trust_can_be_asked_for(book, agent):
    book.save("The port is 1.", type="episode")
    said = agent.save("The port is 2.", type="episode")
    assert [r.record.id for r in book.search("port", trusts=["agent"])] == [said.id]


def test_an_empty_list_lets_nothing_through(book):
    book.save("The port is 1.", type="episode")
    assert len(book.search("port", types=[])) == 0


@pytest.mark.parametrize(
    "asked", [{"types": ["wish"]}, {"statuses": ["gone"]}, {"scopes": "planet"}, {"trusts": ["me"]}]
)
def test_a_word_outside_the_closed_lists_is_refused(book, asked):
    """Row 86."""
    from commonplace.errors import InvalidError

    with pytest.raises(InvalidError, match="is not one of"):
        book.search("x", **asked)
