"""Why did this come up? One plain sentence, made of what really added to the score (rfc 34)."""

from __future__ import annotations

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.understand import Question

_MUCH = 0.3
"""So much more than usual is worth a word."""
_EVERY_TIME = "it is something that is wanted every time"
_PLAINLY = {
    "links": "it is linked to a strong hit",
    "mentions": "it is about somebody whom a strong hit names",
    "instructions": _EVERY_TIME,
    "wishes": _EVERY_TIME,
    "freshness": "it is the latest word on this",
    "change": "it tells of a change",
    "time": "it is from the time you asked about",
}
"""What is said of a component that adds to the score, whatever else does."""


def sentence(contender: Contender, record: MemoryRecord, question: Question) -> str:
    reasons = [reason for reason in _reasons(contender, record, question) if reason]
    return "; ".join(reasons) if reasons else "it is the nearest there is"


def _reasons(contender: Contender, record: MemoryRecord, question: Question) -> list[str]:
    scores, raw = contender.scores, contender.raw
    words = list(dict.fromkeys(contender.holding(question.words)))
    reasons = []
    if words:
        reasons.append(f"it holds the words: {', '.join(words)}")
    elif raw.get("lexical"):
        reasons.append("it holds other forms of the words you asked for")
    elif scores.get("lexical"):
        reasons.append("what was said right before or after it holds your words")
    if scores.get("semantic", 0.0) > 0 and "semantic" in raw:
        reasons.append(f"its meaning is close ({raw['semantic']:.2f})")
    if "rerank" in raw:
        reasons.append("read together with the question it fits" if raw["rerank"] > 0 else "")
    if scores.get("coverage", 0.0) > _MUCH:
        reasons.append("one place or another in it comes near each of your words")
    reasons += dict.fromkeys(reason for name, reason in _PLAINLY.items() if scores.get(name))
    if contender.reach != "near":
        other = record.project_id or record.repo_id or "elsewhere"
        reasons.append(
            f"it comes from {other}, because it is {'linked' if contender.reach == 'linked' else 'strongly relevant'}"
        )
    return reasons
