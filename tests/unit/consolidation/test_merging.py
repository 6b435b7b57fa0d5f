"""Merging: the same said twice is one memory with the provenance of both (rfc 14, 43, 60)."""

from __future__ import annotations

import pytest

from commonplace.model.words import Relation


def statuses(book, *records):
    return [str(book.get(record.id).status) for record in records]


def test_a_candidate_that_says_what_is_known_is_archived_and_linked(book, known, heard):
    """rfc 60: duplicates are linked and archived."""
    stays = known("The API listens on port 8080.")
    goes = heard("the API is listening on port 8080", evidence_ref="session-1#10-40")
    report = book.consolidate()
    assert [(step.action, step.id, step.others) for step in report.steps] == [("merge", goes.id, (stays.id,))]
    assert statuses(book, stays, goes) == ["active", "archived"]
    assert book.get(stays.id).occurrences == 2
    assert stays.id in (book.get(goes.id).status_reason or "")
    with book._scribe.reading() as view:
        (link,) = view.links(goes.id)
    assert (link.from_id, link.relation, link.to_id) == (goes.id, Relation.SUPPORTS, stays.id)
    assert link.evidence_ref == "session-1#10-40"


def test_who_stays_gains_what_the_other_knew(book, heard):
    older = heard("Tests are run by pytest", tags=("ci",))
    newer = heard(
        "pytest runs the tests", "session-2", evidence_ref="session-2#1-9", tags=("tests",), rationale="speed"
    )
    book.consolidate()
    kept = book.get(newer.id)  # the better grounded one
    assert statuses(book, older, newer) == ["archived", "active"]
    assert (kept.tags, kept.occurrences, kept.rationale) == (("tests", "ci"), 2, "speed")


def test_of_equals_the_older_stays(book, heard):
    one, two, three = (heard("Tests are run by pytest") for _ in range(3))
    book.consolidate()
    assert statuses(book, one, two, three) == ["inbox", "archived", "archived"]
    assert book.get(one.id).occurrences == 3


@pytest.mark.parametrize(
    "other",
    [
        {"project_id": "q"},
        {"scope": "global", "project_id": None},
        {"type": "artifact"},
        {"tenant": "t"},
        {"scope": "repo", "repo_id": "r"},
        {"valid_to": "2099-01-01T00:00:00Z"},
    ],
)
def test_only_the_same_sort_of_statement_to_the_same_readers_is_merged(book, heard, other):
    """rfc 62: the same content, scope and type."""
    heard("Tests are run by pytest")
    heard("pytest runs the tests", **other)
    assert book.consolidate().of("merge") == ()


@pytest.mark.parametrize("fields", [{"agent_id": "claude"}, {"scope": "global", "agent_id": "claude", "repo_id": "r"}])
def test_who_heard_it_does_not_matter_only_who_reads_it(book, known, heard, fields):
    """Two agents that hear the same hear one thing; what an agent keeps to itself is another."""
    readers = {"scope": fields.get("scope", "project")}
    stays = known("Tests are run by pytest", **({"project_id": None} if "scope" in fields else {}), **readers)
    goes = heard("pytest runs the tests", **fields)
    own = heard("pytest runs the tests", scope="agent", agent_id="claude")
    assert [step.touches for step in book.consolidate().of("merge")] == [(goes.id, stays.id)]
    assert book.get(own.id).status == "inbox"


def test_episodes_of_some_age_are_merged_only_if_they_are_copies(book, heard, clock):
    """rfc 62: an episode is a candidate when it is old enough."""
    fields = {"type": "episode", "status": "active"}
    one = heard("A session about ports.", **fields, created_at=clock.moment, updated_at=clock.moment)
    copy = heard("A session about  ports.", **fields, created_at=clock.moment, updated_at=clock.moment)
    heard("The session was about ports.", **fields, created_at=clock.moment, updated_at=clock.moment)
    assert book.consolidate().looked_at == 0
    clock.move(days=2)
    report = book.consolidate()
    assert report.looked_at == 3
    assert [(step.id, step.others) for step in report.of("merge")] == [(copy.id, (one.id,))]


def test_what_is_said_with_a_word_more_stays_and_is_linked(book, known, heard):
    stays = known("The nightly build uploads its logs")
    candidate = heard("The nightly build always uploads its logs")
    (step,) = book.consolidate().steps
    assert (step.action, {*step.touches}) == ("relate", {stays.id, candidate.id})
    assert statuses(book, stays, candidate) == ["active", "inbox"]
    assert book.consolidate().steps == ()


def test_what_proposes_to_replace_or_is_disputed_is_not_merged_away(book, known, heard):
    old = known("The API listens on port 8080.")
    known("Tests are run by pytest")
    heard("pytest runs the tests", supersedes=old.id)
    disputed = heard("The tests are run by pytest")
    book.contradict(disputed.id, old.id)
    assert book.consolidate().of("merge") == ()


def test_a_long_text_is_merged_only_with_its_copy(book, known, heard):
    long = "word " * 400
    known(long)
    heard(long.upper())
    heard(f"{long} is listening")
    assert len(book.consolidate().of("merge")) == 1


def test_vectors_find_partners_that_share_no_words_but_never_decide(book, known, heard, monkeypatch):
    """The meanings are as near as can be, and the words differ: both stay."""
    import numpy as np

    one, other = known("Automobiles need fuel"), heard("Cars want petrol")
    with book._scribe.canon.writing(5) as draft:
        vector = np.ones((1, 4), np.float32) / 2
        draft.keep_vectors("m", [(record.id, record.fingerprint, vector) for record in (one, other)])
    monkeypatch.setattr(type(book._scribe.meaning), "model", lambda _: "m")
    assert book.consolidate().steps == ()
    assert statuses(book, one, other) == ["active", "inbox"]
