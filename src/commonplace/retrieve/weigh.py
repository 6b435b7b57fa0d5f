"""Small weights beside words and meaning: when it was, how fresh, how sure, how near (rfc 39). They decide between equals."""

from __future__ import annotations

from datetime import datetime
from math import exp, log2
from types import NoneType

from commonplace.model.base import to_micros
from commonplace.model.record import MemoryRecord
from commonplace.model.words import Scope
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.forms import is_said
from commonplace.retrieve.freshest import asks_for_the_latest
from commonplace.retrieve.profiles import Profile
from commonplace.retrieve.then import moment_of, observed, told
from commonplace.retrieve.understand import Question
from commonplace.seam.terms import Strand

_HALF_LIFE_DAYS = 90.0
PARAGRAPH = 500
_NOTHING = 0.01
"""What is worth less decides nothing, and is not worth a word in an explanation."""
_NEAREST: dict[str, float] = {
    Scope.REPO: 1.0,
    Scope.AGENT: 1.0,
    Scope.SESSION: 1.0,
    Scope.PROJECT: 0.8,
    Scope.GLOBAL: 0.6,
}


def strand_of(record: MemoryRecord) -> Strand:
    """What would be known of a memory if it had not been read."""
    owner = (record.type, record.project_id, record.repo_id, record.agent_id)
    at, content = to_micros(moment_of(record)), record.content
    return Strand(owner, at, len(content), content, record.scope, record.confidence, record.status)


def is_sound(strand: Strand) -> bool:
    """Is it what a book of ours says of a memory? Whoever is not read is not checked in any other way."""
    numbers = type(strand.at) is int and type(strand.length) is int and type(strand.confidence) in (float, NoneType)
    return numbers and strand.scope in _NEAREST


class Weighing:
    """The small weights of one search."""

    def __init__(self, question: Question, profile: Profile, now: datetime) -> None:
        self._question, self._profile, self._now = question, profile, to_micros(now)
        self._brevity = profile.brevity * question.wanted.brevity
        self.instructions = profile.instructions if question.wanted.heeds_instructions else 0.0
        self.wants_wishes = bool(profile.wishes) and question.wants_help
        self.wants_the_latest = bool(profile.change) and asks_for_the_latest(question)
        self.reads = bool(question.spans or (profile.entities and question.entities))
        """Does it go by what the memories say? Then they must have been read."""

    def weigh(
        self, contender: Contender, known: Strand, *, is_standing: bool, is_wished: bool, is_change: bool
    ) -> None:
        """For most questions it is enough to know of a memory, and whether it reads like an instruction or a wish, or tells of
        a change."""
        scores, profile = contender.scores, self._profile
        if self.reads:
            self._add_time(contender)
        if profile.recency:
            scores["recency"] = profile.recency * self._freshness(known.at)
        if profile.confidence:
            scores["confidence"] = profile.confidence * (0.5 if known.confidence is None else known.confidence)
        if known.length > PARAGRAPH and self._brevity:
            scores["brevity"] = -self._brevity * min(log2(known.length / PARAGRAPH), 2.0)
        if is_wished and self.wants_wishes:
            scores["wishes"] = profile.wishes
        if is_standing and self.instructions:
            scores["instructions"] = self.instructions
        if is_change and self.wants_the_latest:
            scores["change"] = profile.change
        if self.reads:
            self._add_entities(contender)
        if profile.scope:
            scores["scope"] = profile.scope * (_NEAREST[known.scope] if contender.reach == "near" else 0.0)
        contender.add_up()

    def _add_time(self, contender: Contender) -> None:
        record, spans, profile = contender.record, self._question.spans, self._profile
        if record and spans:
            was_then = profile.time * observed(record, spans) + profile.told * told(record, spans)
            if was_then >= _NOTHING:
                contender.scores["time"] = was_then

    def _add_entities(self, contender: Contender) -> None:
        names, worth = self._question.entities, self._profile.entities
        named = sum(is_said(name, contender.said) for name in names) if worth else 0
        if named:
            contender.scores["entities"] = worth * named / len(names)

    def _freshness(self, at: int) -> float:
        """1 for now, a half after `_HALF_LIFE_DAYS` (R-h)."""
        days = max((self._now - at) / 1_000_000, 0.0) / 86_400
        return exp(-0.693 * days / _HALF_LIFE_DAYS)
