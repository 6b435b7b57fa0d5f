"""Retain lines: `W` a fact, `B` what happened, `O(c=0.8)` an opinion, `N` what is next; `@Entity` says of whom.

Somebody wrote such a line to be kept, so it is taken as it is. To be one it must be an item of a list, name an
entity, or say its confidence: a sentence that merely begins with a capital letter is not meant.
"""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found
from commonplace.ingest.rules.sentences import Sentence
from commonplace.model.retain_line import understand_line
from commonplace.model.words import Type

_LINE = re.compile(
    r"^(?P<sort>[WBNO])(?:\(c\s?=\s?(?P<sure>[01]?\.\d{1,4}|[01])\))?(?P<sep>:| ?—| -|) +(?P<said>\S.{5,500})$"
)
_SUBJECT = re.compile(r"@([A-Za-z][\w./-]{0,60}\w)")
_PREFERS = re.compile(r"(?i)\b(?:prefers?|likes?|loves?|hates?|dislikes?|wants?|favou?rs?|avoids?|enjoys?)\b")
_CONFIDENCE = 0.7


def find(sentence: Sentence, text: str) -> Found | None:
    """The statement of a retain line, with its entities as tags."""
    match = _LINE.match(text) if sentence.opens_line else None
    if match is None or not _is_meant(match, sentence):
        return None
    line, said = understand_line(text), match["said"]
    is_taste = match["sort"] == "O" and _PREFERS.search(said)
    type, kind = (Type.PROFILE, "preference") if is_taste else (line.type, line.kind)
    subject = _SUBJECT.match(said)
    return Found(
        f"retain:{match['sort']}",
        type,
        kind,
        _CONFIDENCE if line.confidence is None else line.confidence,
        text=said,
        subject=subject[1] if subject else None,
        tags=line.entities,
        of_project=True,
    )


def _is_meant(match: re.Match[str], sentence: Sentence) -> bool:
    if match["sure"] is not None or "@" in match["said"][:40] or match["sep"] == ":":
        return True
    return sentence.is_item and match["said"][0].isupper()
