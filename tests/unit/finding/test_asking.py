"""What sort of answer a question wants, and what follows from it: how much brevity counts, and whether instructions do."""

from __future__ import annotations

import pytest

from commonplace.retrieve.asking import A_STATEMENT, AN_ACCOUNT, ANYTHING, wanted_by

from .points import points

ESSAY = "About the resume: " + "put the results first and the duties behind them, in few words. " * 30
STATEMENT = "My resume is two pages long."
RULE = "Always answer in French when I ask about the resume."


@pytest.mark.parametrize(
    "question",
    [
        "What did you recommend for the resume?",
        "Which tools have you suggested?",
        "the steps that you gave me",
        "what was your advice on the resume?",
        "How did I organize the tasks?",
        "What approach to the proof did I outline?",
    ],
)
def test_who_asks_what_was_said_or_how_it_went_wants_an_account(question):
    assert wanted_by(question) is AN_ACCOUNT


@pytest.mark.parametrize("question", ["Have I ever been to Oslo?", "did we fix the bug", " Was my resume sent?"])
def test_who_asks_whether_wants_a_statement(question):
    assert wanted_by(question) is A_STATEMENT


@pytest.mark.parametrize(
    "question", ["Where did Ann go?", "can you help me?", "the port", "", "How many did I buy?", "I have we", "have it"]
)
def test_all_else_takes_what_there_is(question):
    assert wanted_by(question) is ANYTHING


@pytest.fixture
def resume(book):
    for said in (ESSAY, STATEMENT, RULE):
        book.save(said, type="episode")
    return book


def test_an_account_may_be_long_and_a_statement_may_not(resume):
    asked = ("what did you recommend for the resume", "the resume", "is it so? have I a resume", "have I a resume")
    lost = [points(resume, question)[ESSAY].get("brevity", 0.0) for question in asked]
    assert lost[0] == 0.0 > lost[1] == pytest.approx(lost[2], abs=1e-3)
    assert lost[3] == pytest.approx(2 * lost[1], abs=1e-3)


def test_instructions_are_for_tasks_and_not_for_the_past(resume):
    told = [
        "instructions" in points(resume, q)[RULE] for q in ("the resume", "have I a resume", "did you see my resume")
    ]
    assert told == [True, False, False]
