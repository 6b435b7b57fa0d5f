"""Whose memories come up: the global ones, the current project's, and others only when linked or strong (rfc 40, 48, 49; R-a)."""

from __future__ import annotations

import pytest

from commonplace import settings


def contents(results):
    return [result.record.content for result in results]


def test_a_projects_question_gets_its_own_and_the_global_ones_and_no_others(book):
    """rfc 48."""
    book.save("Falcon deploys to port 8443.", type="project", project_id="falcon")
    book.save("Always deploy behind a feature flag.", type="profile")
    book.save("Osprey deploys to port 9000 with Ansible.", type="project", project_id="osprey")
    found = contents(book.search("deploy port", project="falcon"))
    assert found[0] == "Falcon deploys to port 8443."
    assert "Always deploy behind a feature flag." in found
    assert not any("Osprey" in content for content in found)


def test_a_decision_crosses_over_when_it_is_linked(book):
    """rfc 49, T1."""
    decision = book.save(
        "Use UTC in every log line.", type="decision", project_id="osprey", rationale="so that they can be compared"
    )
    here = book.save("Falcon writes log lines with structlog.", type="project", project_id="falcon")
    asked = {"query": "log line time zone", "project": "falcon"}
    assert contents(book.search(**asked)) == [here.content]
    book.link(decision.id, here.id, "applies_to")
    found = {result.record.id: result for result in book.search(**asked)}
    assert found[decision.id].reach == "linked"
    assert "osprey" in found[decision.id].explanation
    assert "linked" in found[decision.id].explanation


def test_a_linked_one_that_has_nothing_to_do_with_it_stays_away(book):
    """T1 is a threshold too."""
    away = book.save("Lunch is at noon.", type="project", project_id="osprey")
    here = book.save("Falcon writes log lines with structlog.", type="project", project_id="falcon")
    book.link(away.id, here.id, "related_to")
    results = book.search("log line format", project="falcon")
    assert contents(results) == [here.content]
    (lost,) = [one for one in book.receipts()[0].near_misses if one.memory_id == away.id]
    assert "another project" in lost.reason
    assert f"{settings.LINKED_THRESHOLD:.2f}" in lost.reason


def test_a_strong_one_comes_when_there_is_no_answer_at_home(book):
    """rfc 49, T2."""
    away = book.save("The kestrel cluster runs on spot instances.", type="project", project_id="osprey")
    book.save("Falcon has a cluster.", type="project", project_id="falcon")
    (first, *_) = book.search("kestrel cluster spot instances", project="falcon")
    assert (first.record.id, first.reach) == (away.id, "strong")
    assert "strongly relevant" in first.explanation


def test_a_strong_one_stays_away_when_the_answer_is_at_home(book):
    book.save("The cluster runs on spot instances.", type="project", project_id="osprey")
    book.save("Our cluster runs on spot instances of the cheap kind.", type="project", project_id="falcon")
    found = book.search("cluster spot instances", project="falcon")
    assert {result.record.project_id for result in found} == {"falcon"}


def test_both_thresholds_are_in_the_receipt_and_the_second_is_higher(book):
    book.search("anything", project="falcon")
    thresholds = book.receipts()[0].thresholds
    assert thresholds["linked"] == settings.LINKED_THRESHOLD < thresholds["strong"] == settings.STRONG_THRESHOLD


def test_many_strong_strangers_cannot_hide_what_is_near(understood):
    """The near one is looked at, however many others are better by words, and as many again by meaning."""
    for n in range(50):
        understood.save(f"Port {n} port port.", type="project", project_id="osprey")
        understood.save(f"Automobile {n} automobile.", type="project", project_id="osprey")
    near = understood.save(
        "Somebody once said, in a long remark about a doctor, a dinner, a database, some food, a clinic, storage, a meal and "
        "a physician, and about this and that and much else that nobody has to know, that an automobile is at a port.",
        type="project",
        project_id="falcon",
    )
    understood.index_pending()
    for query in ("automobile port", "port"):
        assert [result.record.id for result in understood.search(query, project="falcon")] == [near.id]


@pytest.mark.parametrize("scope", ["agent", "session"])
def test_what_an_agent_keeps_to_itself_never_crosses_over(understood, scope):
    """Not by its words, not by its meaning, not by a link, not as a neighbour."""
    shared = understood.save("Bob: the car is in the garage", type="episode", scope="project", project_id="falcon")
    own = understood.save(
        "Bob: the car key is under the mat", type="episode", scope=scope, agent_id="bob", project_id="falcon"
    )
    more = understood.save("Bob: the car is blue", type="episode", scope="project", project_id="falcon")
    understood.link(shared.id, own.id, "related_to")
    understood.contradict(more.id, own.id)
    understood.index_pending()
    asked = "where is the key of the car under the mat"
    for who in ({"project": "falcon"}, {"project": "falcon", "agent": "eve"}, {"agent": "eve"}, {"repo": "r"}):
        assert own.id not in [result.record.id for result in understood.search(asked, limit=100, **who)]
        receipt = understood.receipts(limit=1)[0]
        assert own.id not in [one.memory_id for one in receipt.near_misses]
    for who in ({"project": "falcon", "agent": "bob"}, {"agent": "bob"}, {}):
        assert own.id == understood.search(asked, **who)[0].record.id


def test_another_project_of_the_same_agent_is_not_this_one(book):
    own = book.save("Scratch: the falcon token moved.", type="task_hint", scope="agent", agent_id="bob", project_id="x")
    assert len(book.search("falcon token", project="falcon", agent="bob")) == 0
    assert [r.record.id for r in book.search("falcon token", project="x", agent="bob")] == [own.id]


def test_a_repository_is_narrower_than_its_project(book):
    mine = book.save("Lint with ruff here.", type="project", scope="repo", project_id="p", repo_id="api")
    other = book.save("Lint with eslint here.", type="project", scope="repo", project_id="p", repo_id="web")
    whole = book.save("Lint before each commit.", type="project", project_id="p")
    found = [result.record.id for result in book.search("lint here", project="p", repo="api")]
    assert mine.id in found
    assert whole.id in found
    assert other.id not in found


def test_with_nobody_named_the_whole_book_is_near(book):
    for project in ("a", "b"):
        book.save(f"The port of {project}.", type="project", project_id=project)
    results = book.search("port")
    assert len(results) == 2
    assert {str(result.reach) for result in results} == {"near"}


@pytest.mark.parametrize("project", ["%", "_", "' OR 1=1 --", "falco", "FALCON", "falcon "])
def test_a_projects_name_is_taken_as_it_is(book, project):
    """Rows 86, 87."""
    book.save("The port is 1.", type="project", project_id="falcon")
    home = book.save("The port of all ports is 2.", type="profile")
    assert [r.record.id for r in book.search("port", project=project)] == [home.id]
