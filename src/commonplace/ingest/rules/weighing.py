"""How sure is it? The family's own confidence, less for a lesser speaker, a little more for what could be checked."""

from __future__ import annotations

import re

from commonplace.ingest.rules.events import has_time
from commonplace.ingest.rules.found import Found
from commonplace.ingest.rules.sentences import Sentence
from commonplace.model.transcript import Role

LEAST = 0.4
"""What is less sure than this is not proposed at all."""

# However sure a line says it is: a document may say anything of itself.
_MOST_SAID = {Role.PERSON: 0.9, Role.AGENT: 0.8}
_OF_ROLE = {Role.PERSON: 1.0, Role.DOCUMENT: 0.85, Role.AGENT: 0.7, Role.TOOL: 0.8, Role.SYSTEM: 0.0}
_VAGUE = re.compile(r"(?i)\b(?:it|that|this|them|those|these|there|something|stuff|things|he|she|him|her|they)\b")
_YOU = re.compile(r"(?i)\b(?:you|your|yours|you're|you've|you'll)\b")
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-zé]{2,}|[\"“][A-Z]")
_CHAT = re.compile(
    r"(?i)\b(?:thanks|thank you|appreciate|glad|congrats|good luck|happy to hear|sorry to hear|sounds? (?:good"
    r"|great|like|amazing)|can't wait|definitely|means a lot|you're right)\b"
)


def weighed(found: Found, sentence: Sentence) -> float:
    """Between 0 and 1; rules that were asked for by name are not second-guessed."""
    confidence = found.confidence * _OF_ROLE[sentence.piece.role]
    if found.rule == "retain:O":
        return min(found.confidence, _MOST_SAID.get(sentence.piece.role, 0.6))
    if found.rule.startswith(("retain:", "explicit")):
        return confidence
    if found.rule == "decision:agreed":
        return found.confidence  # a person said yes
    if found.rule.startswith(("event:", "fact:", "preference:")):
        confidence += _personal(sentence.text) - 0.1 * (found.kind == "event" and sentence.text.count(" ") < 5)
    return max(0.0, min(0.95, confidence))


def _personal(text: str) -> float:
    """People talk; what holds a time, a number or a name is more than talk, what leans on `it` and `you` is less."""
    vague = len(_VAGUE.findall(text))
    change = 0.1 * has_time(text) + 0.05 * bool(_NUMBER.search(text)) + 0.05 * bool(_NAME.search(text))
    change -= 0.08 * bool(_YOU.search(text)) + 0.1 * bool(_CHAT.search(text)) + 0.05 * min(vague, 2)
    return change
