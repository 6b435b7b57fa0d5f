"""Conflicts: both sides stay with their evidence until somebody who may says which is wrong (R-b, rfc 22, 53)."""

from __future__ import annotations

import pytest

from commonplace.errors import ConflictError, DeniedError, InvalidError, NotFoundError


@pytest.fixture
def disputed(book, known, heard):
    """The operator's word and a candidate that disagrees."""
    sides = (
        known("The API listens on port 8080.", evidence_ref="config.toml"),
        heard("The API listens on port 9090.", evidence_ref="session-1#3-9"),
    )
    book.consolidate()
    return sides


def test_contradictory_facts_coexist_with_status_and_evidence(book, disputed):
    """rfc 53, 60: a conflict record, links both ways, neither overwritten."""
    old, new = disputed
    (conflict,) = book.conflicts()
    assert {conflict.left_id, conflict.right_id} == {old.id, new.id}
    assert {conflict.left_evidence, conflict.right_evidence} == {"config.toml", "session-1#3-9"}
    assert {conflict.left.status, conflict.right.status} == {"active", "inbox"}
    assert "8080" in conflict.reason
    assert "9090" in conflict.reason
    assert old.id in (book.get(new.id).status_reason or "")
    with book._scribe.reading() as view:
        links = {(link.from_id, link.to_id) for link in view.links(old.id) if link.relation == "contradicts"}
    assert links == {(old.id, new.id), (new.id, old.id)}


def test_resolving_names_the_loser_the_reason_and_the_actor(book, disputed):
    old, new = disputed
    (conflict,) = book.conflicts()
    done = book.resolve(conflict.id, loser=new.id, reason="the config is the truth")
    assert (done.state, done.loser_id, done.resolution, done.resolved_by) == (
        "resolved", new.id, "the config is the truth", "alice",
    )  # fmt: skip
    assert done.resolved_at is not None
    assert [book.get(side.id).status for side in disputed] == ["active", "contradicted"]
    assert book.get(new.id).status_reason == "the config is the truth"
    assert book.conflicts() == []
    assert [one.id for one in book.conflicts(state="resolved")] == [conflict.id]
    assert [one.id for one in book.conflicts(state="all", memory=old.id)] == [conflict.id]


def test_a_resolved_conflict_is_not_asked_again(book, disputed):
    (conflict,) = book.conflicts()
    book.resolve(conflict.id, loser=disputed[1].id, reason="r")
    book.restore(disputed[1].id)
    assert book.consolidate().of("conflict") == ()


def test_what_is_turned_away_disagrees_with_nobody_any_more(book, disputed, looks):
    before = looks(book)
    _, new = disputed
    book.reject(new.id, reason="a typing mistake")
    assert book.conflicts() == []
    (ended,) = book.conflicts(state="resolved")
    assert (ended.loser_id, ended.resolution, ended.resolved_by) == (new.id, "a typing mistake", "alice")
    book.revert(book.journal()[-1].id, reason="it was right")
    assert looks(book) == before


def test_resolving_can_be_taken_back(book, disputed, looks):
    before = looks(book)
    (conflict,) = book.conflicts()
    book.resolve(conflict.id, loser=disputed[0].id, reason="moved")
    book.revert(book.journal()[-1])
    assert looks(book) == before


def test_resolving_twice_is_resolving_once_and_the_other_way_is_refused(book, disputed, everything):
    (conflict,) = book.conflicts()
    book.resolve(conflict.id, loser=disputed[1].id, reason="r")
    after = everything(book)
    assert book.resolve(conflict.id, loser=disputed[1].id, reason="r").state == "resolved"
    with pytest.raises(ConflictError, match="the other way"):
        book.resolve(conflict.id, loser=disputed[0].id, reason="r")
    assert everything(book) == after


def test_who_is_trusted_less_cannot_let_the_operator_lose(agent, disputed):
    """Low trust never overrides high."""
    (conflict,) = agent.conflicts()
    with pytest.raises(DeniedError):
        agent.resolve(conflict.id, loser=disputed[0].id, reason="I know better")
    assert agent.resolve(conflict.id, loser=disputed[1].id, reason="hearsay").state == "resolved"


def test_among_equals_the_higher_trusted_loses_by_the_operators_word_alone(book, open_book, heard):
    low, high = (
        heard("The API listens on port 8080.", trust="extracted"),
        heard("The API listens on port 9090.", trust="agent"),
    )
    book.consolidate()
    (conflict,) = book.conflicts()
    with pytest.raises(DeniedError):
        open_book("curated:carol").resolve(conflict.id, loser=high.id, reason="r")
    assert book.resolve(conflict.id, loser=high.id, reason="r").loser_id == high.id
    assert book.get(low.id).status == "inbox"


def test_what_cannot_be_meant_is_refused(book, disputed, known):
    (conflict,) = book.conflicts()
    stranger = known("Something else entirely")
    with pytest.raises(InvalidError, match="no side"):
        book.resolve(conflict.id, loser=stranger.id, reason="r")
    with pytest.raises(InvalidError, match="reason"):
        book.resolve(conflict.id, loser=disputed[0].id, reason="  ")
    with pytest.raises(NotFoundError):
        book.resolve("nothing", loser=disputed[0].id, reason="r")
    with pytest.raises(InvalidError, match="state"):
        book.conflicts(state="perhaps")
    with pytest.raises(InvalidError, match="limit"):
        book.conflicts(limit=0)


def test_a_candidate_that_disagrees_with_many_makes_only_a_few_conflicts(book, known, heard):
    for port in range(8000, 8012):
        known(f"The API listens on port {port}.")
    heard("The API listens on port 9090.")
    assert len(book.consolidate().of("conflict")) == 5
    assert book.consolidate().steps == ()
