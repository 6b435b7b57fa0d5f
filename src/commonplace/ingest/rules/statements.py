"""Is it a statement at all? Questions, musings, small talk, code and log lines are not, whatever words they hold."""

from __future__ import annotations

import re

from commonplace.ingest.rules.sentences import Sentence

FEWEST_WORDS = 4

_ASKS = re.compile(
    r"(?i)^(?:(?:so|and|but|or|ok|okay|well|also|please|hey)[, ]+)*"
    r"(?:(?:can|could|would|will|do|does|did|is|are|was|were|have|has|should|shall|may|am)(?:n't)? "
    r"(?:you|i|we|it|there|they|he|she|this|that|the|your|my|anyone|any)\b|(?:what|how|why|where|who|which) "
    r"(?:is|are|do|does|did|can|to|about)\b)"
)
_MUSES = re.compile(
    r"(?i)^(?:(?:so|and|but|or|then|well|also|hmm+|yeah|ok|okay)[, ]+)*(?:if|suppose|supposing|imagine"
    r"|assuming|unless|what if|maybe"
    r"|perhaps|let's say|say we|hypothetically|pretend|wouldn't it|i wish|i hope|i guess|i wonder"
    r"|i'm wondering|i was wondering"
    r"|i'm not sure|i am not sure|i don't know|i doubt|no idea|hope|hopefully|it would be|that would be"
    r"|we could|we might|you could|you might)\b"
)
_LEANS = re.compile(
    r"(?i)^(?:(?:and|but|so|also|because|plus|then|well|oh|yeah|yes|no|yep|actually|anyway)[, ]+)*"
    r"(?:he|she|it|they|this|that|these|those|there|here|his|her|its|their|theirs|him|them|one|both|neither"
    r"|which|such|him|same)(?:'s|'re|'ll|’s|’re|\b)"
)
_CODE = re.compile(
    r"""(?x)^\s*(?:def|class|import|const|var|function|return|public|private|static|package|SELECT|INSERT|UPDATE
      |DELETE|CREATE)\ \S+.*[({;=:*]
    | ^\s*(?:from\ \S+\ import|let\ \w+\ =|\#include|\#!|\$\ |>>>|\.\.\.\ |@@|\+\+\+|---|at\ \S+\(|File\ "|Traceback
      |\{|\[|</?\w)
    | ^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|(?:INFO|DEBUG|WARN|WARNING|TRACE|FATAL)\b[: \]])
    | ^\s*\S+\s=\s\S+$"""
)


def is_statement(sentence: Sentence) -> bool:
    """May a rule read it? It says something, in words, and stands by itself."""
    text = sentence.text
    if text.endswith(("?", "?)", '?"', "?'", "?”", "?*")) or text[0] in "\"“'‘«„|":
        return False
    if text.count(" ") < FEWEST_WORDS - 1 or not _is_prose(text):
        return False
    return not (_ASKS.match(text) or _MUSES.match(text) or is_code(text))


def leans(text: str) -> bool:
    """Does it begin with a word that stands for something said before?"""
    return bool(_LEANS.match(text))


def is_code(text: str) -> bool:
    ends = text[-1:] in "{};" or " => " in text or " == " in text or "();" in text or "() {" in text
    return ends or bool(_CODE.match(text))


def _is_prose(text: str) -> bool:
    """Mostly letters and spaces; a dump of numbers or marks is not."""
    letters = sum(map(str.isalpha, text)) + text.count(" ")
    return letters >= 0.75 * len(text)
