"""A run: a proposal, then one transaction that can be taken back; nothing lost, nothing done twice."""

from __future__ import annotations

import pytest

from commonplace.engine import consolidate as verb
from commonplace.engine.consolidate import Consolidate
from commonplace.errors import ConflictError, CorruptError, DeniedError, InvalidError
from commonplace.model.consolidation import Policy


@pytest.fixture
def busy(known, heard):
    """A book in which every step has something to do."""
    known("The API listens on port 8080.")
    heard("The API listens on port 9090.")
    heard("Tests are run by pytest")
    heard("pytest runs the tests", "session-2")
    heard("The nightly build uploads its logs")
    heard("The nightly build always uploads its logs")
    heard("Logs are kept for thirty days")
    heard("Logs are kept for thirty days", "session-3", project_id="q")


ALL = {"merge", "conflict", "relate", "widen", "promote"}


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(book, busy, everything):
    before = everything(book)
    report = book.consolidate(dry_run=True)
    assert {step.action for step in report.steps} == ALL
    assert (report.run, report.dry_run) == (None, True)
    assert everything(book) == before
    done = book.consolidate()
    assert [step.action for step in done.steps] == [step.action for step in report.steps]


def test_a_run_is_one_run_of_the_journal(book, busy):
    report = book.consolidate()
    operations = book.journal(run=report.run)
    assert len(operations) == len(report.steps)
    assert {operation.actor for operation in operations} == {"alice"}
    assert all(operation.reason for operation in operations)
    assert book.verify().ok


def test_running_twice_changes_nothing_the_second_time(book, busy, everything):
    book.consolidate()
    after = everything(book)
    again = book.consolidate()
    assert (again.run, again.steps) == (None, ())
    assert everything(book) == after


def test_reverting_a_run_undoes_all_of_it_and_what_was_made_is_soft_deleted(book, busy, looks):
    before = looks(book)
    report = book.consolidate()
    book.revert(report.run)
    left = looks(book)
    made = [memory for memory in left["memory"] if memory["status"] == "deleted"]
    assert [memory["scope"] for memory in made] == ["global"]
    left["memory"] = [memory for memory in left["memory"] if memory not in made]
    assert left == before
    assert book.verify().ok


def test_reverting_refuses_when_later_changes_rest_on_the_run(book, busy):
    report = book.consolidate()
    (step,) = report.of("promote")
    book.evolve(step.id, "Tests are run by nose.", reason="changed")
    with pytest.raises(ConflictError, match="later changes rest on it"):
        book.revert(report.run)


def test_what_changed_between_the_look_and_the_writing_is_left_alone(book, known, heard):
    stays, goes = known("The API listens on port 8080."), heard("the API is listening on port 8080")
    one, other = heard("Tests are run by pytest"), heard("pytest runs the tests", "session-2")
    policy = Policy()
    proposal = verb.propose(book._scribe, Consolidate(), policy)
    book.confirm(goes.id, reason="meanwhile")
    report = verb.apply(book._scribe, proposal, policy)
    assert [(step.id, step.reason) for step in report.dropped] == [(goes.id, "it changed meanwhile")]
    assert {step.id for step in report.steps} == {one.id, other.id}
    assert [book.get(record.id).status for record in (stays, goes)] == ["active", "active"]


def test_two_runs_at_once_do_everything_once(book, busy, everything):
    """Both looked before either wrote."""
    policy = Policy()
    first, second = (verb.propose(book._scribe, Consolidate(), policy) for _ in range(2))
    done = verb.apply(book._scribe, first, policy)
    after = everything(book)
    again = verb.apply(book._scribe, second, policy)
    assert (again.run, again.steps, len(again.dropped)) == (None, (), len(done.steps))
    assert everything(book) == after


def test_purging_one_side_of_a_conflict_leaves_nothing_of_what_it_said(book, known, heard, path):
    one = known("The API listens on port 8080.")
    other = heard("The API listens on port 59231.")
    book.consolidate()
    book.purge(other.id)
    book.close()
    assert b"59231" not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert one.content.encode() in path.read_bytes()


