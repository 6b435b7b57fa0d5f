"""`Remember that …`: from a person it is an order; in a document or in the output of a tool it is hearsay.

Hearsay is proposed with its origin in its own words, because a document may be written to be obeyed (R10).
"""

from __future__ import annotations

import re

from commonplace.ingest.rules.found import Found, Words, known
from commonplace.model.transcript import Role
from commonplace.model.words import Type

_KEEP = re.compile(
    r"""(?xi)^(?:(?:please|also|and|so|ok|okay|hey|btw|by\ the\ way|important|note|now|oh|,|:|can\ you|could\ you
      |you\ (?:should|must|need\ to)|i\ (?:want|need)\ you\ to
      |i'd\ like\ you\ to|do|always|just|agents?|assistants?|claude|chatgpt)[,:! ]+){0,4}
      (?:remember(?:\ for\ (?:later|next\ time|the\ future))?(?:\ that\b(?!\ (?:you|time|day|one)\b)|\ this\b\W*|:)|(?:make
      |take)\ (?:a\ )?note(?:\ that\b|\ of\ this\b\W*|\ of\b|:)|note\ (?:to\ self|for\ later)\b\W*
      |(?:don't|do\ not|don’t|never)\ forget(?:\ that\b|:)|keep\ in\ (?:mind|memory)(?:\ that\b|:)
      |bear\ in\ mind\ that\b|for\ (?:future\ reference|the\ record)\b\W*
      |(?:save|store|add|write|commit|put)\ (?:this\ |that\ |it\ )?(?:to|in|into|down\ in)\ (?:your\ |the[ ]
      |long-term\ )*memory\b\W*(?:that\b)?)
      \s*(?P<what>\S.{3,500})"""
)
_ANYWHERE = re.compile(
    r"(?i)\b(?:you|agents?|assistants?|everyone) (?:must|should|need to|have to) (?:always )?remember "
    r"(?:that )?(?P<what>.{4,400})"
)


NEEDS: Words = known("remember note forget mind memory reference record")
"""Without one of these words there is nothing to find."""


def find(text: str, role: Role) -> Found | None:
    """What is asked to be remembered; the type may be made more exact by the families that read what is left."""
    match = _KEEP.match(text) or _ANYWHERE.search(text)
    if match is None or (text.endswith("?") and not text.lower().startswith(("can you", "could you", "please"))):
        return None
    what = match["what"].strip(" \"'“”?")
    if role is not Role.PERSON:
        return Found("explicit", Type.PROJECT, "note", 0.5, of_project=True)
    return Found("explicit", Type.PROFILE if _is_own(what) else Type.PROJECT, "note", 0.9, text=what, of_project=True)


def _is_own(text: str) -> bool:
    return bool(re.search(r"\b(?:I|[Mm]y|me)\b", text))
