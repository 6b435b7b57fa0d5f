"""LoCoMo: ten long conversations, 5,882 turns, 1,982 questions with evidence turns (CC BY-NC 4.0: evaluate, do not ship)."""

from __future__ import annotations

import json
import lzma
import re
from datetime import datetime
from typing import Any

from bench.quality.cases import Cases, Item, Question, Store, data_folder, in_sessions

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
# A few ids are malformed upstream: "D8:6; D9:17", "D:11:26", "D30:05".
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


def turns() -> Cases:
    path = data_folder() / "locomo" / "locomo10.json.xz"
    with lzma.open(path, "rt", encoding="utf-8") as packed:
        return Cases("locomo turn", tuple(_store(told) for told in json.load(packed)))


def sessions() -> Cases:
    return in_sessions(turns(), "locomo session")


def _store(told: dict[str, Any]) -> Store:
    items = tuple(_items(told["conversation"]))
    known = {item.id for item in items}
    questions = (_question(f"{told['sample_id']}/{n}", asked, known) for n, asked in enumerate(told["qa"]))
    return Store(told["sample_id"], items, tuple(q for q in questions if q.gold))


def _items(conversation: dict[str, Any]):
    number = 1
    while f"session_{number}_date_time" in conversation:
        when = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").isoformat()
        for turn in conversation.get(f"session_{number}", ()):
            yield Item(turn["dia_id"], _text(turn), f"D{number}", when, turn["speaker"])
        number += 1


def _text(turn: dict[str, Any]) -> str:
    photo = f" [shares a photo of {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn['text']}{photo}"


def _question(id: str, asked: dict[str, Any], known: set[str]) -> Question:
    named = {f"D{int(s)}:{int(t)}" for each in asked.get("evidence", ()) for s, t in _EVIDENCE.findall(each)} & known
    held = frozenset(turn.partition(":")[0] for turn in named)
    return Question(id, asked["question"], CATEGORIES[asked["category"]], frozenset(named), held)
