"""Retain lines: `W` a fact, `B` what happened, `O(c=0.8)` an opinion, `N` what is next; `@Entity` says of whom.

Somebody wrote such a line to be kept, so it is taken as it is. To be one it must be an item of a list, name an
entity, or say its confidence: a sentence that merely begins with a capital letter is not meant.
"""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found
from commonplace.ingest.rules.sentences import Sentence
from commonplace.model.words import Type

_LINE = re.compile(
    r"^(?P<sort>[WBNO])(?:\(c\s?=\s?(?P<sure>[01]?\.\d{1,4}|[01])\))?(?P<sep>:| ?—| -|) +(?P<said>\S.{5,500})$"
)
_ENTITY = re.compile(r"@([A-Za-z][\w./-]{0,60}\w)")
_HEAD = re.compile(r"^(?:@[\w./-]+,? ?)+:\s+")
_PREFERS = re.compile(r"(?i)\b(?:prefers?|likes?|loves?|hates?|dislikes?|wants?|favou?rs?|avoids?|enjoys?)\b")
_SORTS = {
    "W": (Type.PROJECT, "fact"),
    "B": (Type.PROJECT, "event"),
    "O": (Type.PROJECT, "opinion"),
    "N": (Type.TASK_HINT, "open-loop"),
}
_CONFIDENCE = 0.7


def find(sentence: Sentence, text: str) -> Found | None:
    """The statement of a retain line, with its entities as tags."""
    match = _LINE.match(text) if sentence.opens_line else None
    if match is None or not _is_meant(match, sentence):
        return None
    entities = tuple(dict.fromkeys(name.lower() for name in _ENTITY.findall(match["said"])))[:8]
    type, kind = _SORTS[match["sort"]]
    if match["sort"] == "O" and _PREFERS.search(match["said"]):
        type, kind = Type.PROFILE, "preference"
    sure = _CONFIDENCE if match["sure"] is None else float(match["sure"])
    said = match["said"]
    subject = next(iter(_ENTITY.findall(said)), None) if _HEAD.match(said) or said.startswith("@") else None
    return Found(
        f"retain:{match['sort']}",
        type,
        kind,
        min(sure, 1.0),
        text=said,
        subject=subject,
        tags=entities,
        of_project=True,
    )


def _is_meant(match: re.Match[str], sentence: Sentence) -> bool:
    if match["sure"] is not None or "@" in match["said"][:40] or match["sep"] == ":":
        return True
    return sentence.is_item and match["said"][0].isupper()
