"""The `vault` profile, exactly as its design says (A73): 0.85 similarity + 0.05 for each word of the question, and nothing else.

A word counts if it stands anywhere in the slug, the tags or the first 500 characters. Ties go to the more similar, then to the
name that comes first. What has no score is left out.
"""

from __future__ import annotations

import re

from commonplace.model.record import MemoryRecord
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.profiles import Profile

_TOKEN = re.compile(r"[^\W_]{3,}")
_READ = 500


def score(contender: Contender, record: MemoryRecord, question: str, profile: Profile) -> None:
    """Give a contender the two components of this profile."""
    contender.scores.clear()
    similarity = contender.raw.get("semantic", 0.0)
    if similarity:
        contender.scores["semantic"] = profile.semantic * similarity
    words = keywords(record, question)
    if words:
        contender.scores["lexical"] = profile.lexical * words
    contender.add_up()


def keywords(record: MemoryRecord, question: str) -> int:
    """How many different words of the question stand in it, as words or as parts of words."""
    text = " ".join((record.slug, *record.tags, record.content[:_READ])).lower()
    return sum(token in text for token in dict.fromkeys(_TOKEN.findall(question.lower())))


def order(contender: Contender) -> tuple[float, float, str]:
    assert contender.record is not None
    path = next(iter(contender.record.aliases), contender.record.slug)
    return (-contender.score, -contender.raw.get("semantic", 0.0), f"{path}\0{contender.id}")
