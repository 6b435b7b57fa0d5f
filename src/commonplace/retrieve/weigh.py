"""Small weights beside words and meaning: when it was, how fresh, how sure, how near (rfc 39). They decide between equals."""

from __future__ import annotations

from datetime import datetime
from math import exp, log2

from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.forms import is_held
from commonplace.retrieve.profiles import Profile
from commonplace.retrieve.then import moment_of, observed, told
from commonplace.retrieve.understand import Question
from commonplace.retrieve.wishes import is_instruction, is_wish

_HALF_LIFE_DAYS = 90.0
_PARAGRAPH = 500
_NOTHING = 0.01
"""What is worth less decides nothing, and is not worth a word in an explanation."""
_NEAREST = {Scope.REPO: 1.0, Scope.AGENT: 1.0, Scope.SESSION: 1.0, Scope.PROJECT: 0.8, Scope.GLOBAL: 0.6}


def weigh(contender: Contender, record: MemoryRecord, question: Question, profile: Profile, now: datetime) -> None:
    scores = contender.scores
    if question.spans:
        was_then = profile.time * observed(record, question.spans) + profile.told * told(record, question.spans)
        if was_then >= _NOTHING:
            scores["time"] = was_then
    if profile.recency:
        scores["recency"] = profile.recency * freshness(record, now)
    if profile.confidence:
        scores["confidence"] = profile.confidence * (record.confidence if record.confidence is not None else 0.5)
    if profile.brevity and len(record.content) > _PARAGRAPH:
        scores["brevity"] = -profile.brevity * min(log2(len(record.content) / _PARAGRAPH), 2.0)
    if profile.wishes and question.wants_help and is_wish(record.content):
        scores["wishes"] = profile.wishes
    if profile.instructions and is_instruction(record.content):
        scores["instructions"] = profile.instructions
    if profile.entities and question.entities:
        named = sum(is_held(name, contender.held) for name in question.entities)
        if named:
            scores["entities"] = profile.entities * named / len(question.entities)
    if profile.scope:
        scores["scope"] = profile.scope * (_NEAREST[record.scope] if contender.reach == "near" else 0.0)
    contender.add_up()


def freshness(record: MemoryRecord, now: datetime) -> float:
    """1 for now, a half after `_HALF_LIFE_DAYS` (R-h)."""
    days = max((now - moment_of(record)).total_seconds(), 0.0) / 86_400
    return exp(-0.693 * days / _HALF_LIFE_DAYS)
