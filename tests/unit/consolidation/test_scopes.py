"""Scope: a candidate belongs where its source does, and nothing is widened silently."""

from __future__ import annotations

import pytest
from tests.unit.consolidation.conftest import keep

from commonplace.testing.makers import a_link

NOBODYS = {"scope": "global", "project_id": None}


@pytest.fixture
def episode(heard):
    return heard("A session about the build", type="episode", status="active")


def test_a_candidate_without_an_owner_gets_the_scope_of_its_episode(book, heard, episode):
    """rfc 14, R-e: consolidation scopes what was derived from an episode."""
    candidate = heard("Tests are run by pytest", **NOBODYS)
    keep(book, a_link(candidate, "derived_from", episode))
    (step,) = book.consolidate().steps
    assert (step.action, step.touches) == ("narrow", (candidate.id, episode.id))
    settled = book.get(candidate.id)
    assert (settled.scope, settled.project_id, settled.content) == ("project", "p", candidate.content)


def test_what_was_narrowed_is_merged_in_the_same_run(book, heard, episode, known):
    stays = known("Tests are run by pytest")
    two = [heard("pytest runs the tests", **NOBODYS) for _ in range(2)]
    keep(book, *(a_link(one, "derived_from", episode) for one in two))
    report = book.consolidate()
    assert [step.others for step in report.of("merge")] == [(stays.id,), (stays.id,)]
    assert book.consolidate().steps == ()


@pytest.mark.parametrize("fields", [{"type": "profile"}, {"trust": "operator"}, {"agent_id": "a"}])
def test_the_persons_facts_and_what_a_person_said_keep_their_scope(book, heard, episode, fields):
    candidate = heard("Tests are run by pytest", **{**NOBODYS, **fields})
    keep(book, a_link(candidate, "derived_from", episode))
    assert book.consolidate().of("narrow") == ()


def test_what_several_projects_say_is_proposed_for_all_and_stays_a_proposal(book, known, heard):
    one = known("Tests are run by pytest", project_id="q")
    candidate = heard("pytest runs the tests")
    report = book.consolidate()
    (step,) = report.of("widen")
    assert {*step.touches} == {one.id, candidate.id}
    (proposed,) = (record for record in book.list(statuses=["inbox"]) if record.scope == "global")
    assert (proposed.trust, proposed.project_id) == ("extracted", None)
    assert "p, q" in (proposed.status_reason or "")
    assert [book.get(record.id).status for record in (one, candidate)] == ["active", "inbox"]
    for _ in range(2):
        assert book.consolidate().steps == ()
    assert book.get(proposed.id).status == "inbox"


def test_a_proposal_for_all_projects_is_never_promoted_silently(book, heard):
    """Not even when everybody who said it is trusted."""
    heard("Tests are run by pytest", trust="operator")
    heard("Tests are run by pytest", trust="operator", project_id="q")
    book.consolidate()
    report = book.consolidate()
    assert ["all projects" in step.reason for step in report.waiting] == [True]


def test_what_was_turned_away_is_not_proposed_again(book, heard):
    heard("Tests are run by pytest")
    heard("Tests are run by pytest", project_id="q")
    (step,) = book.consolidate().of("widen")
    (proposed,) = (record for record in book.list(statuses=["inbox"]) if record.scope == "global")
    book.reject(proposed.id, reason="not everywhere")
    heard("Tests are run by pytest", project_id="r")
    assert book.consolidate().of("widen") == ()
    assert len(step.touches) == 2
