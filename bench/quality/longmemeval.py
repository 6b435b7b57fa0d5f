"""LongMemEval, development half, in the form P48: each question has its own store of about 48 sessions (MIT).

`official` indexes the user's turns only and counts questions with a user-side label; `full` indexes both roles and keeps
the abstention questions, whose answer is nowhere. A P48 number is never a LongMemEval-S score.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from bench.quality.cases import Cases, Item, Question, Store, in_sessions, lines


def turns(*, official: bool) -> Cases:
    questions = {each["question_id"]: each for each in lines("longmemeval", "questions.dev.jsonl.xz")}
    haystacks = lines("longmemeval", "haystack_p48.dev.jsonl.xz")
    stores = (_store(questions[each["question_id"]], each["sessions"], official) for each in haystacks)
    kept = tuple(store for store in stores if store.questions[0].gold or not official)
    return Cases(f"longmemeval {'official' if official else 'full'} turn", kept)


def sessions(*, official: bool) -> Cases:
    return in_sessions(turns(official=official), f"longmemeval {'official' if official else 'full'} session")


@cache
def _texts() -> dict[str, list[dict[str, Any]]]:
    return {each["session_id"]: each["turns"] for each in lines("longmemeval", "sessions.dev.jsonl.xz")}


def _store(asked: dict[str, Any], haystack: list[list[str]], official: bool) -> Store:
    items = tuple(
        Item(f"{session}#{n}", turn["content"], session, _iso(date), turn["role"])
        for session, date in haystack
        for n, turn in enumerate(_texts()[session])
        if turn["content"].strip() and (turn["role"] == "user" or not official)
    )
    return Store(asked["question_id"], items, (_question(asked, items),))


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
