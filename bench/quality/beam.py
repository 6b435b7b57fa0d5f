"""BEAM 100K: 20 chats of about 290 messages, ten abilities of equal size (CC BY-SA 4.0)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from bench.quality.cases import Cases, Item, Question, Store, lines

# The abilities whose gold is a few messages; the others spread over a whole chat.
POINTWISE = (
    "contradiction_resolution",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "preference_following",
    "temporal_reasoning",
)
_MARKER = re.compile(r"\s*->->.*$", re.DOTALL)  # the generator's own note at the end of a user message


def messages() -> Cases:
    asked: dict[str, list[dict[str, Any]]] = {}
    for each in lines("beam_100k", "questions.jsonl.xz"):
        asked.setdefault(each["chat_id"], []).append(each)
    stores = (_store(chat, asked[chat["chat_id"]]) for chat in lines("beam_100k", "chats.jsonl.xz"))
    return Cases("beam message", tuple(stores))


def _store(chat: dict[str, Any], asked: list[dict[str, Any]]) -> Store:
    items = tuple(_items(chat["messages"]))
    known = {item.id for item in items}
    questions = [_question(each, known) for each in asked]
    # Five name no message and are no abstentions: nobody says whether the chat answers them.
    told = tuple(each for each in questions if each.gold or each.category == "abstention")
    return Store(chat["chat_id"], items, told)


def _items(messages: list[dict[str, Any]]):
    when = ""
    for each in messages:
        when = _iso(each.get("time_anchor")) or when
        yield Item(str(each["id"]), _MARKER.sub("", each["content"]), str(each["batch"]), when, each["role"])


def _question(asked: dict[str, Any], known: set[str]) -> Question:
    gold = frozenset(map(str, asked["gold_message_ids"])) & known
    source = asked.get("source_chat_ids")
    named = (
        {key: frozenset(map(str, _ids(ids))) & known for key, ids in source.items()} if isinstance(source, dict) else {}
    )
    sides = (named["first_statement"], named["second_statement"]) if "first_statement" in named else ()
    newer = named.get("updated_info", frozenset())
    older = named.get("original_info", frozenset()) - newer  # a few name the same message twice: no order to get right
    return Question(
        asked["question_id"], asked["question"], asked["category"], gold, older=older, newer=newer, sides=sides
    )


def _ids(found: Any) -> list[int]:
    return found if isinstance(found, list) else [found]


def _iso(anchor: str | None) -> str:
    try:
        return datetime.strptime(anchor or "", "%B-%d-%Y").isoformat()
    except ValueError:
        return ""
