"""Explaining: why the book remembers this, in one plain sentence and with everything behind it (rfc 7, 26)."""

from __future__ import annotations

import pytest

from commonplace.errors import NotFoundError


@pytest.fixture
def told(book):
    one = book.save("The port is 8080.", type="project", project_id="shop", evidence_ref="log/7", aliases=["m-1"])
    book.save("The port is 8080.", type="project", project_id="shop")
    other = book.save("The port is 9090.", type="project", project_id="shop")
    book.link(other.id, one.id, "related_to")
    book.contradict(one.id, other.id)
    book.archive(one.id, reason="moved")
    return book, one


def test_one_sentence_says_who_how_often_by_what_evidence_and_what_became_of_it(told):
    book, one = told
    because = book.explain(one.id).because
    for part in ("alice saved it", "library", "2026-05-03", "2 times", "log/7", "archived", "moved"):
        assert part in because


def test_everything_behind_it_is_there(told):
    book, one = told
    explained = book.explain(one.id)
    assert explained.record == book.get(one.id)
    assert explained.source.actor == "alice"
    assert {link.relation for link in explained.links} == {"related_to", "contradicts"}
    assert len(explained.conflicts) == 1
    assert [op.verb for op in explained.history] == ["save", "reinforce", "link", "contradict", "archive"]
    assert list(explained.history) == book.history(one.id)


def test_an_alias_is_enough(told):
    book, one = told
    assert book.explain("m-1") == book.explain(one.id)
    assert book.history("m-1") == book.history(one.id)


def test_what_an_agent_says_is_explained_by_the_reason_it_waits(agent):
    waiting = agent.save("Alice likes tea.", type="profile")
    because = agent.explain(waiting.id).because
    assert "agent:claude" in because
    assert "inbox" in because
    assert "confirmation" in because


def test_links_and_conflicts_have_a_history_too(told):
    book, one = told
    (conflict,) = book.explain(one.id).conflicts
    assert [op.verb for op in book.history(conflict.id)] == ["contradict"]
    with pytest.raises(NotFoundError):
        book.explain(conflict.id)


def test_an_explanation_has_one_json_form(told):
    book, one = told
    explained = book.explain(one.id)
    assert type(explained).from_json(explained.to_json()) == explained


def test_how_sure_one_is_is_never_a_way_to_overwrite(book):
    """X-15: saying it again with more confidence counts; it does not change what was said."""
    first = book.save("Tabs.", type="profile", confidence=0.2)
    again = book.save("Tabs.", type="profile", confidence=0.9)
    assert (again.id, again.confidence) == (first.id, 0.2)
    other = book.save("Spaces.", type="profile", confidence=1.0)
    book.contradict(first.id, other.id)
    assert book.get(first.id).status == book.get(other.id).status == "active"