def test_purging_a_copy_leaves_the_one_that_stays(book, known, heard):
    stays, goes = known("Tests are run by pytest"), heard("pytest runs the tests")
    book.consolidate()
    book.purge(goes.id)
    assert book.get(stays.id).status == "active"
    assert book.verify().ok


def test_what_was_to_be_promoted_for_a_merge_that_is_dropped_is_not_promoted(book, agent, heard):
    one, other = heard("Tests are run by pytest"), heard("pytest runs the tests", "session-2")
    policy = Policy()
    proposal = verb.propose(book._scribe, Consolidate(), policy)
    assert {step.action for step in proposal.steps} == {"merge", "promote"}
    book.reject(other.id, reason="meanwhile")
    report = verb.apply(book._scribe, proposal, policy)
    assert (report.steps, report.run) == ((), None)
    assert book.get(one.id).status == "inbox"


def test_a_run_that_would_lose_a_statement_changes_nothing(book, known, heard, everything, monkeypatch):
    """rfc 60: no hard deletes. Even a wrong step cannot take a statement away."""
    known("The API listens on port 8080.")
    heard("the API is listening on port 8080")
    monkeypatch.setattr(verb, "canonical", lambda record: record.id)  # nobody says the same as anybody
    before = everything(book)
    with pytest.raises(CorruptError, match="nothing was changed"):
        book.consolidate()
    assert everything(book) == before


def test_work_is_bounded_oldest_first_and_goes_on_where_it_stopped(book, heard):
    """rfc 62: candidates in portions."""
    records = [heard(f"Statement about thing number {n} of its own") for n in range(7)]
    seen: list[str] = []
    after = None
    while True:
        report = book.consolidate(limit=3, after=after)
        seen += [step.id for step in report.waiting]
        after = report.next
        if after is None:
            break
    assert seen == [record.id for record in records]


def test_only_the_named_candidates_are_looked_at(book, known, heard):
    """rfc 44: consolidate(inbox_items)."""
    known("The API listens on port 8080.")
    named, other = heard("the API is listening on port 8080"), heard("The API listens on the port 8080!")
    report = book.consolidate(ids=[named.id])
    assert [step.id for step in report.steps] == [named.id]
    assert book.get(other.id).status == "inbox"


def test_an_agent_may_tidy_up_among_its_equals_but_not_promote(book, agent, heard):
    """rfc 63: a client must not promote silently."""
    one, other = heard("Tests are run by pytest"), heard("pytest runs the tests", "session-2")
    report = agent.consolidate()
    assert [step.action for step in report.steps] == ["merge"]
    assert [(step.action, step.reason) for step in report.dropped] == [
        ("promote", "the operator or a curator must run it")
    ]
    assert [book.get(record.id).status for record in (one, other)] == ["inbox", "archived"]


def test_an_agent_cannot_put_away_what_is_trusted_more(agent, known, heard):
    known("Tests are run by pytest")
    mine = heard("pytest runs the tests", trust="operator")
    report = agent.consolidate()
    assert [step.id for step in report.dropped] == [mine.id]
    assert agent.get(mine.id).status == "inbox"


@pytest.mark.parametrize("actor", ["extracted:worker", "external:web"])
def test_a_lower_channel_cannot_consolidate(book, open_book, actor):
    with pytest.raises(DeniedError):
        open_book(actor).consolidate()


@pytest.mark.parametrize("limit", [0, -1, 100_000])
def test_a_limit_out_of_range_is_refused(book, limit):
    with pytest.raises(InvalidError):
        book.consolidate(limit=limit)


def test_an_empty_book_has_nothing_to_consolidate(book):
    report = book.consolidate()
    assert (report.looked_at, report.steps, report.waiting, report.next) == (0, (), (), None)
