"""LongMemEval, development half, in three forms (MIT). None of their numbers is a LongMemEval-S score.

- P48: each question has its own store of about 48 sessions.
- pool: one store holds the sessions of all questions, so that everybody else's answers are in the way.
- S/u500: the sessions that a question really has in LongMemEval-S, of each the first 500 characters that the user said. A part of
  the evidence is not in them.

`official` indexes the user's turns only and counts questions with a user-side label; `full` indexes both roles and keeps
the abstention questions, whose answer is nowhere.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from bench.quality.cases import Cases, Item, Question, Store, in_sessions, lines


def turns(*, official: bool, absent: bool = False) -> Cases:
    """With `absent`, the official form has the abstention questions too: to see whether they are told from the others."""
    questions = {each["question_id"]: each for each in lines("longmemeval", "questions.dev.jsonl.xz")}
    haystacks = lines("longmemeval", "haystack_p48.dev.jsonl.xz")
    stores = (_store(questions[each["question_id"]], each["sessions"], official) for each in haystacks)
    kept = tuple(store for store in stores if not official or _is_kept(store.questions[0], absent))
    return Cases(f"longmemeval {'with absent' if absent else 'official' if official else 'full'} turn", kept)


def _is_kept(question: Question, absent: bool) -> bool:
    return bool(question.gold) or (absent and question.category == "abstention")


def sessions(*, official: bool) -> Cases:
    return in_sessions(turns(official=official), f"longmemeval {'official' if official else 'full'} session")


def pool_turns() -> Cases:
    """All sessions in one store, in the order of their dates. One that was copied is there once, under its first name."""
    told = sorted(lines("longmemeval", "sessions.dev.jsonl.xz"), key=lambda each: _iso(each["date"]))
    first: dict[str, str] = {}
    names = {
        each["session_id"]: first.setdefault(repr([turn["content"] for turn in each["turns"]]), each["session_id"])
        for each in told
    }
    haystack = [[each["session_id"], each["date"]] for each in told if each["session_id"] in first.values()]
    items = _items(haystack, official=True)
    asked = (_renamed(each, names) for each in lines("longmemeval", "questions.dev.jsonl.xz"))
    questions = (_question(each, items) for each in asked)
    return Cases("longmemeval pool turn", (Store("pool", items, tuple(q for q in questions if q.gold)),))


def pool_sessions() -> Cases:
    return in_sessions(pool_turns(), "longmemeval pool session")


def u500_sessions() -> Cases:
    texts = {each["session_id"]: each["user_text_500"] for each in lines("longmemeval", "s_u500_sessions.dev.jsonl.xz")}
    haystacks = {
        each["question_id"]: each["sessions"] for each in lines("longmemeval", "s_u500_haystacks.dev.jsonl.xz")
    }
    stores = tuple(_by_beginnings(store, haystacks[store.name], texts) for store in sessions(official=True).stores)
    return Cases("longmemeval u500 session", stores)


def _by_beginnings(store: Store, haystack: list[list[str]], texts: dict[str, str]) -> Store:
    """The same question, asked of how the sessions begin that it really has."""
    items = tuple(Item(session, texts[session], session, _iso(date)) for session, date in haystack)
    return Store(store.name, items, store.questions)


def _renamed(asked: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return asked | {"gold_turns": [[names[session], turn] for session, turn in asked["gold_turns"]]}


@cache
def _texts() -> dict[str, list[dict[str, Any]]]:
    return {each["session_id"]: each["turns"] for each in lines("longmemeval", "sessions.dev.jsonl.xz")}


def _store(asked: dict[str, Any], haystack: list[list[str]], official: bool) -> Store:
    items = _items(haystack, official)
    return Store(asked["question_id"], items, (_question(asked, items),))


def _items(haystack: list[list[str]], official: bool) -> tuple[Item, ...]:
    return tuple(
        Item(f"{session}#{n}", turn["content"], session, _iso(date), turn["role"])
        for session, date in haystack
        for n, turn in enumerate(_texts()[session])
        if turn["content"].strip() and (turn["role"] == "user" or not official)
    )


def _question(asked: dict[str, Any], items: tuple[Item, ...]) -> Question:
    absent = asked["question_id"].endswith("_abs")
    labelled = set() if absent else {f"{session}#{turn}" for session, turn in asked["gold_turns"]}
    gold = [item for item in items if item.id in labelled]
    category = "abstention" if absent else asked["question_type"]
    older, newer = _ages(gold) if category == "knowledge-update" else (frozenset(), frozenset())
    held = frozenset(item.session for item in gold)
    ids = frozenset(item.id for item in gold)
    when = _iso(asked["question_date"])
    return Question(asked["question_id"], asked["question"], category, ids, held, older, newer, asked=when)


def _ages(gold: list[Item]) -> tuple[frozenset[str], frozenset[str]]:
    """The newest session's statements against all earlier ones; nothing when there is only one session."""
    last = max((item.when for item in gold), default="")
    newer = frozenset(item.id for item in gold if item.when == last)
    older = frozenset(item.id for item in gold if item.when != last)
    return (older, newer) if older else (frozenset(), frozenset())


def _iso(date: str) -> str:
    return datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").isoformat()
