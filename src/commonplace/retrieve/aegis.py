"""The `aegis` profile, exactly as its design says (G34-G36): words in common, and a little for what is new. No vectors (X-8).

A memory scores one for each of its different words that the message holds too, and on top of that at most 1 for its age. A
memory that has no word in common scores nothing at all: otherwise every memory would, and the design's own fallback to the
most recent ones could never come into play (G47, G-b). Whoever injects memories and whoever searches with this profile both
count here.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.model.record import MemoryRecord
    from commonplace.retrieve.contender import Contender

_STOP_WORDS = """
    the and for are but not you all can has her was one our out its use how may who did get had him his let say she too own way
    about could from have into just like make many some than that them then this very when what with will would been each more
    most much must only also back being come every first here know made need over such take where which while work project
    please help want using thing file should
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 3
_NEWEST_HOURS = 0.1  # within six minutes everything is equally new


@lru_cache(maxsize=2_048)  # the same few hundred memories are held against every message
def words(text: str) -> frozenset[str]:
    """The telling words: split at whatever is neither letter nor digit, in lower case, three characters or more."""
    return frozenset(word for word in map(str.lower, _WORD.findall(text)) if len(word) >= _SHORTEST) - STOP_WORDS


def recency(hours: float) -> float:
    """1 for what is new, a tenth after an hour, next to nothing after a day."""
    return min(1.0, 0.1 / max(hours, _NEWEST_HOURS))


def relevance(text: str, asked: frozenset[str], hours: float) -> float:
    """How well a memory of this age answers a message with these words."""
    overlap = len(words(text) & asked)
    return overlap + recency(hours) if overlap else 0.0


def hours_since(moment: datetime, now: datetime) -> float:
    return (now - moment).total_seconds() / 3600


def score(contender: Contender, record: MemoryRecord, question: str, now: datetime) -> None:
    """Give a contender the two components of this profile."""
    contender.scores.clear()
    overlap = len(words(record.content) & words(question))
    if overlap:
        contender.scores["lexical"] = float(overlap)
        contender.scores["recency"] = recency(hours_since(record.created_at, now))
    contender.add_up()


def order(contender: Contender) -> tuple[float, float, str]:
    """The best first, then the newest."""
    assert contender.record is not None
    return (-contender.score, -contender.record.created_at.timestamp(), contender.id)
