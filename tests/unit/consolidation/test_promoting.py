"""Promotion: what may become active, by whose word, and why the rest waits."""

from __future__ import annotations

import pytest
from tests.unit.consolidation.conftest import keep

from commonplace.errors import ConflictError, DeniedError, InvalidError, NotFoundError
from commonplace.testing.makers import a_source


def waits(book, record, **options):
    """Why it still waits after a run."""
    report = book.consolidate(**options)
    assert book.get(record.id).status == "inbox"
    return next(step.reason for step in report.waiting if step.id == record.id)


def test_two_independent_sources_are_enough_and_one_is_not(book, heard):
    """rfc 15, 60: inbox becomes active at a threshold."""
    one = heard("Tests are run by pytest")
    assert "1 of 2 independent sources" in waits(book, one)
    heard("pytest runs the tests", "session-2")
    report = book.consolidate()
    assert [step.id for step in report.of("promote")] == [one.id]
    assert (book.get(one.id).status, book.get(one.id).trust) == ("active", "extracted")


def test_sources_add_up_over_runs(book, heard):
    one = heard("Tests are run by pytest")
    for number in (1, 2, 3):
        heard("pytest runs the tests", f"session-{number}")
        book.consolidate(least_sources=3)
        assert (book.get(one.id).status == "active") == (number == 3)


def test_the_same_source_captured_again_is_no_second_source(book, heard):
    text = "A long talk about tests. " * 20
    keep(book, a_source(id="s-1", body=text), a_source(id="s-2", body=text + "And it went on."))
    keep(book, a_source(id="s-3", uri="file:a.jsonl", body="x"), a_source(id="s-4", uri="file:a.jsonl", body="y"))
    one = heard("Tests are run by pytest", "s-1")
    heard("pytest runs the tests", "s-2")
    other = heard("Logs are kept for thirty days", "s-3")
    heard("Logs are kept for 30 days", "s-4")
    assert "1 of 2" in waits(book, one)
    assert "1 of 2" in waits(book, other)


def test_a_link_that_somebody_made_is_no_source(book, agent, heard):
    one, other = heard("Tests are run by pytest"), heard("The moon is made of cheese", "session-2")
    agent.link(other.id, one.id, "supports")
    book.archive(other.id)
    assert "1 of 2" in waits(book, one)


def test_with_no_threshold_only_a_person_promotes(book, heard):
    one = heard("Tests are run by pytest")
    heard("pytest runs the tests", "session-2")
    assert waits(book, one, least_sources=0) == "only a person promotes"
    assert book.promote(one.id).status == "active"


def test_without_source_or_evidence_nothing_is_promoted(book, heard):
    """R-g, rfc 26: every promoted memory keeps source or evidence."""
    one = heard("Tests are run by pytest", None, trust="operator")
    assert waits(book, one) == "nothing says where it comes from"
    with pytest.raises(ConflictError, match="nothing says where it comes from"):
        book.promote(one.id)


def test_a_decision_waits_for_its_rationale(book, heard):
    """R-f, rfc 21."""
    one = heard("We chose Postgres", type="decision", trust="operator")
    assert "rationale" in waits(book, one)
    with pytest.raises(ConflictError, match="rationale"):
        book.promote(one.id)
    reasoned = heard("We chose SQLite", type="decision", trust="operator", rationale="one file")
    assert [step.id for step in book.consolidate().of("promote")] == [reasoned.id]


def test_a_fact_about_the_person_waits_for_the_person_however_often_it_was_heard(book, agent, heard):
    """rfc 20."""
    fields = {"type": "profile", "scope": "global", "project_id": None}
    one = heard("Alice prefers tabs", **fields)
    for number in range(2, 5):
        heard("Alice prefers the tabs", f"session-{number}", **fields)
    assert "confirmation" in waits(book, one)
    with pytest.raises(DeniedError, match="confirmation"):
        agent.promote(one.id)
    promoted = book.promote(one.id, reason="she said so")
    assert (promoted.status, promoted.trust) == ("active", "curated")


def test_what_disagrees_waits_until_the_conflict_is_resolved(book, known, heard):
    """R-b: the new candidate stays inbox."""
    standing = known("The API listens on port 8080.")
    one = heard("The API listens on port 9090.")
    heard("The API is listening on port 9090", "session-2")
    assert "8080" in waits(book, one)
    with pytest.raises(ConflictError, match="resolve"):
        book.promote(one.id)
    (conflict,) = book.conflicts()
    book.resolve(conflict.id, loser=standing.id, reason="the config says so")
    assert [step.id for step in book.consolidate().of("promote")] == [one.id]


def test_what_would_replace_another_memory_waits_for_a_person(book, known, heard):
    """rfc 23: the latest word does not replace what is known by itself."""
    old = known("Tests are run by nose")
    new = heard("Tests are run by pytest", supersedes=old.id)
    heard("pytest runs the tests", "session-2", supersedes=old.id)
    assert "replace" in waits(book, new)
    assert book.get(old.id).status == "active"


def test_an_agent_may_ask_for_what_the_policy_would_do_anyway(book, agent, heard):
    one = heard("Tests are run by pytest")
    with pytest.raises(DeniedError, match="1 of 2"):
        agent.promote(one.id)
    heard("pytest runs the tests", "session-2")
    agent.consolidate()
    assert agent.promote(one.id).status == "active"


def test_several_are_promoted_together_or_not_at_all(book, heard, everything):
    good, bad = heard("Tests are run by pytest"), heard("We chose Postgres", type="decision")
    before = everything(book)
    with pytest.raises(ConflictError):
        book.promote([good.id, bad.id])
    assert everything(book) == before
    other = heard("Logs are kept for thirty days")
    done = book.promote([good.id, other.id], reason="both seen")
    assert [record.status for record in done] == ["active", "active"]
    book.revert(book.journal()[-1].run)
    assert [book.get(record.id).status for record in (good, other)] == ["inbox", "inbox"]


def test_promoting_twice_is_promoting_once_and_only_what_waits_can_be(book, heard, everything):
    one = heard("Tests are run by pytest")
    book.promote(one.id)
    after = everything(book)
    assert book.promote(one.id).status == "active"
    assert everything(book) == after
    book.archive(one.id)
    with pytest.raises(ConflictError, match="archived"):
        book.promote(one.id)
    with pytest.raises(NotFoundError):
        book.promote("nobody")
    with pytest.raises(InvalidError):
        book.promote([])
