"""Why did this come up? One plain sentence, made of what really added to the score (rfc 34)."""

from __future__ import annotations

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.understand import Question


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
    if scores.get("links"):
        reasons.append("it is linked to a strong hit")
    if scores.get("mentions"):
        reasons.append("it is about somebody whom a strong hit names")
    if scores.get("instructions") or scores.get("wishes"):
        reasons.append("it is something that is wanted every time")
    if scores.get("freshness"):
        reasons.append("it is the latest word on this")
    if scores.get("time"):
        reasons.append("it is from the time you asked about")
    if contender.reach != "near":
        other = record.project_id or record.repo_id or "elsewhere"
        reasons.append(
            f"it comes from {other}, because it is {'linked' if contender.reach == 'linked' else 'strongly relevant'}"
        )
    return reasons
