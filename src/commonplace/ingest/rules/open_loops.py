"""What is still to be done: `TODO`, an empty checkbox, `we still need to`, `remind me`. A question is none."""

from __future__ import annotations

import re

from commonplace.ingest.rules.events import has_time
from commonplace.ingest.rules.found import Found, Words, first, known
from commonplace.ingest.rules.sentences import Sentence
from commonplace.model.transcript import Role
from commonplace.model.words import Type

_TODO = re.compile(
    r"^\W{0,4}(?:TODO|FIXME|TBD|To-?do|Next(?: steps?)?|Follow[- ]?up|Action item|Open (?:question|item"
    r"|loop))\b\W{0,3}(?:\([^)]{1,30}\))?[:\]—-]+\s*(?P<value>[^\n]{4,300})|\bTODO:? "
    r"(?P<value2>[a-z][^\n]{4,300})"
)
_STILL = re.compile(
    r"(?i)\b(?:we|i) (?:still (?:need|have|must|want)|need|have yet|yet have|must still) to (?P<value>"
    r"(?!know\b|say\b|see\b|be\b|thank|admit)[a-z]+ [^.!]{3,240})"
)
_REMIND = re.compile(
    r"(?i)\b(?:remind me|don't let me forget|do not let me forget|don’t let me forget|remember) to "
    r"(?P<value>[^.!]{4,240})|\bremind me (?:that|about) (?P<value2>[^.!]{4,240})"
)
_LEFT = re.compile(
    r"(?i)\b(?:(?:is|are|remains?) (?:still )?(?:left to do|to be done|outstanding|pending|not (?:yet )?"
    r"(?:done|finished|implemented))|still (?:open|missing|pending|broken|todo)|not yet (?:done|implemented"
    r"|tested|decided|finished))\b"
)


NEEDS: Words = known(
    "todo fixme tbd next follow action open need have must yet remind forget remember remains left"
    " outstanding pending still not to-do followup follow-up"
)
"""Without one of these words there is nothing to find."""


def find(sentence: Sentence, text: str) -> Found | None:
    """The open end that a sentence leaves."""
    role = sentence.piece.role
    if sentence.box == " " and not sentence.text.endswith("?"):
        return _found("checkbox", 0.7, text)
    if (match := _TODO.search(text)) and (role is not Role.AGENT or "TODO" in text or "FIXME" in text):
        return _found("todo", 0.7, match["value"] or match["value2"])
    if role is Role.PERSON and (match := first(_REMIND, text)):
        asked = not match[0].lower().startswith("remember")  # which is also what friends say
        return _found("remind", 0.8 if asked else 0.5, match["value"] or match["value2"])
    if match := first(_STILL, text):
        sure = "still" in match[0].lower() or "yet" in match[0].lower()
        return (
            _found("still", 0.65 if sure else 0.45, match["value"])
            if sure or (role is Role.PERSON and has_time(text))
            else None
        )
    return _found("left", 0.5, None) if first(_LEFT, text) else None


def _found(rule: str, confidence: float, value: str | None) -> Found:
    return Found(f"open-loop:{rule}", Type.TASK_HINT, "open-loop", confidence, value=value, of_project=True)
